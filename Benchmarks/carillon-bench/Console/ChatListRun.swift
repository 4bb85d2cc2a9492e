import BenchReport
import CarillonClient
import NIOPosix

/// A page of 100 out of many chats, for a supervisor who sees all of them.
struct ChatListRun {
  private static let target = 20.0
  private static let page = 100
  /// Questions that fill the caches of the machine.
  private static let warmUp = 20

  let chats: Int
  let questions: Int

  func measure() async throws -> [Measurement] {
    Terminal.note("console: writing \(chats) chats")
    let directory = try WorkDirectory()
    try await NIOThreadPool.singleton.runIfActive {
      try JournalRun.fill(directory, events: chats * 10, chats: chats)
    }
    let server = try await BenchServer(in: directory, options: ["journal.snapshot_interval: 0"])
    defer { server.stop() }
    try await server.waitUntilReady()
    let token = try await BenchServer.createToken(
      try BenchServer.executable(), directory, name: "supervisor", ["--role", "supervisor"])
    let pool = HTTPPool(server.address)
    defer { pool.shutDown() }
    let share = MachineShare(with: [server.pid])
    let first = try await times(pool, token) { _ in nil }
    let walk = try await times(pool, token) { $0 }
    return [("first", first, "the newest"), ("walk", walk, "one after the other by their cursor")].map {
      Measurement(
        "console.list.\($0.0).p99", $0.1[99], "ms",
        settings: PushGoal.atMost(Self.target, $0.1[99])
          + ", pages of \(Self.page) of \(chats) chats, \($0.2), p50 \(Measurement("", $0.1[50], "").text) ms; "
          + share.text)
    }
  }

  /// - Parameter next: where to go on, of where the last page ended.
  private func times(
    _ pool: HTTPPool, _ token: String, next: (String?) -> String?
  ) async throws -> LatencyHistogram {
    var nanoseconds: [Int64] = []
    var place: String?
    for number in -Self.warmUp..<questions {
      let path = place ?? "/agent/1/chats?state=all&limit=\(Self.page)"
      let began = ContinuousClock.now
      let response = try await pool.response(
        to: HTTPRequest(.get, path, headers: [("Authorization", "Bearer \(token)")]), timeout: Limits.requestTimeout)
      let elapsed = (ContinuousClock.now - began).wholeNanoseconds
      guard response.status == 200, Self.count(in: response) == Self.page else {
        throw BenchError("\(path) was answered with \(response.status), \(Self.count(in: response)) chats")
      }
      if number >= 0 { nanoseconds.append(elapsed) }
      place = next(Self.link(in: response))
    }
    return LatencyHistogram(nanoseconds)
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
