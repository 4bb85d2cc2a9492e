import BenchReport
import Engine
import EntityRuntime
import EventSourcing

/// Very many callbacks whose time is the same second: how long until the last of their customers has been told, whether
/// they wait for nobody or for as many agents as there are callbacks.
struct DueRun {
  static let target = 10.0
  let callbacks: Int
  let waitsForAgents: Bool

  /// They are ordered well before their time.
  private static let ordersPerSecond = 2_500
  private static let timeout = Duration.seconds(120)
  /// For a push that comes once too often.
  private static let silence = Duration.seconds(2)

  func measure() async throws -> [Measurement] {
    try await CallbackWorld.during(in: try WorkDirectory()) { world in
      Terminal.note(
        "callback: \(callbacks) fall due in the same second" + (waitsForAgents ? ", as many agents wait" : ""))
      let due = Self.wholeSecond(after: .seconds(5 + callbacks / Self.ordersPerSecond * (waitsForAgents ? 2 : 1)))
      let waits = waitsForAgents
      try await world.order(0..<callbacks) { CallbackStock.order($0, at: due, waitsForAgent: waits) }
      if waitsForAgents { try await seatAgents(world.engine) }
      guard SystemTime().now < due, world.courier.count == 0 else {
        throw BenchError("the callbacks fell due before all were ordered")
      }
      let share = MachineShare()
      try await untilAllTold(world.courier, due)
      let busy = share.text
      try await Task.sleep(for: Self.silence)
      guard world.courier.count == callbacks, world.courier.repetitions == 0 else {
        throw BenchError("\(world.courier.count) customers were told, \(world.courier.repetitions) more than once")
      }
      return results(
        LatencyHistogram(world.courier.arrivals.map { ($0.milliseconds - due.milliseconds) * 1_000_000 }), busy)
    }
  }

  private func results(_ delays: LatencyHistogram, _ busy: String) -> [Measurement] {
    let name = waitsForAgents ? "callback.due.agents" : "callback.due"
    let last = delays[100] / 1_000
    let how =
      waitsForAgents
      ? "agent found and reserved for each, \(callbacks) of them ready" : "without waiting for an agent"
    return [
      Measurement(
        name, last, "s",
        settings: PushGoal.atMost(Self.target, last)
          + ", from the second in which \(callbacks) callbacks fall due until the courier has the last push, \(how), "
          + "none twice; \(busy)"),
      Measurement("\(name).p50", delays[50] / 1_000, "s", settings: "half of them"),
      Measurement("\(name).rate", Double(callbacks) / max(last, 0.001), "callbacks/s", settings: "pushed meanwhile"),
    ]
  }

  private func seatAgents(_ engine: Engine) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<CallbackStock.ordersAtOnce {
        group.addTask {
          for agent in stride(from: worker, to: callbacks, by: CallbackStock.ordersAtOnce) {
            try await engine.agents.setReady(AgentViewer(id: "agent-\(agent)"), true)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private func untilAllTold(_ courier: CountingCourier, _ due: Timestamp) async throws {
    let deadline = due.advanced(by: Self.timeout)
    while courier.count < callbacks {
      guard SystemTime().now < deadline else {
        throw BenchError("only \(courier.count) of \(callbacks) customers were told")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  /// Times of callbacks have no fraction.
  private static func wholeSecond(after delay: Duration) -> Timestamp {
    let time = SystemTime().now.advanced(by: delay)
    return Timestamp(milliseconds: (time.milliseconds / 1_000 + 1) * 1_000)
  }
}
