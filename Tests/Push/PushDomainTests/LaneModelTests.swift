import EventSourcing
import PushDomain
import Testing

/// Random offers, answers and times against the promises of a lane.
@Suite("Courier lane, random histories")
struct LaneModelTests {
  @Test("one turn for each offer, never two of a queue, never above the bounds, nobody forgotten", arguments: 1...60)
  func history(seed: Int) throws {
    var run = LaneRun(seed: UInt64(seed))
    for _ in 0..<1_500 { run.step() }
    try run.drain()
  }
}

private struct LaneRun {
  var random: SplitMix64
  var rig: LaneRig
  /// Queues whose offer has had no turn yet: exactly these are waiting, or have offered during their turn.
  var owed: Set<String> = []
  var starts: [Timestamp] = []
  let perSecond: Int?
  let seed: UInt64

  init(seed: UInt64) {
    self.seed = seed
    random = SplitMix64(state: seed)
    perSecond = [nil, 5, 100].randomElement(using: &random) ?? nil
    var settings = CourierLaneMachine.Settings()
    settings.inFlightMaximum = Int.random(in: 1...8, using: &random)
    settings.perSecondMaximum = perSecond
    settings.isEndpoint = Bool.random(using: &random)
    settings.offAfter = .seconds(600)
    rig = LaneRig(settings)
  }

  mutating func step() {
    rig.jitter = Double.random(in: 0...1, using: &random)
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<5: reserve()
    case 5..<40:
      let key = "\(Int.random(in: 0..<30, using: &random))"
      owed.insert(key)
      noted(
        rig.offer(
          key, Bool.random(using: &random) ? .high : .normal, age: Int.random(in: 0..<100, using: &random)))
    case 40..<80: answer()
    case 80..<98: noted(rig.pass(.milliseconds(Int.random(in: 0..<8_000, using: &random))))
    case 98: noted(rig.pass(.seconds(Int.random(in: 0..<1_000, using: &random))))
    default: noted(rig.reset())
    }
    check()
  }

  /// Nobody is overtaken, and nothing goes to a lane that fails.
  mutating func reserve() {
    let hasNobody = rig.machine.waitingCount == 0
    guard rig.reserve("\(Int.random(in: 0..<30, using: &random))") else { return }
    #expect(hasNobody && rig.machine.condition == .closed, "seed \(seed)")
    starts.append(rig.now)
  }

  mutating func answer(always outcome: PushOutcome? = nil) {
    if let key = rig.refused.sorted().randomElement(using: &random), outcome != nil || Bool.random(using: &random) {
      return noted(rig.release(key))
    }
    guard let key = rig.running.sorted().randomElement(using: &random) else { return }
    if outcome == nil, Int.random(in: 0..<8, using: &random) == 0 { return noted(rig.release(key)) }
    let outcomes: [PushOutcome] = [
      .delivered(), .delivered(), .busy, .busy, .down, .down, .down, .refused(reason: "400"),
      .unregistered(reason: "410"), .unregistered(reason: "400", isSuspect: true), .unprocessed(reason: "GOAWAY"),
      .unprocessed(reason: "no route", isTransport: true), .wrongKey, .lanePaused(reason: "429", for: .seconds(3)),
    ]
    let chosen = outcome ?? outcomes.randomElement(using: &random) ?? .delivered()
    let wasOpen = rig.machine.condition != .closed
    let (told, actions) = rig.end(key, chosen)
    switch told {
    case chosen: break
    case .laneBroken: #expect(chosen.isFailure, "seed \(seed)")
    case .retryable: #expect(!wasOpen && chosen.isFailure, "seed \(seed)")
    case .refused: #expect(chosen == .unregistered(reason: "400", isSuspect: true), "seed \(seed)")
    default: Issue.record("told \(told) for \(chosen); seed \(seed)")
    }
    noted(actions)
  }

  mutating func noted(_ actions: [CourierLaneMachine.Action]) {
    for action in actions {
      switch action {
      case .start(let key):
        #expect(owed.remove(key) != nil, "a turn that nobody asked for; seed \(seed)")
        starts.append(rig.now)
      case .refuse(let key, _):
        #expect(owed.remove(key) != nil, "a turn that nobody asked for; seed \(seed)")
        #expect(rig.machine.settings.isEndpoint, "seed \(seed)")
      case .arm(let at): #expect(at > rig.now, "seed \(seed)")
      case .changed(let condition, _): #expect(condition == rig.machine.condition, "seed \(seed)")
      }
    }
  }

  func check() {
    let turns = rig.running.union(rig.refused)
    #expect(rig.machine.waitingCount == owed.subtracting(turns).count, "seed \(seed)")
    // Whoever waits has somebody who wakes the lane: a turn that ends, or the timer.
    #expect(rig.machine.waitingCount == 0 || !turns.isEmpty || rig.armed != nil, "nobody comes; seed \(seed)")
    if let perSecond {
      let last = starts.reversed().prefix { rig.now.milliseconds - $0.milliseconds < 1_000 }.count
      #expect(last <= perSecond + max(1, perSecond / 4), "rate; seed \(seed)")
    }
  }

  /// Everybody gets a turn once the provider is well again.
  mutating func drain() throws {
    var steps = 0
    while !owed.isEmpty || rig.machine.runningCount > 0 {
      steps += 1
      try #require(steps < 5_000, "the lane is stuck; seed \(seed)")
      if rig.machine.runningCount > 0 {
        answer(always: .delivered())
      } else {
        noted(try rig.passToTimer())
      }
      check()
    }
    #expect(rig.machine.waitingCount == 0 && rig.machine.runningCount == 0, "seed \(seed)")
  }
}

extension PushOutcome {
  fileprivate var isFailure: Bool {
    switch self {
    case .retryable, .rejected, .unprocessed, .endpointGone, .laneBroken: true
    case .delivered, .refused, .unregistered, .lanePaused: false
    }
  }
}
