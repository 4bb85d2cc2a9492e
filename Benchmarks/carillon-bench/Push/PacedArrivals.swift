import BenchReport
import Synchronization

/// Something that is done so many times a second, each time with a text that in the end a receiver of webhooks is to get.
struct PacedArrivals {
  let rate: Double
  let seconds: Int

  /// From when each was due.
  struct Outcome {
    /// To the request at the receiver.
    var arrivals = LatencyHistogram()
    /// To the end of what was done.
    var replies = LatencyHistogram()
  }

  private final class Clock: Sendable {
    private let state: Mutex<(due: [ContinuousClock.Instant?], outcome: Outcome)>
    init(_ count: Int) { state = Mutex((Array(repeating: nil, count: count), Outcome())) }

    func due(_ number: Int, at instant: ContinuousClock.Instant) { state.withLock { $0.due[number] = instant } }
    func arrived(_ number: Int) {
      let now = ContinuousClock.now
      state.withLock { state in
        guard state.due.indices.contains(number), let due = state.due[number] else { return }
        state.due[number] = nil
        state.outcome.arrivals.record((now - due).wholeNanoseconds)
      }
    }
    func replied(since due: ContinuousClock.Instant) {
      let now = ContinuousClock.now
      state.withLock { $0.outcome.replies.record((now - due).wholeNanoseconds) }
    }
    var outcome: Outcome { state.withLock { $0.outcome } }
    var arrivedCount: Int { state.withLock { $0.outcome.arrivals.count } }
  }

  /// Returns once all have arrived.
  func run(
    at receiver: WebhookReceiver, _ send: @escaping @Sendable (_ number: Int, _ text: String) async throws -> Void
  ) async throws -> Outcome {
    let count = Int(rate) * seconds
    let clock = Clock(count)
    receiver.onArrival { clock.arrived($0) }
    defer { receiver.onArrival(nil) }
    var random = SplitMix64(seed: 11)
    let texts = (0..<64).map { _ in MessageText.make(&random) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      let began = ContinuousClock.now
      for number in 0..<count {
        let due = began + .nanoseconds(Int64(Double(number) / rate * 1e9))
        while ContinuousClock.now < due { try await Task.sleep(until: due, tolerance: .zero, clock: .continuous) }
        clock.due(number, at: due)
        let text = String(decoding: MessageText.prefix(number), as: UTF8.self) + texts[number % texts.count]
        group.addTask {
          try await send(number, text)
          clock.replied(since: due)
        }
      }
      try await group.waitForAll()
    }
    let deadline = ContinuousClock.now + Limits.drainTimeout
    while clock.arrivedCount < count {
      guard ContinuousClock.now < deadline else {
        throw BenchError("\(count - clock.arrivedCount) of \(count) messages did not arrive")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
    return clock.outcome
  }
}
