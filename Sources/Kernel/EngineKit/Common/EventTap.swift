import EntityRuntime
import Synchronization

/// What happens somewhere, as it happens, for whoever looks. Costs nothing while nobody does.
package final class EventTap<Step: Sendable>: Sendable {
  private struct Follower {
    let wants: @Sendable (Step) -> Bool
    let feed: AsyncStream<Step>.Continuation
  }

  private struct State {
    var followers: [UInt64: Follower] = [:]
    var lastNumber: UInt64 = 0
  }

  private let state = Mutex(State())
  private let count = Atomic<Int>(0)
  private let (followersMaximum, waitingMaximum): (Int, Int)

  /// - Parameters:
  ///   - followersMaximum: readers at once.
  ///   - waitingMaximum: steps that one may lag behind before it is ended.
  package init(followersMaximum: Int, waitingMaximum: Int) {
    (self.followersMaximum, self.waitingMaximum) = (followersMaximum, waitingMaximum)
  }

  /// - Returns: the steps from now on; ended by the tap if its reader lags behind. Nil if there are too many readers.
  package func follow(where wants: @escaping @Sendable (Step) -> Bool) -> AsyncStream<Step>? {
    let (stream, feed) = AsyncStream.makeStream(of: Step.self, bufferingPolicy: .bufferingOldest(waitingMaximum))
    let number: UInt64? = state.withLock { state in
      guard state.followers.count < followersMaximum else { return nil }
      state.lastNumber += 1
      state.followers[state.lastNumber] = Follower(wants: wants, feed: feed)
      count.store(state.followers.count, ordering: .releasing)
      return state.lastNumber
    }
    guard let number else { return nil }
    feed.onEnd { [weak self] in self?.remove(number) }
    return stream
  }

  /// Ends all streams: the server stops.
  package func finish() {
    for follower in state.withLock({ Array($0.followers.values) }) { follower.feed.finish() }
  }

  package var isWatched: Bool { count.load(ordering: .acquiring) > 0 }

  /// - Parameter step: made only if somebody looks.
  package func note(_ step: () -> Step) {
    guard isWatched else { return }
    let step = step()
    var lagging: [Follower] = []
    state.withLock { state in
      for follower in state.followers.values where follower.wants(step) {
        if case .dropped = follower.feed.yield(step) { lagging.append(follower) }
      }
    }
    for follower in lagging { follower.feed.finish() }
  }

  private func remove(_ number: UInt64) {
    state.withLock { state in
      state.followers[number] = nil
      count.store(state.followers.count, ordering: .releasing)
    }
  }
}
