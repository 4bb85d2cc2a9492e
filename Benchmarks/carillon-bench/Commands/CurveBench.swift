import ArgumentParser
import BenchReport
import NIOPosix

/// Whether anything costs more because there is more of everything else.
struct CurveBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "curve",
    abstract: "Throughput, latency, memory and replay against how many chats and events there are.",
    discussion: "Each point has a server or a journal of its own. With --page the page and its plots are written, too.")

  @OptionGroup var workload: Workload
  @OptionGroup var processors: CoreOptions
  @OptionGroup var report: ReportOptions

  struct Workload: ParsableArguments {
    @Option(parsing: .upToNextOption, help: "Chats at a time, one point each.")
    var chats = [1, 10, 100, 1_000, 10_000, 15_000]
    @Option(help: "Seconds of each of the two phases of a point.") var seconds = 10
    @Option(parsing: .upToNextOption, help: "Events in a journal, one point each.")
    var events = [100_000, 1_000_000, 10_000_000]
    @Option(
      parsing: .upToNextOption,
      help: "Chats that they belong to; points with fewer than ten events for each are left out.")
    var replayChats = [1_000, 100_000]
    @Option(help: "Write SCALE.md and plots to this folder, such as Benchmarks.") var page: String?
    @Option(help: "Measure nothing: write the page of this file, which --json has written.") var of: String?

    func validate() throws {
      guard chats.allSatisfy({ (1...18_000).contains($0) }), (1...600).contains(seconds) else {
        throw ValidationError("--chats are 1 to 18000, --seconds 1 to 600")
      }
      guard events.allSatisfy({ (10...100_000_000).contains($0) }), replayChats.allSatisfy({ $0 > 0 }) else {
        throw ValidationError("--events are 10 to 100,000,000, --replay-chats above 0")
      }
      if of != nil, page == nil { throw ValidationError("--of goes with --page") }
    }
  }

  func run() async throws {
    if let file = workload.of {
      guard let bytes = Files.bytes(file, maximum: Limits.figuresBytesMaximum) else {
        throw BenchError("\(file) cannot be read")
      }
      do { return try write(try Report(json: bytes)) } catch let error as UnreadableReport {
        throw BenchError("\(file) \(error)")
      }
    }
    try await Pinning.during(processors.cores) {
      try await report.publish {
        try await Self.measure(workload).measurements
      } written: {
        try write($0)
      }
    }
  }

  /// The page, if one is wanted.
  private func write(_ report: Report) throws {
    guard let folder = workload.page else { return }
    let curve = ScaleCurve(report.results)
    let plots = folder + "/plots"
    try Files.makeFolder(plots)
    for (file, plot) in curve.plots { try Files.write(plot.svg, to: "\(plots)/\(file)") }
    let conditions = "\(report.machine), commit \(report.commit.prefix(12)), \(report.date)."
    try Files.write(
      curve.page(conditions: conditions, command: "carillon-bench " + report.arguments.joined(separator: " ")),
      to: folder + "/SCALE.md")
  }

  private static func measure(_ workload: Workload) async throws -> ScaleCurve {
    var loads: [ScaleCurve.Load] = []
    for chats in workload.chats.sorted() { loads.append(try await load(chats: chats, seconds: workload.seconds)) }
    var replays: [ScaleCurve.Replay] = []
    for chats in workload.replayChats.sorted() {
      for events in workload.events.sorted() where events >= 10 * chats {
        replays.append(try await replay(events: events, chats: chats))
      }
    }
    return ScaleCurve(loads: loads, replays: replays)
  }

  private static func load(chats: Int, seconds: Int) async throws -> ScaleCurve.Load {
    Terminal.note("curve: \(chats) chats")
    let results = try await ChatBench.measure(
      try .parse(["--chats", "\(chats)", "--seconds", "\(seconds)"]), server: try .parse([]))
    func figure(_ name: String) throws -> Double {
      guard let result = results.first(where: { $0.name == name }) else { throw BenchError("no figure \(name)") }
      return result.value
    }
    return ScaleCurve.Load(
      chats: chats, deliveredPerSecond: try figure("chat.delivered"), p99: try figure("chat.p99"),
      microseconds: try figure("chat.cpu"), megabytes: try figure("chat.resident"))
  }

  private static func replay(events: Int, chats: Int) async throws -> ScaleCurve.Replay {
    Terminal.note("curve: writing \(events) events of \(chats) chats")
    let directory = try WorkDirectory()
    let rates = try await NIOThreadPool.singleton.runIfActive {
      try JournalRun.fill(directory, events: events, chats: chats)
      return try (0..<3).map { _ in
        let read = try JournalRun.replay(directory)
        return Double(read.events) / read.seconds
      }
    }
    let (server, seconds) = try await RestartBench.start(in: directory)
    server.stop()
    return ScaleCurve.Replay(
      events: events, chats: chats, eventsPerSecond: rates.sorted()[1], secondsToReady: seconds)
  }
}
