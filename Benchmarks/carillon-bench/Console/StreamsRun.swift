import BenchReport
import CarillonClient
import NIOCore
import NIOPosix

/// Many agents' streams beside chats: what they cost the server, and how long after its post a line is in a stream.
///
/// All streams are of one agent who has every chat, so that each hears of each message: more than any desk would.
struct StreamsRun {
  private static let coresMaximum = 0.5
  private static let latencyMaximum = 100.0

  let streams: Int
  let chats: Int
  let rate: Double
  let seconds: Int

  func measure() async throws -> [Measurement] {
    let server = try await MeasuredServer()
    return try await server.measuring {
      let settings = ChatLoad.Settings(address: server.address, agentToken: server.agentToken, customers: chats)
      let loop = MultiThreadedEventLoopGroup.singleton.next()
      let load = try await ChatLoad.open(settings, on: loop)
      defer { loop.execute { load.value.close() } }
      Terminal.note("console: setting up \(chats) chats and \(streams) streams")
      try await loop.flatSubmit { load.value.setUp() }.get()
      let hearing = try await DeskStreams.open(streams, of: server.agentToken, to: server.address, on: loop)
      defer { loop.execute { hearing.value.close() } }
      return try await measure(load, hearing, on: loop, server: server.pid)
    }
  }

  private func measure(
    _ load: NIOLoopBound<ChatLoad>, _ hearing: NIOLoopBound<DeskStreams>, on loop: any EventLoop, server: Int32?
  ) async throws -> [Measurement] {
    Terminal.note("console: \(Int(rate)) messages/s, \(seconds) s")
    try await loop.submit {
      load.value.onPost = { hearing.value.posted($0, $1, due: $2) }
      hearing.value.begin()
    }.get()
    let before = try SidesSample(server: server)
    let paced = try await loop.flatSubmit {
      load.value.run(.open(rate: rate), for: .seconds(seconds))
    }.get()
    let sides = try before.measured()
    try await Task.sleep(for: .milliseconds(200))
    let (heard, latencies) = try await loop.submit { (hearing.value.heard, hearing.value.latencies) }.get()
    guard latencies.count == paced.latencies.count else {
      throw BenchError("\(paced.latencies.count) messages were posted, a stream had \(latencies.count) of them")
    }
    let common = "\(streams) streams that hear of all \(chats) chats at \(Int(rate)) messages/s"
    return [
      Measurement("console.streams.events", Double(heard) / Double(seconds), "events/s", settings: common)
    ]
      + latencies.measurements(
        "console.streams", settings: "from when the agent's post was due to the line in a stream; \(common)",
        p99: PushGoal.atMost(Self.latencyMaximum, latencies[99]) + ", \(common)")
      + sides.measurements("console.streams", per: "event", count: heard, "at that rate, \(goal(sides))")
  }

  private func goal(_ sides: Sides) -> String {
    sides.server.map { PushGoal.atMost(Self.coresMaximum, $0.cores) + " in cores" } ?? "process unknown"
  }
}
