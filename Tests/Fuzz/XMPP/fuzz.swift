import Fuzzing
import GCMProtocol

@testable import CCSEdge

@main
enum Program {
  static func main() { Fuzzer.run() }
}

/// What an app server might send: first how it is cut and how the engine behaves, then the bytes.
///
/// Cut in other places, the bytes make the same actions; what is written is a stream that our own reader takes; nothing
/// comes after the end, and no more is pending than allowed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = FuzzInput(start, count)
  let piece = Int(input.byte()) + 1
  let behaviour = input.byte()
  let bytes = (behaviour & 1 == 0 ? Array(login.utf8) : []) + input.remainder()
  let whole = Conversation(behaviour, bytes, piece: bytes.count + 1)
  require(whole == Conversation(behaviour, bytes, piece: piece), "the same actions, however the bytes come")
  whole.check()
  return 0
}

private let header =
  "<?xml version='1.0'?><stream:stream to='gcm.googleapis.com' version='1.0' xmlns='jabber:client' "
  + "xmlns:stream='http://etherx.jabber.org/streams'>"
private let login =
  header + "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>AGEAYg==</auth>" + header
  + "<iq type='set' id='b'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>"

/// A reader and a stream; the engine answers at once, or not before all bytes are there.
private struct Conversation: Equatable {
  private var actions: [CCSAction] = []
  private var waiting: [CCSAddress] = []

  static func == (left: Self, right: Self) -> Bool { left.actions == right.actions }

  init(_ behaviour: UInt8, _ bytes: [UInt8], piece: Int) {
    var settings = CCSStreamSettings()
    settings.pendingMaximum = 4
    var stream = CCSStream(id: "id", settings: settings)
    let reader = XMLStreamReader(unitBytesMaximum: 2_048)
    var rest = bytes[...]
    repeat {
      reader.append(rest.prefix(piece))
      rest = rest.dropFirst(piece)
      pump(&stream, reader, behaviour)
    } while !rest.isEmpty
    while let address = waiting.popLast() {
      perform(stream.answered(CCSAnswer(address, .unavailable)), &stream, reader, behaviour)
      pump(&stream, reader, behaviour)
    }
    if behaviour & 8 != 0 { perform(stream.drain() + stream.drainingEnded(), &stream, reader, behaviour) }
    perform(stream.fail(.systemShutdown), &stream, reader, behaviour)
    require(stream.phase == .closed, "a stream that has failed is closed")
    require(stream.fail(.policyViolation).isEmpty, "nothing comes after the end")
  }

  private mutating func pump(_ stream: inout CCSStream, _ reader: XMLStreamReader, _ behaviour: UInt8) {
    while stream.takesInput, let event = reader.next() { perform(stream.received(event), &stream, reader, behaviour) }
  }

  private mutating func perform(
    _ new: [CCSAction], _ stream: inout CCSStream, _ reader: XMLStreamReader, _ behaviour: UInt8
  ) {
    for action in new {
      actions.append(action)
      switch action {
      case .authenticate: perform(stream.authenticated(behaviour & 2 == 0), &stream, reader, behaviour)
      case .restart: reader.restart()
      case .send(let address, _):
        require(stream.pendingCount <= stream.settings.pendingMaximum, "no more is pending than allowed")
        if behaviour & 4 != 0 {
          waiting.append(address)
        } else {
          perform(stream.answered(.ack(address, canonical: nil)), &stream, reader, behaviour)
        }
      case .write, .attach, .acknowledge, .close: break
      }
    }
  }

  func check() {
    require(actions.filter { if case .close = $0 { true } else { false } }.count == 1, "a stream closes once")
    if case .close = actions.last {} else { fatalError("violated: closing is the last thing") }
    let written = actions.flatMap { action -> [UInt8] in if case .write(let bytes) = action { bytes } else { [] } }
    // Ours may be as long as theirs, and an echo with every byte escaped.
    var limits = XMLLimits()
    limits.elementsMaximum = 10_000
    let reader = XMLStreamReader(limits: limits, unitBytesMaximum: 100_000)
    reader.append(written)
    while let event = reader.next() {
      switch event {
      case .failed(let condition): fatalError("violated: what is written is a stream: \(condition)")
      case .stanza(let stanza) where stanza.name.local == "success": reader.restart()
      case .opened, .stanza, .closed: break
      }
    }
  }
}
