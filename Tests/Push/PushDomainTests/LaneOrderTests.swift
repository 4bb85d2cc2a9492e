import EventSourcing
import PushDomain
import Testing

@Suite("Courier lane, whose turn it is")
struct LaneOrderTests {
  var rig = LaneRig(inFlight: 2)

  @Test("as many start as may run at once; the next when one has ended or had nothing to send")
  mutating func bound() {
    #expect(rig.offer("a") == [.start(key: "a")] && rig.offer("b") == [.start(key: "b")])
    #expect(rig.offer("c").isEmpty && rig.offer("d").isEmpty)
    #expect(rig.machine.runningCount == 2 && rig.machine.waitingCount == 2)
    #expect(rig.end("b", .delivered()).actions == [.start(key: "c")])
    #expect(rig.release("a") == [.start(key: "d")])
    #expect(rig.end("c", .busy).actions.isEmpty && rig.release("d").isEmpty)
    #expect(rig.machine.runningCount == 0 && rig.machine.waitingCount == 0)
  }

  @Test("a bound below one is one", arguments: [0, -5])
  mutating func boundBelowOne(bound: Int) {
    rig = LaneRig(inFlight: bound)
    #expect(rig.offer("a") == [.start(key: "a")])
    #expect(rig.offer("b").isEmpty)
  }

  @Test("high before normal, then the longest wait, then the order of the offers")
  mutating func order() {
    rig = LaneRig(inFlight: 1)
    rig.offer("first")
    rig.offer("n-young", .normal, age: 1)
    rig.offer("h-young-1", age: 1)
    rig.offer("h-young-2", age: 1)
    rig.offer("n-old", .normal, age: 9)
    rig.offer("h-old", age: 5)
    var turn = "first", order: [String] = []
    while case .start(let next)? = rig.end(turn, .delivered()).actions.first {
      order.append(next)
      turn = next
    }
    #expect(order == ["h-old", "h-young-1", "h-young-2", "n-old", "n-young"])
  }

  @Test("an offer that comes again with more priority moves up; one with less changes nothing; it is one turn in all")
  mutating func raise() {
    rig = LaneRig(inFlight: 1)
    rig.offer("first")
    rig.offer("a", .normal, age: 9)
    rig.offer("b", .normal, age: 8)
    rig.offer("b", .high)
    rig.offer("b", .normal, age: 100)
    #expect(rig.machine.waitingCount == 2)
    #expect(rig.end("first", .delivered()).actions == [.start(key: "b")])
    #expect(rig.end("b", .delivered()).actions == [.start(key: "a")])
    #expect(rig.end("a", .delivered()).actions.isEmpty && rig.machine.waitingCount == 0)
  }

  @Test("an offer during the turn waits for its end, the most urgent of several; it is one turn in all")
  mutating func offerWhileRunning() {
    rig = LaneRig(inFlight: 1)
    rig.offer("a")
    rig.offer("b", .normal, age: 9)
    #expect(rig.offer("a", .high).isEmpty && rig.offer("a", .normal, age: 1).isEmpty)
    #expect(rig.machine.waitingCount == 1)
    #expect(rig.end("a", .delivered()).actions == [.start(key: "a")])
    #expect(rig.end("a", .delivered()).actions == [.start(key: "b")])
    #expect(rig.release("b").isEmpty)
  }

  @Test("a place is reserved while one is left and nobody waits; given back, it is the next one's")
  mutating func reserve() {
    #expect(rig.reserve("a") == true && rig.reserve("a") == false)
    #expect(rig.offer("b") == [.start(key: "b")])
    #expect(rig.reserve("c") == false)
    #expect(rig.offer("d").isEmpty)
    // What it offers during its turn waits for its end, as always.
    #expect(rig.offer("a").isEmpty)
    #expect(rig.release("a") == [.start(key: "d")])
    #expect(rig.end("b", .delivered()).actions == [.start(key: "a")])
    #expect(rig.reserve("c") == false)
    rig.end("a", .delivered())
    #expect(rig.reserve("c") == true)
    #expect(rig.machine.runningCount == 2 && rig.machine.waitingCount == 0)
  }

  @Test("a place is reserved within the rate, and costs its share also if it was for nothing")
  mutating func reserveWithinRate() {
    rig = LaneRig(inFlight: 10, perSecond: 4)
    #expect(rig.reserve("a") == true)
    rig.release("a")
    #expect(rig.reserve("b") == false)
    rig.pass(.milliseconds(250))
    #expect(rig.reserve("b") == true)
  }

  @Test("no place is reserved in a lane that waits for somebody's sake, pauses, is open or off")
  mutating func noReserve() throws {
    rig = LaneRig(inFlight: 1, isEndpoint: true)
    rig.run(1, .lanePaused(reason: "429", for: .seconds(3)))
    #expect(rig.reserve("a") == false)
    rig.offer("b")
    // The pause is over, and the timer has not fired: who waits goes first.
    rig.now = rig.now.advanced(by: .seconds(3))
    #expect(rig.reserve("a") == false)
    try rig.passToTimer()
    rig.end("b", .wrongKey)
    #expect(rig.machine.condition == .open && rig.reserve("a") == false)
    // Nor as the probe.
    rig.pass(.seconds(60))
    #expect(rig.reserve("a") == false)
    rig.offer("b")
    rig.end("b", .endpointGone(reason: "410"))
    #expect(rig.machine.condition == .off && rig.reserve("a") == false)
    rig.reset()
    #expect(rig.reserve("a") == true)
  }

  @Test("an end that comes twice, or for nobody, changes nothing")
  mutating func staleEnds() {
    rig = LaneRig(inFlight: 1)
    rig.offer("a")
    rig.offer("b")
    #expect(rig.end("b", .wrongKey) == (.wrongKey, []))
    #expect(rig.end("a", .delivered()).actions == [.start(key: "b")])
    #expect(rig.end("a", .wrongKey) == (.wrongKey, []) && rig.release("a").isEmpty)
    #expect(rig.machine.condition == .closed && rig.machine.runningCount == 1)
  }

  @Test("no more start in a second than may; a quarter of a second's may start at once")
  mutating func rate() throws {
    rig = LaneRig(inFlight: 1_000, perSecond: 40)
    for number in 0..<100 { rig.offer("\(number)", age: 100 - number) }
    #expect(rig.running.count == 10)
    let start = rig.now
    while rig.machine.waitingCount > 0 {
      try rig.passToTimer()
      let allowed = 10 + Double(rig.now.milliseconds - start.milliseconds) * 40 / 1_000
      #expect(Double(rig.running.count) <= allowed)
    }
    let elapsed = rig.now.milliseconds - start.milliseconds
    #expect(2_250...2_300 ~= elapsed, "90 at 40 a second: \(elapsed) ms")
    // What was not used is not saved up.
    rig.pass(.seconds(3_600))
    for number in 100..<120 { rig.offer("\(number)") }
    #expect(rig.running.count == 110)
  }

  @Test(
    "a rate of a few, of many, and of none is kept",
    arguments: [
      (1, 1, 999...1_001), (2, 1, 499...501), (8_000, 2_000, 1...1), (0, 1, 999...1_001), (-3, 1, 999...1_001),
    ])
  mutating func rates(perSecond: Int, atOnce: Int, milliseconds: ClosedRange<Int64>) throws {
    rig = LaneRig(inFlight: 10_000, perSecond: perSecond)
    for number in 0...atOnce { rig.offer("\(number)") }
    #expect(rig.running.count == atOnce)
    let start = rig.now
    while rig.running.count == atOnce { try rig.passToTimer() }
    #expect(milliseconds ~= rig.now.milliseconds - start.milliseconds)
  }

  @Test("a clock that was set back holds the rate up for no longer than its own second")
  mutating func clockSetBack() throws {
    rig = LaneRig(inFlight: 10, perSecond: 4)
    rig.offer("a")
    rig.now = rig.now.advanced(by: .seconds(-3_600))
    rig.offer("b")
    let start = rig.now
    try rig.passToTimer()
    #expect(rig.running == ["a", "b"] && rig.now == start.advanced(by: .milliseconds(250)))
  }

  @Test("the age is that of the oldest that waits; a clock set back gives none")
  mutating func age() {
    #expect(rig.machine.oldestAge(now: rig.now) == .zero)
    rig = LaneRig(inFlight: 1)
    rig.offer("first", age: 100)
    rig.offer("a", .normal, age: 7)
    rig.offer("b", .high, age: 3)
    #expect(rig.machine.oldestAge(now: rig.now) == .seconds(7))
    #expect(rig.machine.oldestAge(now: rig.now.advanced(by: .seconds(-60))) == .zero)
  }

  @Test("idle when it is empty, and some time after the last call nothing of it is remembered")
  mutating func idle() {
    #expect(rig.machine.isIdle && rig.machine.isIdle(at: rig.now))
    rig.offer("a")
    #expect(!rig.machine.isIdle(at: rig.now.advanced(by: .seconds(86_400))))
    rig.end("a", .delivered())
    #expect(!rig.machine.isIdle && !rig.machine.isIdle(at: rig.now.advanced(by: .seconds(299))))
    #expect(rig.machine.isIdle(at: rig.now.advanced(by: .seconds(600))))
    rig.offer("a")
    rig.end("a", .lanePaused(reason: "429", for: .seconds(3_600)))
    #expect(!rig.machine.isIdle(at: rig.now.advanced(by: .seconds(3_599))))
    #expect(rig.machine.isIdle(at: rig.now.advanced(by: .seconds(3_600))))
    rig.now = rig.now.advanced(by: .seconds(3_600))
    rig.run(1, .wrongKey)
    #expect(!rig.machine.isIdle(at: rig.now.advanced(by: .seconds(86_400))))
  }
}

@Suite("Courier lane, 100,000 queues")
struct LaneCrowdTests {
  @Test("they stay in order, one turn each, and offers that come again pile nothing up")
  func crowd() throws {
    var machine = CourierLaneMachine(settings: .init(CourierLane(id: "l", label: "l", inFlightMaximum: 1)))
    var random = SplitMix64(state: 7)
    let now = Timestamp(milliseconds: 1_770_000_000_000)
    var best: [String: (PushPriority, Int64)] = [:]
    #expect(machine.offer("first", .high, since: now, now: now) == [.start(key: "first")])
    for round in 0..<3 {
      for number in 0..<100_000 where round == 0 || number % 2 == 0 {
        let priority = Bool.random(using: &random) ? PushPriority.high : .normal
        let age = Int64.random(in: 0..<1_000_000, using: &random)
        let key = "q\(number)"
        #expect(
          machine.offer(key, priority, since: Timestamp(milliseconds: now.milliseconds - age), now: now).isEmpty)
        let former = best[key] ?? (.normal, -1)
        if (priority, age) > former { best[key] = (priority, age) }
      }
    }
    #expect(machine.waitingCount == 100_000)
    // What holds the tickets is at most twice as large as what waits.
    #expect(try held(machine) <= 200_000)
    var turn = "first"
    var last: (PushPriority, Int64) = (.high, .max)
    var seen: Set<String> = []
    while case .start(let next)? = machine.ended(turn, .delivered(), jitter: 0, now: now).actions.first {
      let rank = try #require(best[next])
      if rank > last || !seen.insert(next).inserted {
        Issue.record("out of order: \(next)")
        break
      }
      (turn, last) = (next, rank)
    }
    #expect(seen.count == 100_000 && machine.waitingCount == 0 && machine.runningCount == 0)
  }

  @Test("one queue that is offered for ever takes the room of a few")
  func oneForEver() throws {
    var machine = CourierLaneMachine(settings: .init(CourierLane(id: "l", label: "l", inFlightMaximum: 1)))
    let now = Timestamp(milliseconds: 1_770_000_000_000)
    _ = machine.offer("first", .high, since: now, now: now)
    for number in 0..<200_000 {
      _ = machine.offer("q", .high, since: Timestamp(milliseconds: now.milliseconds - Int64(number)), now: now)
    }
    #expect(try held(machine) <= 65)
    #expect(machine.ended("first", .delivered(), jitter: 0, now: now).actions == [.start(key: "q")])
    #expect(machine.ended("q", .delivered(), jitter: 0, now: now).actions.isEmpty)
  }

  /// Tickets in memory, stale ones too.
  private func held(_ machine: CourierLaneMachine) throws -> Int {
    try #require(Mirror(reflecting: machine).descendant("waiting", "_storage") as? any Collection).count
  }
}
