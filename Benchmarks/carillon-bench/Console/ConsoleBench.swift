import ArgumentParser
import BenchReport

/// What the console asks of the server: streams of many agents, a page of a long list, and the pages themselves.
struct ConsoleBench: BenchInParts {
  static let configuration = CommandConfiguration(
    commandName: "console", abstract: "The console: agents' streams, lists of many chats, the first load.")

  enum Part: String, ExpressibleByArgument, CaseIterable { case streams, list, load }

  @OptionGroup var workload: Workload
  @OptionGroup var report: ReportOptions

  struct Workload: WorkloadInParts {
    @Option(help: "Only these: streams, list, load.") var only: [Part] = []
    @Option(help: "Agents' streams, each of which hears of every chat.") var streams = 200
    @Option(help: "Chats that agents post to.") var chats = 1_000
    @Option(help: "Messages a second.") var rate = 100.0
    @Option(help: "Seconds of messages.") var seconds = 20
    @Option(help: "Chats in the list.") var stock = 100_000
    @Option(help: "Pages of 100 that are asked for in each order.") var questions = 300

    func validate() throws {
      guard [streams, chats, seconds, stock, questions].allSatisfy({ $0 > 0 }), rate >= 1, seconds <= 600,
        streams + chats < 19_000, stock >= 100, stock <= 1_000_000, questions <= 100_000
      else {
        throw ValidationError("streams and chats together below 19,000; from 100 to 1,000,000 chats in the list")
      }
    }
  }

  static func measure(_ part: Part, _ workload: Workload) async throws -> [Measurement] {
    switch part {
    case .streams:
      try await StreamsRun(
        streams: workload.streams, chats: workload.chats, rate: workload.rate, seconds: workload.seconds
      ).measure()
    case .list: try await ChatListRun(chats: workload.stock, questions: workload.questions).measure()
    case .load: try await FirstLoadRun().measure()
    }
  }
}
