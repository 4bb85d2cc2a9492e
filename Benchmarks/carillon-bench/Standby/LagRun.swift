import BenchReport
import CarillonClient

/// How far a standby on loopback is behind, while chats make events at a fixed rate.
struct LagRun {
  static let millisecondsMaximum = 50.0
  private static let window = 64

  /// Events a second.
  let rate: Double
  let chats: Int
  let seconds: Int

  func measure() async throws -> [Measurement] {
    let server = try await BenchServer.start()
    return try await server.measuring {
      let standby = try await BenchStandby(of: server)
      defer { standby.stop() }
      let watch = try await StandbyWatch(server)
      defer { watch.close() }
      try await watch.waitUntilLevel(standby)
      Terminal.note("standby: setting up \(chats) chats")
      let settings = ChatLoad.Settings(address: server.address, agentToken: server.agentToken, customers: chats)
      return try await ChatLoad.warmed(settings, window: Self.window) { load in
        // What a message leaves in the journal is more than itself: a part of the rate tells how much.
        let before = try await watch.waitUntilLevel(standby)
        let sent = try await load.run(.open(rate: rate / 4), for: .seconds(3)).latencies.count
        let records = Double(try await watch.waitUntilLevel(standby) - before)
        guard sent > 0, records > 0 else { throw BenchError("messages leave nothing in the journal") }
        let messages = rate * Double(sent) / records
        Terminal.note("standby: \(Int(rate)) events/s, \(Int(messages)) messages/s, \(seconds) s")
        async let phase = load.run(.open(rate: messages), for: .seconds(seconds))
        let followed = try await watch.follow(standby, for: .seconds(seconds))
        _ = try await phase
        return results(followed)
      }
    }
  }

  private func results(_ followed: FollowedRecords) -> [Measurement] {
    let between = Measurement.decimal(followed.millisecondsBetweenAnswers, digits: 1)
    let settings =
      "from the primary's disk to the standby's, acknowledged; asked every \(between) ms, by which times may be too long"
    return followed.latencies.measurements(
      "standby.lag", settings: settings,
      p99: PushGoal.atMost(Self.millisecondsMaximum, followed.latencies[99]) + ", \(settings)")
      + [
        Measurement(
          "standby.lag.rate", followed.recordsPerSecond, "events/s",
          settings: "\(Int(rate)) wanted, of \(chats) chats over long polling")
      ]
  }
}
