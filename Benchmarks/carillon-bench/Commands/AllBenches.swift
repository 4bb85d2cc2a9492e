import ArgumentParser

/// Every measurement with its usual settings, one after another.
struct AllBenches: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "all", abstract: "Every measurement with its usual settings.")

  @OptionGroup var report: ReportOptions

  func run() async throws {
    var results = Report()
    results.add(try await JournalBench.measure(try .parse([])))
    results.add(try await ChatBench.measure(try .parse([]), server: try .parse([])))
    results.add(try await IdleBench.measure(try .parse([])))
    results.add(try await RestartBench.measure(try .parse([])))
    try report.publish(results)
  }
}
