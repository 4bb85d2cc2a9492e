import GCMProtocol
import PushDomain

@testable import CCSEdge

/// A reader and a stream without a socket; the engine's part is played at once: every key is genuine, every message
/// taken.
struct Conversation {
  var stream: CCSStream
  let reader: XMLStreamReader
  private(set) var actions: [CCSAction] = []
  var isGenuine = true
  /// Messages wait for `answerAll` otherwise.
  var answers = true
  private(set) var waiting: [CCSAddress] = []

  init(settings: CCSStreamSettings = CCSStreamSettings(), xml: XMLLimits = XMLLimits(), unitBytesMaximum: Int = 8_192) {
    stream = CCSStream(id: "id", settings: settings)
    reader = XMLStreamReader(limits: xml, unitBytesMaximum: unitBytesMaximum)
  }

  /// As far as a socket would be read.
  mutating func hear(_ bytes: some Collection<UInt8>) {
    reader.append(bytes)
    pump()
  }

  mutating func hear(_ text: String) { hear(Array(text.utf8)) }

  mutating func answerAll() {
    let addresses = waiting
    waiting = []
    for address in addresses { perform(stream.answered(.ack(address, canonical: nil))) }
    pump()
  }

  mutating func perform(_ new: [CCSAction]) {
    for action in new {
      actions.append(action)
      switch action {
      case .authenticate: perform(stream.authenticated(isGenuine))
      case .restart: reader.restart()
      case .send(let address, _) where answers: perform(stream.answered(.ack(address, canonical: nil)))
      case .send(let address, _): waiting.append(address)
      case .write, .attach, .acknowledge, .close: break
      }
    }
  }

  private mutating func pump() {
    while stream.takesInput, let event = reader.next() { perform(stream.received(event)) }
  }

  /// All that was written, as text.
  var written: String {
    actions.map { if case .write(let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { "" } }.joined()
  }

  mutating func forget() { actions = [] }
}

/// What clients say.
enum Words {
  static let header =
    "<?xml version='1.0'?><stream:stream to='gcm.googleapis.com' version='1.0' xmlns='jabber:client' "
    + "xmlns:stream='http://etherx.jabber.org/streams'>"
  /// NUL 1234567890@gcm.googleapis.com NUL key
  static let auth =
    "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>"
    + "ADEyMzQ1Njc4OTBAZ2NtLmdvb2dsZWFwaXMuY29tAGtleQ==</auth>"
  static let bind =
    "<iq type='set' id='b'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><resource>r</resource></bind></iq>"
  static let login = header + auth + header + bind

  static func message(_ json: String) -> String {
    "<message id='m'><gcm xmlns='google:mobile:data'>\(json.replacing("&", with: "&amp;").replacing("<", with: "&lt;"))"
      + "</gcm></message>"
  }

  static func send(_ id: String, to: String = "token") -> String {
    message(#"{"to":"\#(to)","message_id":"\#(id)","data":{"k":"v"}}"#)
  }

  static func ack(_ id: String) -> String {
    message(#"{"to":"token","message_id":"\#(id)","message_type":"ack"}"#)
  }
}
