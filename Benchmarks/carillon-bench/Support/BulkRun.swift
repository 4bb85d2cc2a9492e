import BenchReport
import Engine

/// A back end unregisters very many dead devices in one call, each of another user.
struct BulkRun {
  static let target = 100.0
  let tokens: Int

  private static let rounds = 10

  func measure() async throws -> [Measurement] {
    Terminal.note("support: \(tokens) devices unregistered at once, \(Self.rounds) times")
    return try await SupportWorld.during(in: try WorkDirectory(), SupportWorld.sections(webhook: nil)) { world in
      let users = try await world.signIn(tokens)
      var nanoseconds: [Int64] = []
      let share = MachineShare()
      // The first one warms up.
      for round in 0...Self.rounds {
        let identifiers = (0..<tokens).map { PushStock.token(round * tokens + $0) }
        _ = try await world.each(0..<tokens) { try await world.register(identifiers[$0], "ios", of: users[$0].actor) }
        let began = ContinuousClock.now
        let (removed, unknown) = try await world.engine.support.unregister(identifiers: identifiers)
        let elapsed = (ContinuousClock.now - began).wholeNanoseconds
        guard removed == tokens, unknown == 0 else { throw BenchError("\(removed) of \(tokens) were unregistered") }
        if round > 0 { nanoseconds.append(elapsed) }
      }
      let times = LatencyHistogram(nanoseconds)
      return [
        Measurement(
          "support.bulk", times[100], "ms",
          settings: PushGoal.atMost(Self.target, times[100])
            + ", \(tokens) devices of as many users unregistered in one call, durable before its answer, slowest of "
            + "\(Self.rounds), median \(Measurement("", times[50], "").text) ms; \(share.text)")
      ]
    }
  }
}
