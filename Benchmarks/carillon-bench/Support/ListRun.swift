import BenchReport
import CarillonClient
import Engine

/// A large stock of requests: how fast its comments are written, and how soon somebody is told of their own.
struct ListRun {
  static let target = 5.0
  let requests: Int
  let comments: Int
  let ofEach: Int
  let questions: Int

  /// As often as the server looks for those that may sleep.
  private static let sweepEvery = 10_000
  /// Questions that fill the caches of the machine.
  private static let warmUp = 20

  private var users: Int { max(1, requests / ofEach) }

  func measure() async throws -> [Measurement] {
    let directory = try WorkDirectory()
    let sections = SupportWorld.sections(webhook: nil)
    let (users, inProcess) = try await SupportWorld.during(in: directory, sections) { try await measure($0) }
    return try await inProcess + measureServer(directory, sections, users)
  }

  // MARK: Without HTTP

  private func measure(_ world: SupportWorld) async throws -> ([SupportWorld.User], [Measurement]) {
    Terminal.note("support: \(requests) requests of \(users) users, \(comments) comments each")
    let users = try await world.signIn(users)
    let agent = try await world.engine.support.agent(named: "Ann")
    let share = MachineShare()
    let seconds = try await fill(world, users, agent)
    let busy = share.text
    await world.engine.putIdleToSleep(unusedFor: 0)
    try await world.engine.snapshotNow()
    let written = try await world.engine.support.requests(SupportQuery(), for: agent).views
    guard written.allSatisfy({ $0.commentCount == comments }) else { throw BenchError("comments are missing") }
    let rate = Double(requests * comments) / seconds
    let own = try await times(of: users, counting: \.views.count) { user in
      try await world.engine.support.requests(SupportQuery(), for: user.actor)
    }
    let agents = try await times(of: users, counting: \.views.count) { _ in
      try await world.engine.support.requests(SupportQuery(), for: agent)
    }
    return (
      users,
      [
        Measurement(
          "support.comments", rate, "comments/s",
          settings: "\(requests) requests with \(comments) comments each, by users and agents in turns, each synced "
            + "before its answer; \(busy)"),
        measurement("support.list.p99", own, "a user's own \(ofEach) of \(requests) requests, asleep"),
        Measurement(
          "support.list.agents.p99", agents[99], "ms",
          settings: "the newest 100 of all \(requests), for an agent, p50 \(Measurement("", agents[50], "").text) ms"),
      ]
    )
  }

  /// - Returns: the seconds that it took, without those in which the house was kept.
  private func fill(_ world: SupportWorld, _ users: [SupportWorld.User], _ agent: SupportActor) async throws -> Double {
    var random = SplitMix64(seed: 11)
    let texts = (0..<64).map { _ in MessageText.make(&random) }
    var seconds = 0.0
    for first in stride(from: 0, to: requests, by: Self.sweepEvery) {
      let began = ContinuousClock.now
      _ = try await world.each(first..<min(first + Self.sweepEvery, requests)) { number in
        let user = users[number % users.count].actor
        let request = try await world.create(texts[number % texts.count], by: user)
        for comment in 1..<max(1, comments) {
          try await world.comment(
            texts[(number + comment) % texts.count], on: request, by: comment % 2 == 1 ? agent : user)
        }
      }
      seconds += (ContinuousClock.now - began).inSeconds
      await world.engine.putIdleToSleep(unusedFor: 0)
    }
    return seconds
  }

  // MARK: Over HTTP

  private func measureServer(
    _ directory: WorkDirectory, _ sections: [String: [String: String]], _ users: [SupportWorld.User]
  ) async throws -> [Measurement] {
    let server = try await BenchServer(in: directory, options: ["journal.snapshot_interval: 0"], sections: sections)
    defer { server.stop() }
    try await server.waitUntilReady()
    let pool = HTTPPool(server.address)
    defer { pool.shutDown() }
    let share = MachineShare(with: [server.pid])
    let own = try await times(of: users, counting: Self.requests(in:)) { user in
      let request = HTTPRequest(
        .get, "/api/v2/requests.json?per_page=100", headers: [("Authorization", "Bearer \(user.token)")])
      let response = try await pool.response(to: request, timeout: Limits.requestTimeout)
      guard response.status == 200 else {
        throw BenchError("the list was answered with \(response.status):\n\(server.logTail)")
      }
      return response
    }
    return [
      measurement(
        "support.list.http.p99", own, "the same over HTTP after a restart, one after the other; \(share.text)")
    ]
  }

  private static func requests(in response: HTTPResponse) -> Int {
    String(decoding: response.bodyBytes, as: UTF8.self).split(separator: #""requester_id""#).count - 1
  }

  // MARK: Parts

  /// Asks for users here and there, one after the other.
  /// - Parameter counting: the requests of an answer, which must be as many as each user has; takes no time.
  private func times<Answer>(
    of users: [SupportWorld.User], counting: (Answer) -> Int, _ ask: (SupportWorld.User) async throws -> Answer
  ) async throws -> LatencyHistogram {
    var random = SplitMix64(seed: 7)
    var nanoseconds: [Int64] = []
    for number in -Self.warmUp..<questions {
      let user = users[Int(random.next() % UInt64(users.count))]
      let began = ContinuousClock.now
      let answer = try await ask(user)
      let elapsed = (ContinuousClock.now - began).wholeNanoseconds
      guard counting(answer) >= min(ofEach, requests) else {
        throw BenchError("only \(counting(answer)) requests were listed")
      }
      if number >= 0 { nanoseconds.append(elapsed) }
    }
    return LatencyHistogram(nanoseconds)
  }

  private func measurement(_ name: String, _ times: LatencyHistogram, _ how: String) -> Measurement {
    Measurement(
      name, times[99], "ms",
      settings: PushGoal.atMost(Self.target, times[99]) + ", \(how), p50 \(Measurement("", times[50], "").text) ms")
  }
}
