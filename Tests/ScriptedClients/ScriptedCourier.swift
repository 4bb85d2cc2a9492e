package import JSONEnvelope
package import PushDomain
import Synchronization

/// Takes pushes, and answers as told.
package final class ScriptedCourier: PushProvider {
  private struct State {
    var answers: [PushOutcome] = []
    var deliveries: [PushDelivery] = []
    var isSilent = false
  }

  private let state = Mutex(State())
  private let (arrivals, arrived) = AsyncStream.makeStream(of: PushDelivery.self)

  package init() {}

  package var types: Set<String> { ["test"] }

  package func answer(_ outcomes: PushOutcome...) { state.withLock { $0.answers = outcomes } }
  /// Deliveries never end, as if the provider hung.
  package func fallSilent() { state.withLock { $0.isSilent = true } }
  package var deliveries: [PushDelivery] { state.withLock { $0.deliveries } }

  package func deliver(_ delivery: PushDelivery) async -> PushOutcome {
    let (outcome, isSilent) = state.withLock { state in
      state.deliveries.append(delivery)
      return (state.answers.isEmpty ? PushOutcome.delivered() : state.answers.removeFirst(), state.isSilent)
    }
    arrived.yield(delivery)
    if isSilent { try? await Task.sleep(for: .seconds(3)) }
    return outcome
  }

  /// The next delivery.
  package func next() async throws -> JSONValue {
    for await delivery in arrivals { return try JSONValue(parsing: delivery.message.content) }
    throw CancellationError()
  }
}
