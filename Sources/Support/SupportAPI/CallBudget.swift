import Synchronization

/// Lets a burst of calls through, then one now and then.
final class CallBudget: Sendable {
  private let maximum: Int
  private let interval: Duration
  /// When the next call could be taken if each that was taken had waited for its turn.
  private let paidUpTo = Mutex<ContinuousClock.Instant?>(nil)

  /// - Parameters:
  ///   - maximum: calls at once.
  ///   - interval: after which there is room for one more.
  init(maximum: Int, interval: Duration) {
    self.maximum = max(1, maximum)
    self.interval = interval
  }

  /// Nil if the call may go on; else the seconds after which it may.
  func secondsToWait(now: ContinuousClock.Instant = .now) -> Int? {
    paidUpTo.withLock { paidUpTo in
      let begin = max(paidUpTo ?? now, now)
      let wait = now.duration(to: begin) - interval * (maximum - 1)
      guard wait <= .zero else {
        let (seconds, rest) = wait.components
        return Int(seconds) + (rest > 0 ? 1 : 0)
      }
      paidUpTo = begin + interval
      return nil
    }
  }
}
