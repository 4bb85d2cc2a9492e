import ArgumentParser
import BenchReport
import CarillonClient
import NIOCore
import NIOPosix

/// One-to-one chats: what an agent posts reaches the customer's held poll, every message journalled and synced before.
struct ChatBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chat", abstract: "Messages delivered a second, and their latency at half that rate.")

  @OptionGroup var server: ServerOptions
  @OptionGroup var workload: Workload
  @OptionGroup var processors: CoreOptions
  @OptionGroup var report: ReportOptions

  func run() async throws {
    try await Pinning.during(processors.cores) {
      try await report.publish { try await Self.measure(workload, server: server) }
    }
  }

  struct Workload: ParsableArguments {
    @Option(help: "One-to-one chats.") var chats = 1_000
    @Option(help: "Messages on their way at a time while the maximum is looked for.") var window = 512
    @Option(help: "Connections that post.") var lanes = 128
    @Option(help: "Seconds of each of the two phases.") var seconds = 10
    @Option(help: "Messages a second of the second phase; half the maximum if absent.") var rate: Double?
    @Flag(help: "Customers post and get their own messages back, instead of the agent's.") var echo = false
    @Flag(help: "Customers are connected by WebSocket instead of long polling.") var websocket = false

    func validate() throws {
      guard chats > 0, window > 0, lanes > 0, seconds > 0, seconds <= 600, chats + lanes < 19_000 else {
        throw ValidationError("chats, window, lanes and seconds are positive; chats and lanes together below 19,000")
      }
    }
  }

  static func measure(_ workload: Workload, server options: ServerOptions) async throws -> [Measurement] {
    let server = try await MeasuredServer(options)
    return try await server.measuring {
      var settings = ChatLoad.Settings(
        address: server.address, agentToken: server.agentToken, customers: workload.chats)
      settings.lanes = workload.lanes
      settings.link = workload.websocket ? .webSocket : .longPolling
      settings.sender = workload.echo ? .customer : .agent
      let loop = MultiThreadedEventLoopGroup.singleton.next()
      let load = try await ChatLoad.open(settings, on: loop)
      defer { loop.execute { load.value.close() } }
      Terminal.note("chat: setting up \(workload.chats) chats over \(settings.link.rawValue)")
      try await loop.flatSubmit { load.value.setUp() }.get()

      let resident = try server.sample().map {
        Measurement(
          "chat" + (workload.websocket ? ".websocket" : "") + ".resident", Double($0.residentBytes) / 1e6, "MB",
          settings: "server, \(workload.chats) chats over \(settings.link.rawValue), before the load")
      }
      let duration = Duration.seconds(workload.seconds)
      Terminal.note("chat: warming up")
      _ = try await loop.flatSubmit { load.value.run(.closed(window: workload.window), for: .seconds(2)) }.get()
      Terminal.note("chat: maximum, \(workload.window) messages on their way, \(workload.seconds) s")
      let before = try SidesSample(server: server.pid)
      let maximum = try await loop.flatSubmit {
        load.value.run(.closed(window: workload.window), for: duration)
      }.get()
      let sides = try before.measured()

      let rate = workload.rate ?? (maximum.perSecond / 2).rounded(.down)
      guard rate >= 1 else { throw BenchError("hardly anything was delivered") }
      Terminal.note("chat: \(Int(rate)) messages/s, \(workload.seconds) s")
      let watch = SecondsWatch(server: server.pid, at: server.address)
      let (paced, trace) = try await watch.during {
        try await loop.flatSubmit { load.value.run(.open(rate: rate), for: duration, watchedBy: watch) }.get()
      }
      return results(workload, settings, maximum, sides, paced, trace, rate: rate)
        + [resident].compactMap(\.self)
    }
  }

  private static func results(
    _ workload: Workload, _ settings: ChatLoad.Settings, _ maximum: PhaseResult, _ sides: Sides,
    _ paced: PhaseResult, _ trace: SecondsTrace?, rate: Double
  ) -> [Measurement] {
    let who = workload.echo ? "customers' own messages" : "agent to customer"
    let common = "\(workload.chats) chats, \(who), \(settings.link.rawValue), journalled and synced"
    let maximumSettings = "\(common), window \(workload.window)"
    let pace = "\(common), \(Int(rate)) messages/s"
    // Other ways of sending have names of their own: the plain one keeps its meaning.
    let name = "chat" + (workload.echo ? ".echo" : "") + (workload.websocket ? ".websocket" : "")
    return
      [Measurement("\(name).delivered", maximum.perSecond, "messages/s", settings: maximumSettings)]
      + paced.latencies.measurements(name, settings: pace, trace: trace)
      + [Measurement("\(name).saturated.p99", maximum.latencies[99], "ms", settings: "at the maximum")]
      + sides.measurements(name, per: "message", count: maximum.delivered, "at the maximum")
  }
}
