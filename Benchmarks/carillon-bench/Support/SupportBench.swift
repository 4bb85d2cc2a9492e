import ArgumentParser
import BenchReport

/// Support requests: lists of a large stock, the way from an agent's comment to the webhook, and dead devices by bulk.
struct SupportBench: BenchInParts {
  static let configuration = CommandConfiguration(
    commandName: "support",
    abstract: "Support requests: lists of one's own, an agent's comment to the webhook, bulk unregistration.")

  enum Part: String, ExpressibleByArgument, CaseIterable {
    case list, notice, bulk
  }

  @OptionGroup var workload: Workload
  @OptionGroup var report: ReportOptions

  struct Workload: WorkloadInParts {
    @Option(help: "Only these: list, notice, bulk.") var only: [Part] = []
    @Option(help: "Requests in the stock.") var requests = 100_000
    @Option(help: "Comments of each.") var comments = 10
    @Option(help: "Requests of each user: one page.") var ofEach = 100
    @Option(help: "Lists that are asked for.") var questions = 1_000
    @Option(help: "Agents' comments a second.") var rate = 1_000.0
    @Option(help: "Requests that they are on, each of another user with two devices.") var answered = 1_000
    @Option(help: "Seconds of agents' comments.") var seconds = 10
    @Option(help: "Tokens in one call that unregisters.") var tokens = 1_000

    func validate() throws {
      guard [requests, comments, ofEach, questions, answered, seconds, tokens].allSatisfy({ $0 > 0 }),
        requests <= 900_000, comments <= 1_000, ofEach <= 100, questions <= 100_000, rate >= 1, answered <= 100_000,
        seconds <= 600, tokens <= 10_000
      else {
        throw ValidationError("at most 900,000 requests, 100 of each user, 1,000 comments each, 10,000 tokens")
      }
    }
  }

  static func measure(_ part: Part, _ workload: Workload) async throws -> [Measurement] {
    switch part {
    case .list:
      try await ListRun(
        requests: workload.requests, comments: workload.comments, ofEach: workload.ofEach,
        questions: workload.questions
      ).measure()
    case .notice:
      try await NoticeRun(requests: workload.answered, rate: workload.rate, seconds: workload.seconds).measure()
    case .bulk: try await BulkRun(tokens: workload.tokens).measure()
    }
  }
}
