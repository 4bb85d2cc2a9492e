import Bayeux
import Engine
import JSONEnvelope
import SupportDomain

/// The open stream of one person: follows all its requests over a socket, and says what it has shown.
///
/// Safe to share: the whole simulation is one thread.
final class SupportStream: CometSink, @unchecked Sendable {
  unowned let world: World
  weak var person: SupportPerson?
  private var life: Life?
  private var exchange: CometExchange?
  private var clientID: String?
  /// Written by the server, not here yet.
  private var inFlight: [[[UInt8]]] = []
  /// Comments that came and were not acknowledged: request and number.
  private(set) var shown: [(request: Int64, comment: Int)] = []
  /// Acknowledgements without an answer, by the ids of their messages.
  private var asked: [Int: (request: Int64, comment: Int, identifier: String)] = [:]
  private var nextID = 0

  init(world: World) { self.world = world }

  var isOpen: Bool { exchange != nil }
  func holds(_ clientID: String) -> Bool { isOpen && self.clientID == clientID }

  func open(in life: Life, token: String) {
    close()
    self.life = life
    exchange = life.engine.comet.open(
      self, transport: .webSocket, userKey: nil, browserID: nil, accessToken: token)
    if clientID == nil {
      say(#"{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["websocket"],"id":"\#(id())"}"#)
    } else {
      connect()
    }
  }

  /// The socket closes; the session lives on for a while.
  func close() {
    guard let exchange, let life else { return }
    self.exchange = nil
    inFlight = []
    asked = [:]
    if !life.isOver { life.engine.comet.closed(exchange) }
  }

  /// The app was killed, or is somebody else's now.
  func forget() {
    close()
    clientID = nil
    shown = []
  }

  func serverDied() {
    exchange = nil
    inFlight = []
    asked = [:]
  }

  /// Says that a comment was shown on a device.
  func acknowledge(_ index: Int, on identifier: String) {
    guard let clientID, shown.indices.contains(index) else { return }
    let one = shown.remove(at: index)
    let number = id()
    asked[number] = (one.request, one.comment, identifier)
    say(
      #"{"channel":"/support/requests/\#(one.request)","clientId":"\#(clientID)","id":"\#(number)","#
        + #""data":{"type":"refreshed","comment_id":"\#(SupportIDs.comment(one.comment, of: one.request))","#
        + #""identifier":"\#(identifier)"}}"#)
  }

  private func id() -> Int {
    nextID += 1
    return nextID
  }

  private func connect() {
    say(
      #"{"channel":"/meta/connect","clientId":"\#(clientID ?? "")","connectionType":"websocket","id":"\#(id())"}"#)
  }

  private func say(_ message: String) {
    guard let exchange, let life, !life.isOver else { return }
    world.trace.note("\(person?.description ?? "") says \(message)")
    do { life.engine.comet.received(try BayeuxDecoder.decode(Array("[\(message)]".utf8)), on: exchange) } catch {
      world.violated(.honestAnswers, "a message cannot be decoded: \(error)")
    }
  }

  /// The server writes. What it has written is durable, whenever it comes.
  func send(_ reply: CometReply) {
    guard let exchange, let life, !life.isOver else { return }
    for bytes in reply.messages {
      world.trace.note("to \(person?.description ?? ""): \(String(decoding: bytes.prefix(90), as: UTF8.self))")
      world.check(streamed: bytes, to: person)
    }
    inFlight.append(reply.messages)
    life.engine.comet.written(exchange, success: true)
  }

  /// - Returns: false if nothing was on its way.
  @discardableResult
  func arrive() -> Bool {
    guard !inFlight.isEmpty else { return false }
    for bytes in inFlight.removeFirst() { if let value = try? JSONValue(parsing: bytes) { take(value) } }
    return true
  }

  private func take(_ value: JSONValue) {
    let isSuccessful = value["successful"]?.bool ?? false
    switch value["channel"]?.string ?? "" {
    case "/meta/handshake":
      guard isSuccessful, let id = value["clientId"]?.string else { return forget() }
      clientID = id
      say(
        #"{"channel":"/meta/subscribe","clientId":"\#(id)","subscription":"/support/requests/*","id":"\#(self.id())"}"#)
      connect()
    case "/meta/connect":
      if isSuccessful { connect() } else { forget() }
    case "/meta/subscribe": if !isSuccessful { forget() }
    case let channel where channel.hasPrefix("/support/requests/"):
      if let comment = value["data"]?["comment_id"]?.lenientInteger {
        let parts = SupportIDs.parts(ofComment: Int64(comment))
        shown.append((parts.request, parts.number))
        if shown.count > 8 { shown.removeFirst() }
      } else if let number = value["id"]?.lenientInteger, let asked = asked.removeValue(forKey: number), isSuccessful {
        world.acknowledged(asked.comment, of: asked.request, on: asked.identifier, by: person)
      }
    default: break
    }
  }
}
