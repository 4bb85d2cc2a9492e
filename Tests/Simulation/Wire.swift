import Bayeux
import Engine

/// One exchange as the client sees it: a request that waits for its response, or a socket.
///
/// Safe to share: the whole simulation is one thread.
final class Wire: CometSink, @unchecked Sendable {
  let client: CometClient
  let transport: ConnectionType
  private let life: Life
  private var exchange: CometExchange?
  private(set) var isClosed = false
  /// Replies that are due, by the last word of their channel.
  var awaits: Set<String> = []
  /// What was written to it last has come, as far as the kernels know.
  private(set) var hasBrought = true
  /// A connect is under way on it.
  var isConnect = false

  init(client: CometClient, life: Life, transport: ConnectionType) {
    self.client = client
    self.life = life
    self.transport = transport
    exchange = life.engine.comet.open(self, transport: transport, userKey: client.userKey, browserID: nil)
  }

  func send(_ text: String) {
    guard let exchange, !life.isOver else { return }
    do {
      life.engine.comet.received(try BayeuxDecoder.decode(Array(text.utf8)), on: exchange)
    } catch {
      client.world.violated(.honestAnswers, "a request cannot be decoded: \(error)")
    }
  }

  /// The server writes.
  func send(_ reply: CometReply) {
    guard !life.isOver else { return }
    let messages = client.world.handedToClient(reply, client, clientID: client.clientID)
    guard !isClosed else { return wasWritten(success: false) }
    client.wrote(messages, to: self)
  }

  /// The server hears of the write that it was made, and what was written is read by nobody.
  /// - Parameter isNoticed: its kernel waits for the acknowledgment for ever, or gets a reset.
  func wasLost(isNoticed: Bool) {
    hasBrought = !isNoticed
    wasWritten(success: true)
  }

  func hasArrived() async -> Bool { hasBrought }

  func wasWritten(success: Bool) {
    guard let exchange, !life.isOver else { return }
    life.engine.comet.written(exchange, success: success)
  }

  /// The client's end is closed.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    guard let exchange, !life.isOver else { return }
    life.engine.comet.closed(exchange)
  }
}
