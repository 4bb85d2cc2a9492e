import BenchReport
import Testing

@Suite("The slowest second")
struct SecondsTraceTests {
  private func second(_ number: Int, _ milliseconds: [Int64], _ readings: [Reading] = []) -> TracedSecond {
    TracedSecond(number: number, LatencyHistogram(milliseconds.map { $0 * 1_000_000 }), readings)
  }

  @Test("it is the one with the highest p99; the median one is in the middle")
  func slowest() throws {
    let trace = try #require(SecondsTrace([second(1, [3]), second(2, [28]), second(3, [4])]))
    #expect(trace.slowest.number == 2)
    #expect(trace.median.number == 3)
    #expect(trace.p99s.map { $0.rounded() } == [3, 28, 4])
  }

  @Test("nothing is slower than a second in which nothing arrived")
  func silence() throws {
    let trace = try #require(SecondsTrace([second(1, [3]), second(2, []), second(3, [1_500])]))
    #expect(trace.slowest.number == 2)
    #expect(trace.median.number == 3)
  }

  @Test("of seconds with one p99 the maximum decides")
  func maximum() throws {
    let usual = [Int64](repeating: 5, count: 1_000)
    let trace = try #require(SecondsTrace([second(1, usual + [40]), second(2, usual), second(3, usual + [30])]))
    #expect((trace.slowest.number, trace.median.number) == (1, 3))
  }

  @Test("one second has none to be compared with")
  func one() {
    #expect(SecondsTrace([second(1, [3])]) == nil)
    #expect(SecondsTrace([]) == nil)
  }

  @Test("both are told side by side, what only one of them has too")
  func table() throws {
    let trace = try #require(
      SecondsTrace([
        second(1, [2], [Reading("disk.flush ms", 0.5), Reading("pressure.io ms", 1)]),
        second(2, [28], [Reading("server.faults.major", 3), Reading("disk.flush ms", 24)]),
      ]))
    #expect(
      trace.table == """
                             slowest  median
        second                     2       1
        arrived                    1       1
        p50 ms                  28.0    2.00
        p99 ms                  28.0    2.00
        max ms                  28.0    2.00
        server.faults.major     3.00       -
        disk.flush ms           24.0    0.50
        pressure.io ms             -    1.00
        """)
  }

  @Test("it goes with its figure through the file, and the rounds keep the slowest of all")
  func kept() throws {
    func p99(_ milliseconds: Int64) -> [Measurement] {
      let trace = SecondsTrace([second(1, [2], [Reading("a \"name\"", 0.25)]), second(2, [milliseconds])])
      return LatencyHistogram([milliseconds * 1_000_000]).measurements("chat", settings: "", trace: trace)
    }
    var report = Report(machine: "m", commit: "c")
    report.add(Rounds.medians([p99(3), p99(28), p99(4)]))
    let figure = try #require(report.results.first { $0.name == "chat.p99" })
    #expect(figure.trace?.slowest.maximum == 28)
    #expect(report.results.filter { $0.trace != nil }.count == 1)
    #expect(try Report(json: report.json) == report)
    #expect(report.table.contains("chat.p99, the slowest second beside the median one:\n"))
  }
}
