import BenchReport
import CarillonClient

/// The chat on a primary that nobody follows, on one that a standby follows, and on one that waits for its standby: in
/// turn, on a server and a journal of its own each time.
struct StandbyCostRun {
  /// What a standby may take of the primary.
  static let costMaximum = 0.05
  /// What a primary that waits may not fall below, of one that does not.
  static let waitingMinimum = 0.5

  private enum Manner: String, CaseIterable {
    case alone, followed, waiting
  }

  let chats: Int
  let window: Int
  /// Messages a second of the phase at a fixed rate.
  let rate: Double
  let pairs: Int
  let seconds: Int

  func measure() async throws -> [Measurement] {
    var figures: [Manner: [[Measurement]]] = [:]
    for round in 1...pairs {
      // Whoever comes second finds the disk at work for the first: they change places with each round.
      for manner in round.isMultiple(of: 2) ? Manner.allCases.reversed() : Manner.allCases {
        Terminal.note("standby: the chat \(manner.rawValue), \(round) of \(pairs)")
        figures[manner, default: []].append(try await measure(manner))
      }
    }
    func compare(_ before: Manner, _ after: Manner) -> Comparison {
      Comparison(zip(figures[before] ?? [], figures[after] ?? []).map { (before: $0, after: $1) })
    }
    return results(compare(.alone, .followed), compare(.followed, .waiting))
  }

  // MARK: One server

  private static let (delivered, cpu, relative, pacedCPU, pacedRelative, standby) = (
    "delivered", "cpu", "cpu.relative", "paced.cpu", "paced.cpu.relative", "standby.cpu"
  )

  private func measure(_ manner: Manner) async throws -> [Measurement] {
    let server = try await BenchServer(
      in: try WorkDirectory(), options: manner == .waiting ? ["standby.wait: true"] : [])
    return try await server.measuring {
      try await server.waitUntilReady()
      let standby = manner == .alone ? nil : try await BenchStandby(of: server)
      defer { standby?.stop() }
      if let standby {
        let watch = try await StandbyWatch(server)
        defer { watch.close() }
        try await watch.waitUntilLevel(standby)
      }
      let settings = ChatLoad.Settings(address: server.address, agentToken: server.agentToken, customers: chats)
      return try await ChatLoad.warmed(settings, window: window) { load in
        let maximum = try await cost(server, standby) { try await load.run(.closed(window: window), for: $0) }
        var results = [Measurement(Self.delivered, maximum.result.perSecond, "messages/s")]
        results += maximum.measurements(Self.cpu, Self.relative)
        if let standby = maximum.standby { results.append(Measurement(Self.standby, standby, "µs/message")) }
        guard manner != .waiting else { return results }
        let paced = try await cost(server, standby) { try await load.run(.open(rate: rate), for: $0) }
        return results + paced.measurements(Self.pacedCPU, Self.pacedRelative)
      }
    }
  }

  /// A phase, with the processor time of each message, in microseconds.
  private struct Cost {
    let result: PhaseResult
    let server: Double
    let generator: Double
    let standby: Double?

    func measurements(_ name: String, _ relative: String) -> [Measurement] {
      [Measurement(name, server, "µs/message"), Measurement(relative, server / generator, Sides.relativeUnit)]
    }
  }

  private func cost(
    _ server: BenchServer, _ standby: BenchStandby?, _ phase: (Duration) async throws -> PhaseResult
  ) async throws -> Cost {
    let processes = [server.pid, ownPID()] + [standby?.pid].compactMap(\.self)
    func sample() throws -> [Double] { try processes.map { try ProcessSample(of: $0).cpuSeconds } }
    let before = try sample()
    let result = try await phase(.seconds(seconds))
    // Those too that came after the phase's end: their time is in the sums.
    let count = Double(max(1, result.latencies.count))
    let used = zip(try sample(), before).map { ($0 - $1) * 1e6 / count }
    return Cost(result: result, server: used[0], generator: used[1], standby: standby == nil ? nil : used[2])
  }

  // MARK: What comes of it

  private func results(_ cost: Comparison, _ waiting: Comparison) -> [Measurement] {
    let common = "\(chats) chats over long polling"
    let maximum = "\(common) at the maximum, window \(window)"
    let paced = "\(common), \(Int(rate)) messages/s"
    let most = 1 + Self.costMaximum
    func row(_ comparison: Comparison, _ name: String) -> Comparison.Row? {
      comparison.rows.first { $0.name == name }
    }
    func ratio(_ name: String, _ row: Comparison.Row?, _ unit: String, _ phase: String, _ bar: Bar) -> Measurement? {
      row.map { row in
        let (least, greatest) = (row.ratios.min() ?? 0, row.ratios.max() ?? 0)
        let range = "\(Measurement.decimal(least, digits: 2))-\(Measurement.decimal(greatest, digits: 2))"
        return Measurement(
          name, row.ratio, unit,
          settings: "\(bar.goal(row.ratio)), median of \(row.ratios.count) pairs, \(range); \(phase)")
      }
    }
    func median(_ name: String, _ value: Double?, _ unit: String, _ phase: String) -> Measurement? {
      value.map { Measurement(name, $0, unit, settings: "median of \(pairs); \(phase)") }
    }
    let alone = "× alone"
    let throughput = [
      median("standby.alone.delivered", row(cost, Self.delivered)?.before, "messages/s", maximum),
      median("standby.followed.delivered", row(cost, Self.delivered)?.after, "messages/s", maximum),
      median("standby.waiting.delivered", row(waiting, Self.delivered)?.after, "messages/s", maximum),
      ratio(
        "standby.cost.delivered", row(cost, Self.delivered), alone, maximum, .atLeast(1 - Self.costMaximum)),
      ratio(
        "standby.wait.delivered", row(waiting, Self.delivered), "× without waiting", maximum,
        .atLeast(Self.waitingMinimum)),
    ]
    let processor = [
      median("standby.alone.cpu", row(cost, Self.cpu)?.before, "µs/message", "primary; \(maximum)"),
      median("standby.followed.cpu", row(cost, Self.cpu)?.after, "µs/message", "primary; \(maximum)"),
      median("standby.cpu", row(waiting, Self.standby)?.before, "µs/message", "the standby itself; \(maximum)"),
      ratio("standby.cost.cpu", row(cost, Self.cpu), alone, maximum, .atMost(most)),
      ratio(
        "standby.cost.cpu.relative", row(cost, Self.relative), alone, "by the load generator's; \(maximum)",
        .atMost(most)),
      ratio("standby.cost.paced.cpu", row(cost, Self.pacedCPU), alone, paced, .atMost(most)),
      ratio(
        "standby.cost.paced.cpu.relative", row(cost, Self.pacedRelative), alone, "by the load generator's; \(paced)",
        .atMost(most)),
    ]
    return (throughput + processor).compactMap(\.self)
  }
}

extension Bar {
  fileprivate func goal(_ value: Double) -> String {
    switch self {
    case .atLeast(let least): PushGoal.atLeast(least, value)
    case .atMost(let most): PushGoal.atMost(most, value)
    }
  }
}
