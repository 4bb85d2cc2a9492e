package import EngineKit
import Metrics
import Synchronization

/// A number of things that are open, counted against a limit from every event loop.
package final class OpenCount: Sendable {
  private let count = Atomic<Int>(0)
  private let gauge: Gauge?

  /// - Parameter metric: what shows it; nil for a number that only bounds something.
  package init(_ metric: MetricKey? = nil, dimensions: [(String, String)] = []) {
    gauge = metric.map { Gauge($0, dimensions: dimensions) }
  }

  package var current: Int { count.load(ordering: .relaxed) }

  /// False at the limit; then nothing is counted.
  @discardableResult
  package func open(limit: Int = .max) -> Bool {
    let (_, new) = count.add(1, ordering: .relaxed)
    guard new <= limit else {
      count.subtract(1, ordering: .relaxed)
      return false
    }
    gauge?.record(new)
    return true
  }

  package func close() {
    let (_, new) = count.subtract(1, ordering: .relaxed)
    gauge?.record(new)
  }
}
