package import CometEngine
package import JSONEnvelope
import Synchronization

/// Takes replies and says that they were written, or that they could not be.
package final class ScriptedSink: CometSink {
  private struct State {
    var replies: [CometReply] = []
    var waiter: CheckedContinuation<CometReply, Never>?
    var succeeds = true
    var arrives = true
    var exchange: CometExchange?
    var gateway: CometGateway?
  }

  private let state = Mutex(State())
  private let whenAnswered: (@Sendable () -> Void)?

  package init(whenAnswered: (@Sendable () -> Void)? = nil) { self.whenAnswered = whenAnswered }

  package func attach(_ exchange: CometExchange, _ gateway: CometGateway) {
    state.withLock {
      $0.exchange = exchange
      $0.gateway = gateway
    }
  }

  /// From now on writing fails.
  package func breakDown() { state.withLock { $0.succeeds = false } }

  /// What is written stays on the way, and the connection shows it.
  package func loseOnTheWay() { state.withLock { $0.arrives = false } }

  package func hasArrived() async -> Bool { state.withLock { $0.arrives } }

  /// The client of a held request leaves.
  package func leave() {
    let (exchange, gateway) = state.withLock { ($0.exchange, $0.gateway) }
    if let exchange { gateway?.closed(exchange) }
  }

  /// The exchange, for whoever wants to see it go.
  package var exchange: CometExchange? { state.withLock { $0.exchange } }

  package var isAnswered: Bool { state.withLock { !$0.replies.isEmpty } }

  package func send(_ reply: CometReply) {
    let (waiter, exchange, gateway, succeeds) = state.withLock { state in
      defer { state.waiter = nil }
      if state.waiter == nil { state.replies.append(reply) }
      return (state.waiter, state.exchange, state.gateway, state.succeeds)
    }
    // Before the test goes on: it looks at what came of it.
    whenAnswered?()
    // As on the wire: a client reads only what has been written.
    if let exchange { gateway?.written(exchange, success: succeeds) }
    waiter?.resume(returning: reply)
  }

  package func reply() async throws -> [JSONValue] {
    let reply = await withCheckedContinuation { continuation in
      let early = state.withLock { state -> CometReply? in
        if let first = state.replies.first {
          state.replies.removeFirst()
          return first
        }
        state.waiter = continuation
        return nil
      }
      if let early { continuation.resume(returning: early) }
    }
    return try reply.messages.map { try JSONValue(parsing: $0) }
  }
}
