import ArgumentParser

/// Every measurement with its usual settings, one after another.
struct AllBenches: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "all", abstract: "Every measurement with its usual settings.")

  @OptionGroup var report: ReportOptions

  func run() async throws {
    var results = Report()
    // Pushes first: what a waiting one weighs is asked of a fresh process.
    if PushBench.isPossible {
      results.add(try await PushBench.measure(try .parse([])))
    } else {
      Terminal.note("push: left out, since nghttpd or openssl is not installed")
    }
    results.add(try await JournalBench.measure(try .parse([])))
    results.add(try await ChatBench.measure(try .parse([]), server: try .parse([])))
    results.add(try await IdleBench.measure(try .parse([])))
    results.add(try await RestartBench.measure(try .parse([])))
    if GCMBench.isPossible {
      results.add(try await GCMBench.measure(try .parse([])))
    } else {
      Terminal.note("gcm: left out, since openssl is not installed")
    }
    // The short forms: the whole book and the whole stock take minutes.
    results.add(try await CallbackBench.measure(try .parse(["--scheduled", "100000"])))
    results.add(try await SupportBench.measure(try .parse(["--requests", "10000"])))
    try report.publish(results)
  }
}
