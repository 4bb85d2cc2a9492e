public import EventSourcing
import Synchronization

/// The first deadlines of entities that a restart left asleep: 24 bytes each, and one timer for all of them.
///
/// An entity that is woken starts its timers itself; what it waits for until then is here.
public final class WakeList: Sendable {
  public typealias Wake = @Sendable (_ key: String) -> Void

  /// The latest deadline first: what is due is taken from the end.
  private let waiting: Mutex<[(deadline: Timestamp, key: String)]>
  private let context: RuntimeContext
  private let wake: Wake

  /// - Parameter wake: called at the deadline, on the ticking task; must be quick.
  public init(_ deadlines: [(deadline: Timestamp, key: String)], context: RuntimeContext, wake: @escaping Wake) {
    waiting = Mutex(deadlines.sorted { ($0.deadline, $0.key) > ($1.deadline, $1.key) })
    self.context = context
    self.wake = wake
  }

  /// Starts the timer of the earliest deadline, which keeps the list alive; nothing if the list is empty.
  public func start() {
    guard let next = waiting.withLock({ $0.last?.deadline }) else { return }
    let delay = next.milliseconds.subtractingReportingOverflow(context.time.now.milliseconds).partialValue
    _ = context.timers.schedule(afterMilliseconds: delay) { [self] in
      for key in due() { wake(key) }
      start()
    }
  }

  private func due() -> [String] {
    let now = context.time.now
    return waiting.withLock { waiting in
      var due: [String] = []
      while let last = waiting.last, last.deadline <= now {
        due.append(last.key)
        waiting.removeLast()
      }
      return due
    }
  }
}
