import Synchronization

/// What every entity of a partition shares; what stands above several has one whose log joins theirs. A class: there may be a million entities, each of which refers to it.
public final class RuntimeContext: Sendable {
  public let log: any EventLog
  public let time: any TimeSource
  public let timers: TimerWheel
  /// Where jobs for entities go that come from event loops and timers.
  public let lanes: Lanes
  public let limits: RuntimeLimits
  /// Counts the looks for idle entities; an entity notes the number that it was used at.
  let sweepNumber = Atomic<UInt32>(0)
  /// A sleeping state that was written cannot be read any more: as final as a journal that cannot be written.
  let onLostState: @Sendable (_ description: String) -> Void

  public init(
    log: any EventLog, time: any TimeSource, timers: TimerWheel, lanes: Lanes, limits: RuntimeLimits = RuntimeLimits(),
    onLostState: @escaping @Sendable (_ description: String) -> Void = { _ in }
  ) {
    self.log = log
    self.time = time
    self.timers = timers
    self.lanes = lanes
    self.limits = limits
    self.onLostState = onLostState
  }

  /// Begins another look for idle entities.
  public func beginSweep() { sweepNumber.add(1, ordering: .relaxed) }
}

extension RuntimeContext {
  /// Returns once everything appended so far is durable. - Throws: `.failed` if it is lost.
  public func untilDurable() async throws(EventLogError) {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<Void, EventLogError>, Never>) in
      do throws(EventLogError) {
        try log.afterDurable { continuation.resume(returning: $0 == .durable ? .success(()) : .failure(.failed)) }
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
    try result.get()
  }
}

/// The bounds of the runtime.
public struct RuntimeLimits: Sendable, Equatable {
  /// Commands of one entity whose replies wait for the journal; beyond it the sender is told to come back.
  public var mailboxMaximum = 1_024
  /// How long a command that the process owes itself waits when the disk is full, before it is tried again.
  public var storageRetryMilliseconds: Int64 = 1_000

  /// Commands of one entity that wait for room; the process owes them to itself, so this is seldom reached.
  public var deferredMaximum = 4_096

  public init() {}
}
