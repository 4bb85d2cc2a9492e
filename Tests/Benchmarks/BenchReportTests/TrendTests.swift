import BenchReport
import Testing

@Suite("The line through some points")
struct TrendTests {
  @Test("goes through points that lie on one")
  func exact() {
    let trend = Trend([(0, 3), (1, 5), (2, 7), (10, 23)])
    #expect(abs(trend.slope - 2) < 1e-12)
    #expect(abs(trend.intercept - 3) < 1e-12)
  }

  @Test("is the one with the least squares of what is left over")
  func leastSquares() {
    // By hand: the means are 2 and 3, the sums of products 4 and of squares 2.
    #expect(Trend([(1, 1), (2, 3), (3, 5)]).slope == 2)
    let trend = Trend([(0, 0), (1, 2), (2, 1), (3, 3)])
    #expect(abs(trend.slope - 0.8) < 1e-12)
    #expect(abs(trend.intercept - 0.3) < 1e-12)
  }

  @Test("is level where there is nothing to tell a slope from", arguments: [[], [(4.0, 7.0)], [(4, 7), (4, 9)]])
  func level(points: [(Double, Double)]) {
    #expect(Trend(points.map { (x: $0.0, y: $0.1) }).slope == 0)
  }

  @Test("what is high for a while is no growth, what stays is")
  func lowest() {
    let level = [10.0, 90, 10, 10, 70, 40, 10, 10, 130, 95, 60, 10].enumerated().map {
      (x: Double($0.offset), y: $0.element)
    }
    #expect(Trend(lowest: level, ofEach: 3).slope == 0)
    let rising = level.map { (x: $0.x, y: $0.y + 2 * $0.x) }
    #expect(Trend(lowest: rising, ofEach: 3).slope > 1.5)
    #expect(Trend(lowest: [], ofEach: 3).slope == 0)
  }
}
