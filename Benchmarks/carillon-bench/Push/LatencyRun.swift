import ChatDomain
import Engine
import Synchronization

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
    let (latencies, posts) = (Percentiles(result.arrivals), Percentiles(result.posts))
    let how =
      "\(chats) chats in background, delay 0, \(Int(rate)) messages/s, signed webhook to \(Self.endpoints) endpoints"
    return [
      Measurement(
        "push.latency.p50", latencies[50], "ms", settings: "agent's message to the request at the receiver; \(how)"),
      Measurement(
        "push.latency.p99", latencies[99], "ms",
        settings: PushGoal.atMost(Self.target, latencies[99]) + ", \(latencies.count) messages; \(share.text)"),
      Measurement(
        "push.latency.reply.p99", posts[99], "ms", settings: "until the agent's message is acknowledged, for comparison"
      ),
    ]
  }

  /// Nanoseconds since each message was due.
  private struct Outcome {
    var arrivals: [Int64] = []
    var posts: [Int64] = []
  }

  private final class Clock: Sendable {
    private let state: Mutex<(due: [ContinuousClock.Instant?], arrivals: [Int64], posts: [Int64])>
    init(_ count: Int) { state = Mutex((Array(repeating: nil, count: count), [], [])) }

    func due(_ number: Int, at instant: ContinuousClock.Instant) { state.withLock { $0.due[number] = instant } }
    func arrived(_ number: Int) {
      let now = ContinuousClock.now
      state.withLock { state in
        guard state.due.indices.contains(number), let due = state.due[number] else { return }
        state.due[number] = nil
        state.arrivals.append((now - due).wholeNanoseconds)
      }
    }
    func posted(since due: ContinuousClock.Instant) {
      let now = ContinuousClock.now
      state.withLock { $0.posts.append((now - due).wholeNanoseconds) }
    }
    var outcome: Outcome { state.withLock { Outcome(arrivals: $0.arrivals, posts: $0.posts) } }
    var arrivedCount: Int { state.withLock { $0.arrivals.count } }
  }

  private func run(
    _ world: PushWorld, _ receiver: WebhookReceiver, _ chatIDs: [String], seconds: Int
  ) async throws -> Outcome {
    let count = Int(rate) * seconds
    let clock = Clock(count)
    receiver.onArrival { clock.arrived($0) }
    defer { receiver.onArrival(nil) }
    var random = SplitMix64(seed: 11)
    let texts = (0..<64).map { _ in MessageText.make(&random) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      let began = ContinuousClock.now
      for number in 0..<count {
        let due = began + .nanoseconds(Int64(Double(number) / rate * 1e9))
        while ContinuousClock.now < due { try await Task.sleep(until: due, tolerance: .zero, clock: .continuous) }
        clock.due(number, at: due)
        let text = String(decoding: MessageText.prefix(number), as: UTF8.self) + texts[number % texts.count]
        group.addTask {
          _ = try await world.engine.agents.send(chatIDs[number % chatIDs.count], agentID: Self.agent, text: text)
          clock.posted(since: due)
        }
      }
      try await group.waitForAll()
    }
    let deadline = ContinuousClock.now + Limits.drainTimeout
    while clock.arrivedCount < count {
      guard ContinuousClock.now < deadline else {
        throw BenchError("\(count - clock.arrivedCount) of \(count) messages did not arrive")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
    return clock.outcome
  }
}
