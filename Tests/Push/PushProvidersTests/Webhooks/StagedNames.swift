import NetworkAddress
import Synchronization

@testable import PushProviders

/// A name server whose answers are written beforehand, with a clock that stands still until it is set forward.
final class StagedNames: NameResolver {
  private struct State {
    var answers: [String: [[String]]]
    var asked: [String] = []
    var offset: Duration = .zero
    var held: [@Sendable () -> Void] = []
    var isHolding = false
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let start = ContinuousClock.now
  private let state: Mutex<State>

  /// - Parameter answers: for each name what each look-up finds; the last answer stays.
  init(_ answers: [String: [[String]]]) { state = Mutex(State(answers: answers)) }

  var now: ContinuousClock.Instant { start + state.withLock { $0.offset } }
  var asked: [String] { state.withLock { $0.asked } }

  func advance(by duration: Duration) { state.withLock { $0.offset += duration } }

  /// Look-ups hang from now on.
  func hold() { state.withLock { $0.isHolding = true } }

  func release() {
    let held = state.withLock { state in
      state.isHolding = false
      defer { state.held = [] }
      return state.held
    }
    for completion in held { completion() }
  }

  func waitUntilAsked(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.asked.count >= count { return true }
        state.watchers.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  func resolve(_ host: String, _ completion: @escaping @Sendable ([IPAddress]) -> Void) {
    let (answer, isHolding, woken) = state.withLock { state in
      state.asked.append(host)
      var answers = state.answers[host] ?? []
      let answer = (answers.first ?? []).compactMap { IPAddress($0) }
      if answers.count > 1 { answers.removeFirst() }
      state.answers[host] = answers
      if state.isHolding { state.held.append { completion(answer) } }
      let woken = state.watchers.filter { $0.count <= state.asked.count }.map(\.continuation)
      state.watchers.removeAll { $0.count <= state.asked.count }
      return (answer, state.isHolding, woken)
    }
    for continuation in woken { continuation.resume() }
    if !isHolding { completion(answer) }
  }

  func shutdown() {}
}
