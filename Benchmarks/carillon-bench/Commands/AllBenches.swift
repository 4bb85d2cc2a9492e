import ArgumentParser
import BenchReport

/// Every measurement with its usual settings, one after another.
struct AllBenches: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "all", abstract: "Every measurement with its usual settings.")

  @OptionGroup var report: ReportOptions

  func run() async throws {
    try await report.publish { try await Self.measure() }
  }

  private static func measure() async throws -> [Measurement] {
    var results: [Measurement] = []
    // Pushes first: what a waiting one weighs is asked of a fresh process.
    if PushBench.isPossible {
      results += try await PushBench.measure(try .parse([]))
    } else {
      Terminal.note("push: left out, since nghttpd or openssl is not installed")
    }
    results += try await JournalBench.measure(try .parse([]))
    results += try await ChatBench.measure(try .parse([]), server: try .parse([]))
    results += try await IdleBench.measure(try .parse([]))
    results += try await RestartBench.measure(try .parse([]))
    if GCMBench.isPossible {
      results += try await GCMBench.measure(try .parse([]))
    } else {
      Terminal.note("gcm: left out, since openssl is not installed")
    }
    results += try await MicroBench.measure(try .parse([]))
    // The short forms: the whole book and the whole stock take minutes.
    results += try await CallbackBench.measure(try .parse(["--scheduled", "100000"]))
    results += try await SupportBench.measure(try .parse(["--requests", "10000"]))
    results += try await ConsoleBench.measure(try .parse(["--listed", "10000"]))
    results += try await SearchBench.measure(try .parse([]))
    results += try await EvidenceBench.measure(try .parse(["--events", "1000000"]))
    results += try await StandbyBench.measure(try .parse(["--pairs", "1"]))
    return results
  }
}
