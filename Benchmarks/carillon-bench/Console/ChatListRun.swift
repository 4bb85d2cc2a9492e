import BenchReport
import CarillonClient
import NIOPosix

/// A page of 100 out of many chats, filtered and sorted as an inbox has them.
struct ChatListRun {
  private static let target = 20.0
  private static let page = 100
  /// Questions that fill the caches of the machine.
  private static let warmUp = 20
  /// One chat in so many waits for an agent.
  private static let waitingShare = 10

  let chats: Int
  let questions: Int

  /// How a list is asked for.
  private struct Order {
    let name: String
    let query: String
    let about: String
    /// Pages in front of the first that is measured.
    var skipped = 0
    /// Each question is for the page behind the last one's.
    var goesOn = false
    /// Asked by the agent who has the chats, not by a supervisor.
    var isOwn = false
  }

  private var orders: [Order] {
    let half = chats / Self.page / 2
    return [
      Order(name: "first", query: "state=all", about: "the first page of all"),
      Order(
        name: "middle", query: "state=all", about: "by the cursor from the middle on", skipped: half, goesOn: true),
      Order(name: "newest", query: "state=all&sort=-startedAt", about: "the newest of all"),
      Order(
        name: "waiting", query: "state=waiting&sort=waitingSince",
        about: "the longest wait of \(chats / Self.waitingShare) first"),
      Order(name: "own", query: "state=own", about: "an agent's own \(chats - chats / Self.waitingShare)", isOwn: true),
    ]
  }

  func measure() async throws -> [Measurement] {
    Terminal.note("console: writing \(chats) chats")
    let directory = try WorkDirectory()
    try await NIOThreadPool.singleton.runIfActive {
      try JournalRun.fill(
        directory, events: chats * 10, chats: chats, unattended: chats / Self.waitingShare)
    }
    let server = try await BenchServer(in: directory, options: ["journal.snapshot_interval: 0"])
    return try await server.measuring {
      try await server.waitUntilReady()
      let supervisor = try await server.createToken(name: "supervisor", ["--role", "supervisor"])
      let agent = try await server.createToken(name: ChatEvents.agentID, ["--role", "agent"])
      let pool = HTTPPool(server.address)
      defer { pool.shutDown() }
      var results: [Measurement] = []
      for order in orders {
        Terminal.note("console: pages of chats, \(order.about)")
        let share = MachineShare(with: [server.pid])
        let times = try await times(pool, order.isOwn ? agent : supervisor, order)
        let settings = "a page of \(Self.page) of \(chats) chats, \(order.about), \(questions) times; \(share.text)"
        results += [
          Measurement("console.list.\(order.name).p50", times[50], "ms", settings: settings),
          Measurement(
            "console.list.\(order.name).p99", times[99], "ms",
            settings: PushGoal.atMost(Self.target, times[99]) + ", " + settings),
        ]
      }
      return results
    }
  }

  private func times(_ pool: HTTPPool, _ token: String, _ order: Order) async throws -> LatencyHistogram {
    var place = "/agent/1/chats?\(order.query)&limit=\(Self.page)"
    for _ in 0..<order.skipped {
      guard let next = try await ask(pool, token, place).next else { throw BenchError("the list ends at \(place)") }
      place = next
    }
    let begin = place
    var nanoseconds: [Int64] = []
    for number in -Self.warmUp..<questions {
      let answer = try await ask(pool, token, place)
      if number >= 0 { nanoseconds.append(answer.nanoseconds) }
      if order.goesOn { place = answer.next ?? begin }
    }
    return LatencyHistogram(nanoseconds)
  }

  private func ask(
    _ pool: HTTPPool, _ token: String, _ path: String
  ) async throws -> (nanoseconds: Int64, next: String?) {
    let request = HTTPRequest(.get, path, headers: [("Authorization", "Bearer \(token)")])
    let began = ContinuousClock.now
    let response = try await pool.response(to: request, timeout: Limits.requestTimeout)
    let nanoseconds = (ContinuousClock.now - began).wholeNanoseconds
    guard response.status == 200, Self.count(in: response) == Self.page else {
      throw BenchError("\(path) was answered with \(response.status), \(Self.count(in: response)) chats")
    }
    return (nanoseconds, Self.link(in: response))
  }

  private static func count(in response: HTTPResponse) -> Int {
    String(decoding: response.bodyBytes, as: UTF8.self).split(separator: #""startedAt""#).count - 1
  }

  /// Path and query of the next page, as `Link` says it; nil at the end.
  private static func link(in response: HTTPResponse) -> String? {
    guard let link = response.header("Link"), let begin = link.firstIndex(of: "<"),
      let end = link.firstIndex(of: ">")
    else { return nil }
    let url = String(link[link.index(after: begin)..<end])
    guard let scheme = url.firstRange(of: "://") else { return url }
    return url[scheme.upperBound...].firstIndex(of: "/").map { String(url[$0...]) }
  }
}
