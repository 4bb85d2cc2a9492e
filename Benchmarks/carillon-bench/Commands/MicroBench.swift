import ArgumentParser
import BenchReport

/// The operations that a message is made of, one by one: how long each takes, and what it allocates.
struct MicroBench: Bench {
  static let configuration = CommandConfiguration(
    commandName: "micro", abstract: "Nanoseconds and allocations of the operations on a message's way.",
    discussion: """
      Allocations are what jemalloc was asked for in this process, 1,000 operations after 1,000 that warmed up; they hardly \
      vary, so that one more is seen.
      """)

  @OptionGroup var workload: Workload
  @OptionGroup var report: ReportOptions

  struct Workload: ParsableArguments {
    @Option(help: "Milliseconds of each.") var milliseconds = 500

    func validate() throws {
      guard (10...60_000).contains(milliseconds) else { throw ValidationError("from 10 to 60,000 milliseconds") }
    }
  }

  static func measure(_ workload: Workload) async throws -> [Measurement] {
    Terminal.note("micro: \(workload.milliseconds) ms each")
    return try (MicroCase.wire + MicroCase.core).flatMap { part in
      try part.measure(for: .milliseconds(workload.milliseconds))
    }
  }
}
