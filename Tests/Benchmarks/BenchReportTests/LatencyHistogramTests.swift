import BenchReport
import Testing

@Suite("Latencies in a histogram")
struct LatencyHistogramTests {
  /// 1 to 10,000 µs, the slow ones first.
  private let latencies = LatencyHistogram((1...10_000).reversed().map { $0 * 1_000 })

  @Test(
    "percentiles are those of all values, to three digits",
    arguments: [(50.0, 5.0), (90, 9), (99, 9.9), (99.9, 9.99), (100, 10)])
  func percentiles(percent: Double, milliseconds: Double) {
    #expect(abs(latencies[percent] / milliseconds - 1) <= 0.001)
  }

  @Test("the maximum is exact, and no percentile is beyond it")
  func maximum() {
    let one = LatencyHistogram([123_456_789])
    #expect(one.maximum == 123.456789)
    #expect(one[99.9] <= one.maximum)
    #expect(latencies.count == 10_000)
  }

  @Test("of nothing everything is nothing")
  func empty() {
    let nothing = LatencyHistogram()
    #expect((nothing.count, nothing[50], nothing[100], nothing.maximum) == (0, 0, 0, 0))
  }

  @Test("what is out of its range is counted at its end", arguments: [-5, 0, 86_400_000_000_000] as [Int64])
  func range(nanoseconds: Int64) {
    let one = LatencyHistogram([nanoseconds])
    #expect(one.count == 1)
    #expect(one[50] <= 3_600_000 * 1.001)
    #expect(one.maximum == max(0, Double(nanoseconds) / 1_000_000))
  }

  @Test("many that took equally long count each")
  func many() {
    var many = LatencyHistogram([9_000_000])
    many.record(2_000_000, count: 98)
    many.record(5_000_000, count: 0)
    #expect((many.count, many.maximum) == (99, 9))
    #expect(abs(many[98] - 2) <= 0.002 && abs(many[100] - 9) <= 0.009)
  }

  @Test("one that is emptied begins anew")
  func removeAll() {
    var latencies = self.latencies
    latencies.removeAll()
    latencies.record(2_000_000)
    #expect(latencies.count == 1)
    #expect(latencies.maximum == 2)
    #expect(abs(latencies[99] - 2) <= 0.002)
  }

  @Test("it is told as four figures, the bar at p99")
  func measurements() {
    let figures = latencies.measurements("chat", settings: "all", p99: "target")
    #expect(figures.map(\.name) == ["chat.p50", "chat.p99", "chat.p99.9", "chat.max"])
    #expect(figures.map(\.settings) == ["all", "target", "all", "the slowest of 10000"])
    #expect(figures.allSatisfy { $0.unit == "ms" })
  }
}
