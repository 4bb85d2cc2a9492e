import BenchReport
import Testing

@Suite("Figures as rows of a page")
struct FigureTableTests {
  private let table = FigureTable(
    "A load (`carillon-bench load`)",
    [
      FigureTable.Row("p50, p99, at this rate", ["load.p50", "load.p99", "load.rate"], bar: "p99 50 ms"),
      FigureTable.Row("memory", ["load.bytes"]),
    ])
  private let load = [
    Measurement("load.rate", 5_003, "events/s"), Measurement("load.p50", 3.14, "ms"),
    Measurement("load.p99", 12.5, "ms"),
  ]

  @Test("a row has its figures in its own order, those that follow each other with one unit, and its bar")
  func rows() {
    #expect(
      table.markdown(load + [Measurement("load.bytes", 1_970, "bytes")]) == """
        | A load (`carillon-bench load`) | reached | bar |
        |---|---|---|
        | p50, p99, at this rate | 3.14, 12.5 ms, 5,003 events/s | p99 50 ms |
        | memory | 1,970 bytes |  |
        """)
  }

  @Test("a row that lacks a figure is left out")
  func missing() {
    #expect(table.markdown(load).split(separator: "\n").count == 3)
    #expect(table.markdown(Array(load.dropLast())).split(separator: "\n").count == 2)
  }

  @Test("of several rounds the least and the greatest stand behind the median")
  func rounds() {
    let figures = [
      Measurement("load.bytes", 110, "bytes", spread: Spread(least: 100, greatest: 120, rounds: 3))
    ]
    #expect(table.markdown(figures).hasSuffix("| memory | 110 (100-120) bytes |  |"))
  }
}
