import ArgumentParser
import NIOPosix

/// How long a server with a full journal takes until it serves again.
struct RestartBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restart", abstract: "From the start of a server with many events to its readiness.")

  @OptionGroup var workload: Workload
  @OptionGroup var report: ReportOptions

  struct Workload: ParsableArguments {
    @Option(help: "Events in the journal.") var events = 1_000_000
    @Option(help: "Chats that they belong to.") var chats = 1_000

    func validate() throws {
      guard chats > 0, events >= 10 * chats, events / chats < 100_000, events <= 100_000_000 else {
        throw ValidationError("from 10 to 100,000 events a chat, at most 100,000,000 in all")
      }
    }
  }

  func run() async throws {
    var results = Report()
    results.add(try await Self.measure(workload))
    try report.publish(results)
  }

  static func measure(_ workload: Workload) async throws -> [Measurement] {
    Terminal.note("restart: writing \(workload.events) events")
    let directory = try WorkDirectory()
    try await NIOThreadPool.singleton.runIfActive {
      try JournalRun.fill(directory, events: workload.events, chats: workload.chats)
    }
    var seconds: [Double] = []
    for _ in 0..<3 {
      let server = try await BenchServer(in: directory)
      let start = ContinuousClock.now
      try await server.waitUntilReady()
      seconds.append((ContinuousClock.now - start).inSeconds)
      server.stop()
    }
    return [
      Measurement(
        "restart.seconds", seconds.sorted()[1], "s",
        settings: "\(workload.events) events of \(workload.chats) chats, from exec to ready, median of 3")
    ]
  }
}
