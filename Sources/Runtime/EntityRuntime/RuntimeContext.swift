/// What every entity of a process shares.
public struct RuntimeContext: Sendable {
  public let log: any EventLog
  public let time: any TimeSource
  public let timers: TimerWheel
  /// Where jobs for entities go that come from event loops and timers.
  public let lanes: Lanes
  public let limits: RuntimeLimits

  public init(
    log: any EventLog, time: any TimeSource, timers: TimerWheel, lanes: Lanes, limits: RuntimeLimits = RuntimeLimits()
  ) {
    self.log = log
    self.time = time
    self.timers = timers
    self.lanes = lanes
    self.limits = limits
  }
}

/// The bounds of the runtime.
public struct RuntimeLimits: Sendable, Equatable {
  /// Commands of one entity whose replies wait for the journal; beyond it the sender is told to come back.
  public var mailboxMaximum = 1_024
  /// How long a command that the process owes itself waits when the disk is full, before it is tried again.
  public var storageRetryMilliseconds: Int64 = 1_000

  public init() {}
}
