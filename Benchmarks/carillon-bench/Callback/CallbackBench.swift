import ArgumentParser
import BenchReport

/// The callback service: a book of very many scheduled callbacks, and what happens when many come due at once.
struct CallbackBench: BenchInParts {
  static let configuration = CommandConfiguration(
    commandName: "callback",
    abstract: "Callbacks: orders a second, bytes of a scheduled one, a second in which many are due.")

  enum Part: String, ExpressibleByArgument, CaseIterable {
    case book, due, agents
  }

  @OptionGroup var workload: Workload
  @OptionGroup var report: ReportOptions

  struct Workload: WorkloadInParts {
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

  static func measure(_ part: Part, _ workload: Workload) async throws -> [Measurement] {
    switch part {
    case .book: try await BookRun(callbacks: workload.scheduled, questions: workload.questions).measure()
    case .due: try await DueRun(callbacks: workload.due, waitsForAgents: false).measure()
    case .agents: try await DueRun(callbacks: workload.due, waitsForAgents: true).measure()
    }
  }
}
