import Bayeux
import Engine
import JSONEnvelope
import Synchronization

/// A customer's app at the Comet gateway: comes online, then goes to the background.
final class VictimPhone: Sendable {
  private let engine: Engine
  private let user: String

  init(_ engine: Engine, user: String) {
    self.engine = engine
    self.user = user
  }

  /// Handshake, subscription, first connect, and a disconnect that says what it has seen.
  func goToBackground() async throws {
    let shaken = try await ask(
      #"[{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling"],"id":"1"}]"#)
    guard let id = shaken.first?["clientId"]?.string else { throw ScriptViolation("no handshake") }
    _ = try await ask(
      #"[{"channel":"/meta/subscribe","clientId":"\#(id)","subscription":"/_genesys","id":"2"}]"#)
    _ = try await ask(
      #"[{"channel":"/meta/connect","clientId":"\#(id)","connectionType":"long-polling","id":"3"}]"#)
    _ = try await ask(
      #"[{"channel":"/meta/disconnect","clientId":"\#(id)","ext":{"transcriptPosition":"1"},"id":"4"}]"#)
  }

  private func ask(_ json: String) async throws -> [JSONValue] {
    let sink = Sink(engine.comet)
    let exchange = engine.comet.open(sink, transport: .longPolling, userKey: user, browserID: nil)
    let messages = try BayeuxDecoder.decode(Array(json.utf8))
    let reply = await withCheckedContinuation { continuation in
      sink.attach(exchange, continuation)
      engine.comet.received(messages, on: exchange)
    }
    return try reply.messages.map { try JSONValue(parsing: $0) }
  }

  /// Takes one reply, and says that it was written.
  private final class Sink: CometSink {
    private struct State {
      var waiter: CheckedContinuation<CometReply, Never>?
      var exchange: CometExchange?
    }

    private let gateway: CometGateway
    private let state = Mutex(State())

    init(_ gateway: CometGateway) { self.gateway = gateway }

    func attach(_ exchange: CometExchange, _ waiter: CheckedContinuation<CometReply, Never>) {
      state.withLock {
        $0.exchange = exchange
        $0.waiter = waiter
      }
    }

    func send(_ reply: CometReply) {
      let (waiter, exchange) = state.withLock { state in
        defer { state.waiter = nil }
        return (state.waiter, state.exchange)
      }
      waiter?.resume(returning: reply)
      if let exchange { gateway.written(exchange, success: true) }
    }
  }
}
