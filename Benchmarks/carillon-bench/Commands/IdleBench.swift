import ArgumentParser
import BenchReport
import CarillonClient
import NIOCore
import NIOPosix

/// What a connected customer costs the server who neither says nor hears anything.
struct IdleBench: Bench {
  static let configuration = CommandConfiguration(
    commandName: "idle", abstract: "Bytes of each idle held poll and each idle WebSocket, session and chat included.")

  @OptionGroup var workload: Workload
  @OptionGroup var processors: CoreOptions
  @OptionGroup var report: ReportOptions

  var plan: CorePlan? { processors.cores }

  struct Workload: ParsableArguments {
    @Option(help: "Held polls.") var polls = 10_000
    @Option(help: "WebSockets.") var websockets = 10_000

    func validate() throws {
      guard (0...19_000).contains(polls), (0...19_000).contains(websockets) else {
        throw ValidationError("one process holds at most 19,000 connections")
      }
    }
  }

  /// Each kind against a server of its own, so that neither profits from the other's memory.
  static func measure(_ workload: Workload) async throws -> [Measurement] {
    var results: [Measurement] = []
    for (name, link, count) in [
      ("idle.longpoll.bytes", ChatLoad.Link.longPolling, workload.polls),
      ("idle.websocket.bytes", .webSocket, workload.websockets),
    ] where count > 0 {
      let bytes = try await measure(link, count)
      results.append(
        Measurement(
          name, bytes, "bytes", settings: "\(count) idle over \(link.rawValue), each with session and chat"))
    }
    return results
  }

  private static func measure(_ link: ChatLoad.Link, _ count: Int) async throws -> Double {
    Terminal.note("idle: \(count) customers over \(link.rawValue)")
    let server = try await MeasuredServer()
    return try await server.measuring {
      // A few first, so that what every server needs once is not charged to the customers.
      let warm = try await load(server, link, 50)
      guard let before = try server.sample() else { throw BenchError("no server process") }
      let measured = try await load(server, link, count)
      // Until the last one's connect is held.
      try await Task.sleep(for: .seconds(1))
      guard let after = try server.sample() else { throw BenchError("no server process") }
      for load in [warm, measured] {
        try await load.eventLoop.submit {
          if let failure = load.value.failure { throw failure }
          load.value.close()
        }.get()
      }
      return Double(after.residentBytes - before.residentBytes) / Double(count)
    }
  }

  private static func load(
    _ server: MeasuredServer, _ link: ChatLoad.Link, _ count: Int
  ) async throws -> NIOLoopBound<ChatLoad> {
    var settings = ChatLoad.Settings(address: server.address, agentToken: server.agentToken, customers: count)
    settings.link = link
    settings.lanes = 16
    settings.agentJoins = false
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let load = try await ChatLoad.open(settings, on: loop)
    try await loop.flatSubmit { load.value.setUp() }.get()
    return load
  }
}
