import ArgumentParser
import BenchReport

/// What the console asks of the server: streams of many agents, a page of a long list, and the pages themselves.
struct ConsoleBench: BenchInParts {
  static let configuration = CommandConfiguration(
    commandName: "console", abstract: "The console: agents' streams, lists of many chats, the first load.")

  enum Part: String, ExpressibleByArgument, CaseIterable { case streams, list, load }

  @OptionGroup var workload: Workload
  @OptionGroup var processors: CoreOptions
  @OptionGroup var report: ReportOptions

  var plan: CorePlan? { processors.cores }

  struct Workload: WorkloadInParts {
    @Option(help: "Only these: streams, list, load.") var only: [Part] = []
    @Option(help: "Streams of supervisors, each of which hears of every chat.") var streams = 200
    @Option(help: "Chats in which customers write and an agent answers.") var chats = 1_000
    @Option(help: "Messages a second, of both sides together.") var rate = 100.0
    @Option(help: "Seconds of messages.") var seconds = 20
    @Option(help: "Chats in the list.") var listed = 100_000
    @Option(help: "Pages of 100 that are asked for in each order.") var questions = 300

    func validate() throws {
      guard [streams, chats, seconds, questions].allSatisfy({ $0 > 0 }), (1...10_000).contains(rate), seconds <= 600,
        streams <= 1_000, chats < 18_000, (2_000...1_000_000).contains(listed), listed.isMultiple(of: 100),
        questions <= 100_000
      else {
        throw ValidationError(
          "1 to 1,000 streams, chats below 18,000, 1 to 10,000 messages a second, hundreds of chats in the list"
        )
      }
    }
  }

  static func measure(_ part: Part, _ workload: Workload) async throws -> [Measurement] {
    switch part {
    case .streams:
      try await StreamsRun(
        streams: workload.streams, chats: workload.chats, rate: workload.rate, seconds: workload.seconds
      ).measure()
    case .list: try await ChatListRun(chats: workload.listed, questions: workload.questions).measure()
    case .load: try await FirstLoadRun().measure()
    }
  }
}
