import BenchReport
import Testing

@Suite("Figures that are kept")
struct BaselineTests {
  private var report: Report {
    var report = Report(machine: "2 × a \"processor\"", commit: "0123456789abcdef")
    report.add([
      Measurement("journal.raw.synced.1", 10_000, "events/s"),
      Measurement("journal.append.synced.64", 200_000, "events/s", settings: "64 tasks"),
      Measurement("chat.delivered", 15_000, "messages/s"),
      Measurement("restart.seconds", 0.5, "s"),
      Measurement("sleeping.bytes", 900, "bytes"),
      Measurement("push.client", 40_000, "requests/s"),
      Measurement(Yardstick.processor, 2_000_000, "steps/s"),
    ])
    return report
  }

  @Test("a report is read as it was written")
  func reads() throws {
    #expect(try Report(json: report.json) == report)
    #expect(try RecordedFigures(json: report.json) == .run(report))
  }

  @Test("a baseline has ratios: of rates and of times to the yardstick of the run, bytes as they are")
  func ratios() {
    let ratios = Baseline(report, date: "2026-11-24").ratios
    #expect(
      ratios == [
        Measurement("journal.append.synced.64", 20, "events/s by journal.raw.synced.1", settings: "64 tasks"),
        Measurement("chat.delivered", 0.0075, "messages/s by yardstick.processor"),
        Measurement("restart.seconds", 1_000_000, "s by yardstick.processor"),
        Measurement("sleeping.bytes", 900, "bytes"),
        // Its yardstick was not measured.
      ])
  }

  @Test("a baseline is read as it was written, one ratio a line")
  func baseline() throws {
    let baseline = Baseline(report, date: "2026-11-24")
    let text = String(decoding: baseline.json, as: UTF8.self)
    #expect(
      text.split(separator: "\n").contains(
        #"  {"name": "chat.delivered", "ratio": 0.0075, "unit": "messages/s by yardstick.processor", "settings": ""},"#)
    )
    #expect(try Baseline(json: baseline.json) == baseline)
    #expect(try RecordedFigures(json: baseline.json) == .baseline(baseline))
  }

  @Test("a machine of half the speed keeps the baseline, a program of half the speed does not")
  func compares() throws {
    var (slowMachine, slowProgram) = (report, report)
    slowMachine.results = report.results.map {
      Measurement($0.name, $0.unit == "s" ? $0.value * 2 : $0.unit == "bytes" ? $0.value : $0.value / 2, $0.unit)
    }
    slowProgram.results = report.results.map {
      Measurement($0.name, $0.name == "chat.delivered" ? $0.value / 2 : $0.value, $0.unit)
    }
    let baseline = RecordedFigures.baseline(Baseline(report, date: "2026-11-24"))
    #expect(RecordedFigures.compare(baseline, .run(slowMachine)).broken.isEmpty)
    #expect(RecordedFigures.compare(baseline, .run(slowProgram)).broken.map(\.name) == ["chat.delivered"])
    // Two runs are compared by their figures.
    #expect(!RecordedFigures.compare(.run(report), .run(slowMachine)).broken.isEmpty)
  }

  @Test(
    "a file of something else is refused with a reason",
    arguments: [
      ("", "is not JSON"), ("[]", "has no results, machine and commit"),
      (#"{"results":[{"name":"a"}],"machine":"m","commit":"c"}"#, "has a result without name, value or unit"),
    ])
  func refused(text: String, reason: String) {
    let error = #expect(throws: UnreadableReport.self) { try RecordedFigures(json: Array(text.utf8)) }
    #expect(error?.description.hasPrefix(reason) == true)
  }
}
