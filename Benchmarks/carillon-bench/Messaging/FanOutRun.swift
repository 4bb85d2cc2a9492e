import BenchReport
import CarillonClient
import Engine
import NIOCore

/// One message to a topic with very many subscribers: how soon it is accepted, how soon everybody has it, and what it
/// does to messages that are sent meanwhile.
struct FanOutRun {
  static let target = 50.0
  private static let topic = "/topics/news"
  private static let rate = 200.0
  /// Subscribers with a connection, the last of all among them: it is served last.
  private static let watchers = 200
  private static let others = 200
  let subscribers: Int
  let seconds: Int

  func measure() async throws -> [Measurement] {
    let directory = try WorkDirectory()
    let others = try await BenchDevice.make(Self.others, in: directory)
    let members = try await BenchDevice.make(subscribers, in: directory, topic: "news")
      .sorted { $0.credentials.id.androidID < $1.credentials.id.androidID }
    let server = try await MessagingServer.start(in: directory)
    return try await server.measuring {
      let step = max(1, members.count / Self.watchers)
      let watching = stride(from: members.count - 1, through: 0, by: -step).map { members[$0] }
      let watchers = try await DeviceFleet.connect(watching, to: server)
      let singles = try await DeliveryLoad.open(others, server)
      Terminal.note("gcm: a topic with \(subscribers) subscribers, \(Int(Self.rate)) other messages/s")
      _ = try await singles.run(rate: Self.rate, for: .seconds(2))
      let alone = try await singles.run(rate: Self.rate, for: .seconds(seconds)).latencies

      let before = try server.sample()
      let share = MachineShare(with: [server.http.pid])
      async let besides = singles.run(rate: Self.rate, for: .seconds(seconds))
      // Into the middle of them.
      try await Task.sleep(for: .milliseconds(500))
      let start = ContinuousClock.now
      let accepted = try await accept(server)
      try await Self.untilServed(watchers, watching.count)
      let drained = (ContinuousClock.now - start).inSeconds
      let cpu = try server.sample().cpuSeconds - before.cpuSeconds
      let during = try await besides.latencies
      try await singles.close()
      try await watchers.eventLoop.submit { watchers.value.close() }.get()
      return [
        Measurement(
          "gcm.fanout.accepted", accepted * 1_000, "ms",
          settings: PushGoal.atMost(Self.target, accepted * 1_000)
            + ", topic with \(subscribers) subscribers; \(share.text)"),
        Measurement(
          "gcm.fanout.drained", drained, "s", settings: "until the last subscriber has it, \(watching.count) connected"),
        Measurement(
          "gcm.fanout.cpu", cpu / Double(subscribers) * 1e6, "µs/subscriber",
          settings: "server, the other messages included"),
        Measurement("gcm.fanout.alone.p50", alone[50], "ms", settings: "other messages, request to device, before"),
        Measurement("gcm.fanout.alone.p99", alone[99], "ms", settings: "\(Int(Self.rate))/s"),
        Measurement("gcm.fanout.during.p50", during[50], "ms", settings: "the same while the topic is served"),
        Measurement("gcm.fanout.during.p99", during[99], "ms", settings: "\(during.count) messages"),
      ]
    }
  }

  /// Seconds until the topic's message is accepted.
  private func accept(_ server: MessagingServer) async throws -> Double {
    let pool = HTTPPool(server.address)
    defer { pool.shutDown() }
    // The connection is there already.
    _ = try await pool.response(to: HTTPRequest(.get, "/health/live"), timeout: Limits.requestTimeout)
    let request = HTTPRequest(
      .post, "/gcm/send", headers: [("Authorization", "key=\(server.senderKey)")], contentType: "application/json",
      body: BenchMessage.shared.body(0, to: Self.topic))
    let start = ContinuousClock.now
    let response = try await pool.response(to: request, timeout: Limits.requestTimeout)
    guard response.status == 200, String(buffer: response.body).contains("message_id") else {
      throw BenchError("the topic's message was refused: \(response.status) \(String(buffer: response.body))")
    }
    return (ContinuousClock.now - start).inSeconds
  }

  private static func untilServed(_ watchers: NIOLoopBound<DeviceFleet>, _ count: Int) async throws {
    let deadline = ContinuousClock.now + Limits.setUpTimeout
    while true {
      let arrived = try await watchers.eventLoop.submit {
        if let failure = watchers.value.failure { throw failure }
        return watchers.value.messageCount
      }.get()
      guard arrived < count else { return }
      guard ContinuousClock.now < deadline else { throw BenchError("only \(arrived) of \(count) got the message") }
      try await Task.sleep(for: .milliseconds(2))
    }
  }
}
