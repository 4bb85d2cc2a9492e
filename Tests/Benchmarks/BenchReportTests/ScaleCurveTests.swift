import BenchReport
import Testing

@Suite("A curve of scale")
struct ScaleCurveTests {
  private func curve(_ costs: [(chats: Int, microseconds: Double)]) -> ScaleCurve {
    ScaleCurve(
      loads: costs.map {
        .init(chats: $0.chats, deliveredPerSecond: 10_000, p99: 3, microseconds: $0.microseconds, megabytes: 40)
      },
      replays: [
        .init(events: 100_000, chats: 1_000, eventsPerSecond: 1_500_000, secondsToReady: 0.2),
        .init(events: 1_000_000, chats: 1_000, eventsPerSecond: 1_700_000, secondsToReady: 0.7),
        .init(events: 1_000_000, chats: 100_000, eventsPerSecond: 660_000, secondsToReady: 1.6),
      ])
  }

  @Test("says that the cost does not grow if it does not, and that it grows if it does")
  func claim() throws {
    let level = curve([(1, 140), (100, 100), (1_000, 104), (15_000, 98)])
    #expect(try abs(#require(level.growthOfCost) - 1.04) < 1e-9)
    #expect(level.page(conditions: "Here.", command: "make").contains("it does not grow with the number of sessions"))
    let growing = curve([(1, 100), (100, 100), (1_000, 150), (15_000, 200)])
    #expect(growing.growthOfCost == 2)
    #expect(
      growing.page(conditions: "Here.", command: "make").contains(
        "2.00 times the cheapest of the smaller half: it grows. From 1,000 to 15,000 chats it changes by a factor of "
          + "1.33."))
    #expect(curve([(1, 100)]).growthOfCost == nil)
  }

  @Test("has a figure for each point and a plot for each kind, which its page shows")
  func parts() {
    let curve = curve([(1, 140), (15_000, 98)])
    #expect(curve.measurements.count == 2 * 4 + 3 * 2)
    #expect(Set(curve.measurements.map(\.name)).count == curve.measurements.count)
    #expect(curve.measurements.contains { $0.name == "scale.replay.1000000.of.100000" && $0.value == 660_000 })
    let page = curve.page(conditions: "Here.", command: "make")
    for (file, plot) in curve.plots {
      #expect(page.contains("![\(plot.title)](plots/\(file))"))
      #expect(plot.svg.contains(plot.title))
    }
    #expect(page.contains("| 1 | 10,000 | 140 | 3.00 | 40.0 |"))
    #expect(page.contains("| 15,000 | 10,000 | 98.0 | 3.00 | 40.0 |"))
    #expect(page.contains("| 1,000,000 | 100,000 | 660,000 | 1.60 |"))
  }

  @Test("is drawn again from its figures, whatever else stands beside them")
  func figures() {
    let curve = curve([(1, 140), (15_000, 98)])
    let again = ScaleCurve([Measurement("chat.p99", 1, "ms")] + curve.measurements + [Measurement("scale", 1, "")])
    #expect(again.loads == curve.loads && again.replays == curve.replays)
    #expect(ScaleCurve(Array(curve.measurements.dropFirst())).loads.map(\.chats) == [15_000])
  }

  @Test("of the replay has one line for each number of chats")
  func lines() throws {
    let replay = try #require(curve([]).plots.first { $0.file == "replay.svg" }).plot
    #expect(replay.series.map(\.name) == ["1,000 chats", "100,000 chats"])
    #expect(replay.series.map(\.points.count) == [2, 1])
  }
}
