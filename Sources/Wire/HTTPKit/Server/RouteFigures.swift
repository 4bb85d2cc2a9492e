import EngineKit
import Metrics
import Synchronization

/// Rate, errors and durations of each route. A route that nobody has asked for has no series: all of them are
/// `RouteTable.names` times five classes of statuses, and as many histograms.
package final class RouteFigures: Sendable {
  /// Of one route; the handles are made when they are needed first.
  private final class Series: Sendable {
    private struct Handles {
      var responses = [Counter?](repeating: nil, count: 5)
      var duration: Metrics.Timer?
    }

    private let dimensions: [(String, String)]
    private let handles = Mutex(Handles())

    init(_ name: RouteTable.Name) { dimensions = [("route", name.template), ("method", name.method)] }

    func count(statusClass: Int, nanoseconds: Int64?) {
      let (counter, timer) = handles.withLock { handles in
        let counter =
          handles.responses[statusClass - 1]
          ?? Counter(EdgeMetricKeys.keys.requests, dimensions: dimensions + [("status", "\(statusClass)xx")])
        handles.responses[statusClass - 1] = counter
        if nanoseconds != nil, handles.duration == nil {
          handles.duration = Metrics.Timer(EdgeMetricKeys.keys.duration, dimensions: dimensions)
        }
        return (counter, handles.duration)
      }
      counter.increment()
      if let nanoseconds { timer?.recordNanoseconds(nanoseconds) }
    }
  }

  package let table: RouteTable
  private let series: [Series]

  package init(_ table: RouteTable) {
    self.table = table
    series = table.names.map { Series($0) }
  }

  /// - Parameter nanoseconds: from the request's head to the beginning of its answer; nil for what waits by intent.
  func count(_ route: RouteTable.Route, status: Int, nanoseconds: Int64?) {
    guard (100...599).contains(status) else { return }
    series[Int(route.number)].count(statusClass: status / 100, nanoseconds: nanoseconds)
  }
}
