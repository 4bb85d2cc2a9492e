import BenchReport
import ChatDomain
import Engine

/// From an agent's message to the request at the receiver, for customers in background, without a delay.
struct LatencyRun {
  static let target = 25.0
  let chats: Int
  let rate: Double
  let seconds: Int

  private static let endpoints = 8
  private static let agent = "bench"

  func measure() async throws -> [Measurement] {
    Terminal.note("push: \(Int(rate)) agent messages/s to \(chats) chats in background, \(seconds) s")
    let receiver = try await WebhookReceiver.start(endpoints: Self.endpoints)
    let world = try await PushWorld.open(push: PushWorld.webhookOptions)
    let results = try await world.during { try await measure(world, receiver) }
    await receiver.stop()
    return results
  }

  private func measure(_ world: PushWorld, _ receiver: WebhookReceiver) async throws -> [Measurement] {
    let settled = SettledPushes.shared
    let (delivered, others) = (settled.delivered, settled.others)
    var chatIDs: [String] = []
    for index in 0..<chats {
      let chat = try await BackgroundChat.make(world.engine, user: "customer-\(index)", url: receiver.url(of: index))
      _ = try await world.engine.agents.join(chat, agentID: Self.agent, nickname: "Agent", role: .agent)
      chatIDs.append(chat)
    }
    // Each agent's joining is a push.
    try await settled.waitForDelivered(delivered + chats, others: others, within: Limits.setUpTimeout)

    // Twice: the first time warms up.
    _ = try await run(world, receiver, chatIDs, seconds: min(seconds, 2))
    let share = MachineShare()
    let result = try await run(world, receiver, chatIDs, seconds: seconds)
    let (latencies, posts) = (result.arrivals, result.replies)
    let how =
      "\(chats) chats in background, delay 0, \(Int(rate)) messages/s, signed webhook to \(Self.endpoints) endpoints"
    return latencies.measurements(
      "push.latency", settings: "agent's message to the request at the receiver; \(how)",
      p99: PushGoal.atMost(Self.target, latencies[99]) + ", \(latencies.count) messages; \(share.text)") + [
        Measurement(
          "push.latency.reply.p99", posts[99], "ms",
          settings: "until the agent's message is acknowledged, for comparison"
        )
      ]
  }

  private func run(
    _ world: PushWorld, _ receiver: WebhookReceiver, _ chatIDs: [String], seconds: Int
  ) async throws -> PacedArrivals.Outcome {
    try await PacedArrivals(rate: rate, seconds: seconds).run(at: receiver) { number, text in
      _ = try await world.engine.agents.send(chatIDs[number % chatIDs.count], agentID: Self.agent, text: text)
    }
  }
}
