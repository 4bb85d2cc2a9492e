import Logging
import Synchronization

/// The level below which no record is written, for all loggers at once: SIGHUP may move it while the server runs.
final class LogLevelSwitch: Sendable {
  private let severity: Atomic<Int>

  init(_ level: Logger.Level) { severity = Atomic(Self.severity(of: level)) }

  var level: Logger.Level {
    get {
      let index = severity.load(ordering: .relaxed)
      return Logger.Level.allCases.first { Self.severity(of: $0) == index } ?? .info
    }
    set { severity.store(Self.severity(of: newValue), ordering: .relaxed) }
  }

  private static func severity(of level: Logger.Level) -> Int {
    switch level {
    case .trace: 0
    case .debug: 1
    case .info: 2
    case .notice: 3
    case .warning: 4
    case .error: 5
    case .critical: 6
    }
  }
}
