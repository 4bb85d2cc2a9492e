import Testing

@testable import PrometheusMetrics

@Suite("What the system says of a process")
struct ProcessFiguresTests {
  static let line =
    "4711 (a) b (c)) S 1 2 3 4 5 6 7 8 9 10 250 50 13 14 20 0 33 0 12345 99 678 18446744073709551615 1 1"

  @Test("is read behind its name, whatever that holds")
  func stat() throws {
    let stat = try #require(ProcessStat(Self.line))
    #expect((stat.cpuTicks, stat.startTicks, stat.residentPages) == (300, 12_345, 678))
  }

  @Test(
    "is nothing where the line is none",
    arguments: [
      "", "4711", "4711 (a) S 1 2 3", ProcessFiguresTests.line.replacing(" 250 ", with: " x "),
      ProcessFiguresTests.line.replacing(" 678 ", with: " -1 "),
    ])
  func noStat(line: String) { #expect(ProcessStat(line) == nil) }

  @Test("knows when the system was started")
  func boot() {
    #expect(ProcessStat.bootSeconds("cpu 1 2\nbtime 1700000000\nprocesses 3\n") == 1_700_000_000)
    #expect(ProcessStat.bootSeconds("cpu 1 2\n") == nil)
  }

  #if os(Linux)
    @Test("is there for this process, and within reason")
    func own() throws {
      let figures = try #require(ProcessFigures.current())
      #expect(figures.cpuSeconds >= 0 && figures.residentBytes > 1_000_000)
      #expect(figures.startSeconds > 1_700_000_000)
      #expect(figures.openFiles >= 3 && figures.openFiles <= figures.openFilesMaximum)
    }
  #endif
}
