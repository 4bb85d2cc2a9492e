package import Bayeux
package import EntityRuntime
import Synchronization

/// Who waits for a push to be written to one of the Comet sessions that it was queued in.
package final class WriteReceipts: Sendable {
  /// No service id begins like this, and service ids are all the other sources of marks.
  private static let source = "push/"

  private typealias Waiter = CheckedContinuation<Bool, Never>
  /// Nil once the server stops: nobody is written to any more.
  private let waiters = Mutex<[String: Waiter]?>([:])

  init() {}

  package static func mark(of push: String) -> DeliveryMark {
    DeliveryMark(source: source + push, position: 1, isOfTranscript: false)
  }

  /// True once a session has written the push that `begin` queues; false if none has within `limit` milliseconds.
  package func receipt(
    of push: String, within limit: Int64, timers: TimerWheel, _ begin: () -> Void
  ) async -> Bool {
    await withCheckedContinuation { (waiter: Waiter) in
      let isOpen = waiters.withLock { waiters in
        waiters?[push] = waiter
        return waiters != nil
      }
      guard isOpen else { return waiter.resume(returning: false) }
      _ = timers.schedule(afterMilliseconds: limit) { [weak self] in self?.take(push)?.resume(returning: false) }
      begin()
    }
  }

  /// A session has written what carries this mark. - Returns: false for a chat's mark.
  func confirm(_ mark: DeliveryMark) -> Bool {
    guard mark.source.hasPrefix(Self.source) else { return false }
    take(String(mark.source.dropFirst(Self.source.count)))?.resume(returning: true)
    return true
  }

  /// Nobody waits any longer, from here on either.
  func stop() {
    let left = waiters.withLock { waiters in
      defer { waiters = nil }
      return waiters ?? [:]
    }
    for waiter in left.values { waiter.resume(returning: false) }
  }

  private func take(_ push: String) -> Waiter? { waiters.withLock { $0?.removeValue(forKey: push) } }
}
