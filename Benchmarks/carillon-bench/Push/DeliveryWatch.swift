import PushDomain
import Synchronization

/// Stands before a provider and writes down in which order it was handed what, and what came of it.
final class DeliveryWatch: PushProvider {
  struct Handed: Sendable {
    /// `PushMessage.number`: the order in which the pushes were taken over.
    let number: Int
    let attempt: Int
    let priority: PushPriority
  }

  private struct State {
    var handed: [Handed] = []
    var deliveredIDs: Set<String> = []
    var repetitions = 0
    var failures = 0
    var firstDelivery: ContinuousClock.Instant?
  }

  private let provider: any PushProvider
  private let state = Mutex(State())

  init(_ provider: any PushProvider) { self.provider = provider }

  /// What was handed over since `forget`, in that order.
  var handed: [Handed] { state.withLock { $0.handed } }
  /// Pushes that the provider took, by their names for the world.
  var deliveredCount: Int { state.withLock { $0.deliveredIDs.count } }
  /// How often a push was taken that had been taken before.
  var repetitions: Int { state.withLock { $0.repetitions } }
  /// Attempts that came to nothing.
  var failures: Int { state.withLock { $0.failures } }
  var firstDelivery: ContinuousClock.Instant? { state.withLock { $0.firstDelivery } }

  func forget() { state.withLock { $0 = State() } }

  var types: Set<String> { provider.types }

  func obstacle(_ target: PushAddress, _ options: PushOptions) -> String? { provider.obstacle(target, options) }

  func lane(of target: PushAddress, _ options: PushOptions) -> CourierLane { provider.lane(of: target, options) }

  func deliver(_ delivery: PushDelivery) async -> PushOutcome {
    let message = delivery.message
    state.withLock {
      $0.handed.append(Handed(number: message.number, attempt: delivery.attempt, priority: message.priority))
    }
    let outcome = await provider.deliver(delivery)
    state.withLock { state in
      guard case .delivered = outcome else {
        state.failures += 1
        return
      }
      state.firstDelivery = state.firstDelivery ?? .now
      if !state.deliveredIDs.insert(delivery.id).inserted { state.repetitions += 1 }
    }
    return outcome
  }

  func reload() { provider.reload() }
}
