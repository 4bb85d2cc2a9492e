/// The straight line that fits best to some points, by least squares.
package struct Trend: Sendable, Equatable {
  package let slope: Double
  /// At x = 0.
  package let intercept: Double

  /// Level if there are fewer than two points, or all have one x.
  package init(_ points: [(x: Double, y: Double)]) {
    let count = Double(max(points.count, 1))
    let x = points.reduce(0) { $0 + $1.x } / count
    let y = points.reduce(0) { $0 + $1.y } / count
    let covariance = points.reduce(0) { $0 + ($1.x - x) * ($1.y - y) }
    let variance = points.reduce(0) { $0 + ($1.x - x) * ($1.x - x) }
    slope = variance > 0 ? covariance / variance : 0
    intercept = y - slope * x
  }

  /// Through the lowest of each so many points in a row: what comes and goes in between does not count.
  package init(lowest points: [(x: Double, y: Double)], ofEach count: Int) {
    let stretches = stride(from: 0, to: points.count, by: count).map { points[$0..<min($0 + count, points.count)] }
    self.init(stretches.compactMap { $0.min { $0.y < $1.y } })
  }
}
