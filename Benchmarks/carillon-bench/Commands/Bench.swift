import ArgumentParser
import BenchReport

/// A measurement as a command of its own: it measures, prints the table, and writes the file.
protocol Bench: AsyncParsableCommand {
  /// What its options say.
  associatedtype Workload: ParsableArguments

  var workload: Workload { get }
  var report: ReportOptions { get }
  /// On which processors both sides run; nil where there is no server to be kept apart.
  var plan: CorePlan? { get }

  static func measure(_ workload: Workload) async throws -> [Measurement]
}

extension Bench {
  var plan: CorePlan? { nil }

  func run() async throws {
    try await Pinning.during(plan) {
      try await report.publish { try await Self.measure(workload) }
    }
  }
}

/// A measurement of several parts, each with a name of its own, of which `--only` chooses.
protocol BenchInParts: Bench where Workload: WorkloadInParts {
  static func measure(_ part: Workload.Part, _ workload: Workload) async throws -> [Measurement]
}

/// Options that may choose among parts.
protocol WorkloadInParts: ParsableArguments {
  associatedtype Part: CaseIterable, Equatable

  /// Empty for all.
  var only: [Part] { get }
}

extension BenchInParts {
  /// The parts in their order: memory is measured in a process that has freed nothing yet.
  static func measure(_ workload: Workload) async throws -> [Measurement] {
    var results: [Measurement] = []
    for part in Workload.Part.allCases where workload.only.isEmpty || workload.only.contains(part) {
      results += try await measure(part, workload)
    }
    return results
  }
}
