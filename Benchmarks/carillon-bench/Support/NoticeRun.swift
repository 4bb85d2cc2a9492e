import BenchReport
import Engine

/// From an agent's comment to the request at the webhook of the app's back end.
struct NoticeRun {
  static let target = 25.0
  let requests: Int
  let rate: Double
  let seconds: Int

  func measure() async throws -> [Measurement] {
    Terminal.note("support: \(Int(rate)) agents' comments/s on \(requests) requests, \(seconds) s")
    let receiver = try await WebhookReceiver.start(endpoints: 1)
    let sections = SupportWorld.sections(webhook: receiver.url(of: 0))
    let results = try await SupportWorld.during(in: try WorkDirectory(), sections) { try await measure($0, receiver) }
    await receiver.stop()
    return results
  }

  private func measure(_ world: SupportWorld, _ receiver: WebhookReceiver) async throws -> [Measurement] {
    let users = try await world.signIn(requests)
    let numbers = try await world.each(0..<requests) { number in
      let user = users[number].actor
      try await world.register(PushStock.token(number), "ios", of: user)
      try await world.register("android-\(number)", "android", of: user)
      return try await world.create("Where is it?", by: user)
    }
    let agent = try await world.engine.support.agent(named: "Ann")
    let send: @Sendable (Int, String) async throws -> Void = { number, text in
      try await world.comment(text, on: numbers[number % numbers.count], by: agent)
    }
    // Twice: the first time warms up.
    _ = try await PacedArrivals(rate: rate, seconds: min(seconds, 2)).run(at: receiver, send)
    let before = receiver.count
    let share = MachineShare()
    let result = try await PacedArrivals(rate: rate, seconds: seconds).run(at: receiver, send)
    let busy = share.text
    guard receiver.count - before == result.arrivals.count else {
      throw BenchError("\(receiver.count - before) calls for \(result.arrivals.count) comments")
    }
    let (latencies, replies) = (result.arrivals, result.replies)
    return latencies.measurements(
      "support.notice",
      settings: "agent's comment to the request at the webhook, \(requests) requests of users with two devices, "
        + "\(Int(rate)) comments/s, one signed call each, none twice, one endpoint",
      p99: PushGoal.atMost(Self.target, latencies[99]) + ", \(latencies.count) comments; \(busy)") + [
        Measurement(
          "support.notice.reply.p99", replies[99], "ms", settings: "until the comment is acknowledged, for comparison")
      ]
  }
}
