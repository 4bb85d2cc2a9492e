import EntityRuntime
import EventSourcing
import PushDomain
import Synchronization

/// Those who wait for the end of a push: the operator's test, for a while.
final class PushWaiters: Sendable {
  private typealias Waiter = CheckedContinuation<(FinalPushOutcome, attempts: Int)?, Never>
  private let waiters = Mutex<[PushID: Waiter]>([:])

  init() {}

  /// The end of a push that `begin` sets on its way; nil if it does not come within `limit`, or `begin` says false.
  func end(
    of id: PushID, within limit: Duration, timers: TimerWheel, _ begin: @Sendable () async -> Bool
  ) async -> (FinalPushOutcome, attempts: Int)? {
    async let end = withCheckedContinuation { (waiter: Waiter) in
      waiters.withLock { $0[id] = waiter }
      _ = timers.schedule(afterMilliseconds: limit.wholeMilliseconds) { [weak self] in
        self?.take(id)?.resume(returning: nil)
      }
    }
    // What ends before its waiter stands would not be heard of.
    while !waiters.withLock({ $0[id] != nil }) { await Task.yield() }
    if await !begin() { take(id)?.resume(returning: nil) }
    return await end
  }

  func settled(_ id: PushID, _ outcome: FinalPushOutcome, attempts: Int) {
    take(id)?.resume(returning: (outcome, attempts))
  }

  private func take(_ id: PushID) -> Waiter? { waiters.withLock { $0.removeValue(forKey: id) } }
}
