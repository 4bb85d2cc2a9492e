import EngineKit
package import EventSourcing
import Metrics
import Synchronization

/// A line of JSON for requests, or for a part of them. Off until it is given somewhere to write.
package final class AccessLog: Sendable {
  package let sampling = AccessSampling()
  /// Takes the lines.
  private let spool = Mutex<LineSpool?>(nil)
  private let lines = Counter(EdgeMetricKeys.keys.accessLines)
  private let dropped = Counter(EdgeMetricKeys.keys.accessLinesDropped)
  private let now: @Sendable () -> Timestamp
  /// Makes ids that another process has not: no two of one process are alike.
  private let idPrefix = String(UInt64.random(in: .min ... .max), radix: 16)
  private let idCount = Atomic<UInt64>(0)

  package init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

  /// - Parameters:
  ///   - spool: nil ends the log.
  ///   - one: of so many requests one is written.
  package func write(to spool: LineSpool?, oneOf one: Int = 1) {
    self.spool.withLock { $0 = spool }
    sampling.take(spool == nil ? nil : one)
  }

  /// What the spool could not write.
  package func lost(_ lines: Int) { dropped.increment(by: lines) }

  func newID() -> String { "\(idPrefix)-\(String(idCount.wrappingAdd(1, ordering: .relaxed).newValue, radix: 16))" }

  func finish(_ entry: AccessEntry, _ names: [RouteTable.Name], nanoseconds: UInt64) {
    guard let spool = spool.withLock({ $0 }) else { return }
    if spool.append(entry.line(names, at: now(), nanoseconds: nanoseconds)) {
      lines.increment()
    } else {
      dropped.increment()
    }
  }
}
