import BenchReport
import Testing

@Suite("Several rounds of a measurement")
struct RoundsTests {
  private func round(_ delivered: Double, _ p99: Double) -> [Measurement] {
    [
      Measurement("chat.delivered", delivered, "messages/s", settings: "round with \(Int(delivered))"),
      Measurement("chat.p99", p99, "ms"),
    ]
  }

  @Test("each figure is the median of its own, with the least and the greatest")
  func medians() {
    let figures = Rounds.medians([round(12_000, 3), round(15_000, 28), round(9_000, 4)])
    #expect(
      figures == [
        Measurement(
          "chat.delivered", 12_000, "messages/s", settings: "round with 12000",
          spread: Spread(least: 9_000, greatest: 15_000, rounds: 3)),
        Measurement("chat.p99", 4, "ms", spread: Spread(least: 3, greatest: 28, rounds: 3)),
      ])
  }

  @Test("of an even number the two in the middle share it")
  func even() {
    #expect(Rounds.medians([round(100, 1), round(90, 2)]).map(\.value) == [95, 1.5])
  }

  @Test("one round stays as it is")
  func one() {
    #expect(Rounds.medians([round(100, 1)]) == round(100, 1))
    #expect(Rounds.medians([]).isEmpty)
  }

  @Test("a figure that a round lacks is the median of the others")
  func missing() {
    let figures = Rounds.medians([round(1, 1), round(2, 2) + [Measurement("new", 7, "s")], round(3, 3)])
    #expect(figures.map(\.name) == ["chat.delivered", "chat.p99", "new"])
    #expect(figures.last == Measurement("new", 7, "s"))
  }

  @Test("the table says how far they lie apart, and the file too")
  func told() throws {
    var report = Report(
      machine: "m", commit: "c", kernel: "6.1.0", date: "2026-11-24", arguments: ["chat", "--rounds", "3"])
    report.add(Rounds.medians([round(12_000, 3), round(15_000, 28), round(9_000, 4)]))
    #expect(report.table.contains("12,000 messages/s  median of 3, 9,000-15,000; round with 12000"))
    #expect(try Report(json: report.json) == report)
  }

  @Test("a file of a program that said less of its conditions is read all the same")
  func older() throws {
    let text = #"{"results":[{"name":"chat.p99","value":3.5,"unit":"ms","settings":""}],"machine":"m","commit":"c"}"#
    let report = try Report(json: Array(text.utf8))
    #expect(report.results == [Measurement("chat.p99", 3.5, "ms")])
    #expect((report.kernel, report.date, report.arguments) == ("", "", []))
  }
}
