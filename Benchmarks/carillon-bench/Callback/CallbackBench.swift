import ArgumentParser

/// The callback service: a book of very many scheduled callbacks, and what happens when many come due at once.
struct CallbackBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "callback",
    abstract: "Callbacks: orders a second, bytes of a scheduled one, a second in which many are due.")

  enum Part: String, ExpressibleByArgument, CaseIterable {
    case book, due, agents
  }

  @OptionGroup var workload: Workload
  @OptionGroup var report: ReportOptions

  struct Workload: ParsableArguments {
    @Option(help: "Only these: book, due, agents.") var only: [Part] = []
    @Option(help: "Scheduled callbacks in the book.") var scheduled = 1_000_000
    @Option(help: "Callbacks that fall due in the same second.") var due = 10_000
    @Option(help: "Questions for the free slots of 30 days.") var questions = 1_000

    func validate() throws {
      guard [scheduled, due, questions].allSatisfy({ $0 > 0 }), scheduled <= 1_900_000, due <= 100_000,
        questions <= 100_000
      else {
        throw ValidationError("at most 1,900,000 scheduled callbacks, 100,000 due at once, 100,000 questions")
      }
    }
  }

  func run() async throws {
    var results = Report()
    results.add(try await Self.measure(workload))
    try report.publish(results)
  }

  static func measure(_ workload: Workload) async throws -> [Measurement] {
    var results: [Measurement] = []
    // In this order: memory is measured in a process that has freed nothing yet.
    for part in Part.allCases where workload.only.isEmpty || workload.only.contains(part) {
      results += try await measure(part, workload)
    }
    return results
  }

  private static func measure(_ part: Part, _ workload: Workload) async throws -> [Measurement] {
    switch part {
    case .book: try await BookRun(callbacks: workload.scheduled, questions: workload.questions).measure()
    case .due: try await DueRun(callbacks: workload.due, waitsForAgents: false).measure()
    case .agents: try await DueRun(callbacks: workload.due, waitsForAgents: true).measure()
    }
  }
}
