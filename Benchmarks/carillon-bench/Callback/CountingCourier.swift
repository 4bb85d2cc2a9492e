import EntityRuntime
import EventSourcing
import PushDomain
import Synchronization

/// Takes every push at once and writes down when: what is measured is the server before it.
final class CountingCourier: PushProvider {
  static let type = "ios"

  private struct State {
    /// The times of first arrival, by producer: each callback is one.
    var arrivals: [String: Timestamp] = [:]
    var repetitions = 0
  }

  private let state = Mutex(State())
  private let time = SystemTime()

  let types: Set<String> = [type]

  var count: Int { state.withLock { $0.arrivals.count } }
  /// Pushes of a callback beyond its first.
  var repetitions: Int { state.withLock { $0.repetitions } }
  var arrivals: [Timestamp] { state.withLock { Array($0.arrivals.values) } }

  /// As wide as one connection over HTTP/2.
  func lane(of target: PushAddress, _ options: PushOptions) -> CourierLane {
    CourierLane(id: target.type, label: target.type, inFlightMaximum: 256)
  }

  func deliver(_ delivery: PushDelivery) async -> PushOutcome {
    let now = time.now
    state.withLock { state in
      let before = state.arrivals.updateValue(now, forKey: delivery.message.producer)
      guard let before else { return }
      state.arrivals[delivery.message.producer] = before
      state.repetitions += 1
    }
    return .delivered()
  }
}
