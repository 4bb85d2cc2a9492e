import BenchReport
import CarillonClient
import Conservation
import JSONEnvelope
import NIOCore
import NIOPosix

/// Many agents' streams beside chats: what they cost the server, and how long after its post a line is in each of them.
///
/// Customers write and an agent answers, in turn. The streams are of as many supervisors, so that each hears of every
/// message: more than any desk would.
struct StreamsRun {
  private static let coresMaximum = 0.5
  private static let latencyMaximum = 100.0

  let streams: Int
  let chats: Int
  let rate: Double
  let seconds: Int

  func measure() async throws -> [Measurement] {
    let server = try await BenchServer.start()
    return try await server.measuring {
      let tokens = try await supervisors(of: server)
      var settings = ChatLoad.Settings(address: server.address, agentToken: server.agentToken, customers: chats)
      settings.sender = .both
      let loop = MultiThreadedEventLoopGroup.singleton.next()
      let load = try await ChatLoad.open(settings, on: loop)
      defer { loop.execute { load.value.close() } }
      Terminal.note("console: setting up \(chats) chats and \(streams) streams")
      try await loop.flatSubmit { load.value.setUp() }.get()
      let hearing = try await DeskStreams.open(tokens, to: server.address, on: loop)
      defer { loop.execute { hearing.value.close() } }
      return try await measure(load, hearing, on: loop, server: server.pid)
    }
  }

  /// A token for each stream, made as an operator makes them.
  private func supervisors(of server: BenchServer) async throws -> [String] {
    let admin = try await server.createToken(name: "admin", ["--role", "admin"])
    let pool = HTTPPool(server.address)
    defer { pool.shutDown() }
    var tokens: [String] = []
    for number in 0..<streams {
      let response = try await pool.response(
        to: HTTPRequest(
          .post, "/admin/1/tokens", headers: [("Authorization", "Bearer \(admin)")], contentType: "application/json",
          body: Array(#"{"name":"supervisor-\#(number)","role":"supervisor"}"#.utf8)),
        timeout: Limits.requestTimeout)
      guard response.status == 201, let token = try JSONValue(parsing: response.bodyBytes)["secret"]?.string else {
        throw BenchError("token \(number) was answered with \(response.status)")
      }
      tokens.append(token)
    }
    return tokens
  }

  private func measure(
    _ load: NIOLoopBound<ChatLoad>, _ hearing: NIOLoopBound<DeskStreams>, on loop: any EventLoop, server: Int32
  ) async throws -> [Measurement] {
    Terminal.note("console: \(Int(rate)) messages/s, \(seconds) s")
    try await loop.submit {
      load.value.onPost = { hearing.value.posted($0, $1, due: $2) }
      hearing.value.begin()
    }.get()
    let share = MachineShare(with: [server])
    let before = try SidesSample(server: server)
    let paced = try await loop.flatSubmit { load.value.run(.open(rate: rate), for: .seconds(seconds)) }.get()
    let sides = try before.measured()
    let others = share.text
    let (heard, latencies) = try await all(of: hearing, on: loop)
    guard latencies.count == paced.latencies.count * streams else {
      throw BenchError("\(paced.latencies.count) messages at \(streams) streams are not \(latencies.count) lines")
    }
    let common = "\(streams) streams that hear of all \(chats) chats at \(Int(rate)) messages/s; \(others)"
    return [
      Measurement("console.streams.events", Double(heard) / Double(seconds), "events/s", settings: common)
    ]
      + latencies.measurements(
        "console.streams",
        settings: "from when a customer's or agent's post was due to the line at each stream; \(common)",
        p99: PushGoal.atMost(Self.latencyMaximum, latencies[99]) + ", \(common)")
      + sides.measurements("console.streams", per: "event", count: heard, "at that rate, \(goal(sides))")
  }

  /// Waits until every stream has had every message.
  private func all(
    of hearing: NIOLoopBound<DeskStreams>, on loop: any EventLoop
  ) async throws -> (heard: Int, latencies: LatencyHistogram) {
    let deadline = ContinuousClock.now + Limits.drainTimeout
    while true {
      let (isComplete, failure) = try await loop.submit {
        (hearing.value.ledger.isComplete, hearing.value.failure)
      }.get()
      if let failure { throw failure }
      if isComplete || ContinuousClock.now >= deadline { break }
      try await Task.sleep(for: .milliseconds(10))
    }
    let wrong = try await loop.submit { hearing.value.ledger.verdict() }.get()
    guard wrong.isEmpty else {
      throw BenchError("\(wrong.count) messages are wrong at the streams: \(wrong.prefix(3).joined(separator: "; "))")
    }
    return try await loop.submit { (hearing.value.heard, hearing.value.latencies) }.get()
  }

  private func goal(_ sides: Sides) -> String {
    sides.server.map { PushGoal.atMost(Self.coresMaximum, $0.cores) + " in cores" } ?? "process unknown"
  }
}
