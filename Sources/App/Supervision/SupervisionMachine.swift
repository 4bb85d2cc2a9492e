/// How far a start has come in reading what is stored.
package struct StartProgress: Equatable, Sendable {
  package let segmentsRead: Int
  package let segmentCount: Int
  package let records: UInt64

  package init(segmentsRead: Int, segmentCount: Int, records: UInt64) {
    self.segmentsRead = segmentsRead
    self.segmentCount = segmentCount
    self.records = records
  }

  /// For people.
  var description: String {
    segmentCount == 0
      ? "opening the journal"
      : "reading the journal: segment \(segmentsRead) of \(segmentCount), \(records) records"
  }
}

/// When a service manager is told what. The clock is an input; what comes out is to be sent at once.
///
/// ```
///   starting ──ready──> serving ──stop──> stopping
///      │ tick              │ tick            │ tick
///      status, more time   sign of life,     sign of life
///      while it moves      if it answers
/// ```
package struct SupervisionMachine: Sendable {
  package enum Phase: Sendable {
    case starting, serving, stopping
  }

  /// What a start has from each step forward to the next: one that stands still for longer is the manager's to end.
  package static let standstillMaximum = Duration.seconds(300)

  package private(set) var phase = Phase.starting
  private let watchdog: WatchdogInterval?
  private var told: StartProgress?
  /// What is shown once a reload is over.
  private var served = ""

  /// - Parameter watchdog: nil: nobody waits for signs of life.
  package init(watchdog: WatchdogInterval?) { self.watchdog = watchdog }

  /// Time has passed.
  /// - Parameter answers: whether the engine has answered since the last tick.
  package mutating func tick(_ progress: StartProgress, answers: Bool) -> [ServiceNotice] {
    switch phase {
    case .starting:
      guard progress != told else { return [] }
      told = progress
      return [.status(progress.description), .extendTimeout(Self.standstillMaximum)]
    case .serving: return watchdog != nil && answers ? [.watchdog] : []
    // The engine lets go of its loops before the last record is on the disk; the manager bounds the whole of a stop.
    case .stopping: return watchdog != nil ? [.watchdog] : []
    }
  }

  /// The start is over. Nothing is said if a stop came first.
  package mutating func becameReady(_ status: String) -> [ServiceNotice] {
    guard phase == .starting else { return [] }
    phase = .serving
    served = status
    return [.ready, .status(status)] + (watchdog != nil ? [.watchdog] : [])
  }

  /// A reload begins. While it starts the manager waits for one thing only: that would be taken for it.
  package func reloads(atMonotonicMicroseconds now: UInt64) -> [ServiceNotice] {
    phase == .serving
      ? [.reloading(monotonicMicroseconds: now), .status("reading the configuration again")] : []
  }

  /// The reload is over, well or not.
  package func reloaded(refused: Bool) -> [ServiceNotice] {
    guard phase == .serving else { return [] }
    return [.ready, .status(refused ? "\(served); a configuration was refused, the one before is in force" : served)]
  }

  package mutating func stops() -> [ServiceNotice] {
    guard phase != .stopping else { return [] }
    phase = .stopping
    return [.stopping, .status("stopping: answers what is held and syncs the journal")]
  }
}
