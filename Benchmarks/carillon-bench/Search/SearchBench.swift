import ArgumentParser
import BenchReport

/// Agents' search: how fast it finds something in many lines, and what its index weighs.
struct SearchBench: Bench {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Searches in the lines of many chats, and the size of their index.",
    discussion: """
      In this process, without HTTP: a search over HTTP also reads the chats that it shows, at most 100. Half of the \
      searches see all chats, half of them one in a hundred.
      """)

  @OptionGroup var workload: Workload
  @OptionGroup var report: ReportOptions

  struct Workload: ParsableArguments {
    @Option(help: "Lines.") var lines = 1_000_000
    @Option(help: "Of each chat.") var ofEach = 15
    @Option(help: "Searches.") var searches = 2_000

    func validate() throws {
      guard (10_000...20_000_000).contains(lines), (1...10_000).contains(ofEach), (100...1_000_000).contains(searches)
      else { throw ValidationError("from 10,000 to 20,000,000 lines, and from 100 searches") }
    }
  }

  static func measure(_ workload: Workload) async throws -> [Measurement] {
    try SearchRun(lines: workload.lines, ofEach: workload.ofEach, searches: workload.searches).measure()
  }
}
