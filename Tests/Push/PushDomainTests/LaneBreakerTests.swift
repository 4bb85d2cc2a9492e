import EventSourcing
import PushDomain
import Testing

@Suite("Courier lane, breaker")
struct LaneBreakerTests {
  var rig = LaneRig()

  @Test("20 transport failures in a row open it, and not 19; the 20th still counts as an attempt")
  mutating func opens() {
    rig.run(19, .down)
    #expect(rig.machine.condition == .closed)
    rig.offer("a")
    let (told, actions) = rig.end("a", .down)
    #expect(told == .down && actions == [.changed(to: .open, reason: "connection refused")])
    #expect(rig.machine.condition == .open)
    #expect(rig.offer("b") == [.arm(at: rig.now.advanced(by: .seconds(1)))])
  }

  @Test(
    "any answer in between begins the row anew",
    arguments: [
      .delivered(), .busy, .refused(reason: "400"), .unregistered(reason: "410"),
      .unregistered(reason: "400", isSuspect: true),
    ] as [PushOutcome])
  mutating func row(answer: PushOutcome) {
    rig.run(19, .down)
    rig.run(1, answer)
    rig.run(19, .down)
    #expect(rig.machine.condition == .closed)
    rig.run(1, .down)
    #expect(rig.machine.condition == .open)
  }

  @Test("a connection that never came about costs an attempt while the lane is whole, and opens it in a row of 20")
  mutating func unreachable() {
    let unreachable = PushOutcome.unprocessed(reason: "no route", isTransport: true)
    for number in 1...20 {
      rig.offer("a")
      #expect(rig.end("a", unreachable).outcome == .retryable(reason: "no route", isTransport: true))
      #expect(rig.machine.condition == (number < 20 ? .closed : .open))
    }
  }

  @Test(
    "what the provider did not process neither counts nor clears", arguments: [PushOutcome.unprocessed(reason: "x")])
  mutating func unprocessed(outcome: PushOutcome) {
    rig.run(19, .down)
    rig.offer("a")
    #expect(rig.end("a", outcome).outcome == outcome)
    rig.run(1, .down)
    #expect(rig.machine.condition == .open)
  }

  @Test("a broken lane opens at once; what was under way tells nothing new and costs nothing")
  mutating func laneBroken() {
    for key in ["a", "b", "c"] { rig.offer(key) }
    #expect(rig.end("a", .wrongKey) == (.wrongKey, [.changed(to: .open, reason: "403 InvalidProviderToken")]))
    #expect(rig.end("b", .wrongKey) == (.wrongKey, []))
    #expect(rig.end("c", .down) == (.laneBroken(reason: "connection refused"), []))
  }

  @Test("probes come after 1, 2, 4 … 60 s, one at a time, and cost no attempt")
  mutating func probes() throws {
    rig.run(1, .wrongKey)
    rig.offer("a", age: 100_000)
    rig.offer("b", age: 1)
    for seconds in [1, 2, 4, 8, 16, 32, 60, 60, 60] {
      let armed = try #require(rig.armed)
      #expect(armed == rig.now.advanced(by: .seconds(seconds)))
      #expect(rig.pass(.milliseconds(seconds * 1_000 - 1)).isEmpty)
      #expect(rig.pass(.milliseconds(1)) == [.start(key: "a")])
      // Nobody else goes with it.
      #expect(rig.offer("c").isEmpty && rig.offer("b").isEmpty)
      #expect(rig.end("a", .down).outcome == .laneBroken(reason: "connection refused"))
      rig.offer("a", age: 100_000)
    }
  }

  @Test(
    "jitter shortens the pause before a probe by up to half", arguments: [(0, 500), (0.5, 750), (1, 1_000), (9, 1_000)])
  mutating func jitter(jitter: Double, milliseconds: Int) {
    rig.jitter = jitter
    rig.run(1, .wrongKey)
    #expect(rig.offer("a") == [.arm(at: rig.now.advanced(by: .milliseconds(milliseconds)))])
  }

  @Test("a probe waits for what was under way when it opened")
  mutating func probeWaits() {
    rig.offer("slow")
    rig.run(1, .wrongKey)
    rig.offer("a")
    rig.pass(.seconds(20))
    #expect(rig.running == ["slow"])
    #expect(rig.end("slow", .down).actions == [.start(key: "a")])
  }

  @Test("one success closes it; then 2, 4, 8 … at once")
  mutating func ramp() {
    rig.run(1, .wrongKey)
    for number in 0..<300 { rig.offer("\(number)", age: 300 - number) }
    rig.pass(.seconds(1))
    #expect(rig.running.count == 1)
    let (told, actions) = rig.end("0", .delivered())
    #expect(told == .delivered() && actions.first == .changed(to: .closed, reason: ""))
    #expect(rig.machine.condition == .closed)
    for expected in [2, 4, 8, 16, 32, 64, 64] {
      #expect(rig.running.count == expected)
      rig.end(rig.running.min() ?? "", .delivered())
    }
  }

  @Test(
    "a probe with any answer about the message closes it: the provider is there and takes the credentials",
    arguments: [
      .refused(reason: "413"), .unregistered(reason: "410"), .unregistered(reason: "400", isSuspect: true), .busy,
    ] as [PushOutcome])
  mutating func probeAnswered(outcome: PushOutcome) {
    rig.run(1, .wrongKey)
    rig.offer("a")
    rig.pass(.seconds(1))
    #expect(rig.end("a", outcome) == (outcome, [.changed(to: .closed, reason: "")]))
    #expect(rig.offer("b") == [.start(key: "b")])
  }

  @Test("a probe that was not processed says nothing: the next comes after the same pause")
  mutating func probeUnprocessed() throws {
    rig.run(1, .wrongKey)
    for _ in 1...3 {
      rig.offer("a")
      #expect(rig.armed == rig.now.advanced(by: .seconds(1)))
      try rig.passToTimer()
      rig.end("a", .unprocessed(reason: "GOAWAY"))
    }
    #expect(rig.machine.condition == .open)
  }

  @Test("a probe whose queue had nothing to send leaves its turn to the next at once")
  mutating func probeReleased() {
    rig.run(1, .wrongKey)
    rig.offer("a", age: 2)
    rig.offer("b", age: 1)
    #expect(rig.pass(.seconds(1)) == [.start(key: "a")])
    #expect(rig.release("a") == [.start(key: "b")])
    #expect(rig.release("b").isEmpty)
    #expect(rig.offer("c") == [.start(key: "c")] && rig.offer("d").isEmpty)
    #expect(rig.machine.condition == .open)
  }

  @Test("a success of something that was under way closes it too")
  mutating func lateSuccess() {
    rig.offer("slow")
    rig.run(1, .wrongKey)
    rig.offer("a")
    #expect(rig.end("slow", .delivered()).actions == [.changed(to: .closed, reason: ""), .start(key: "a")])
  }

  @Test("a pause that the provider wants holds all back and costs nothing; the longest counts")
  mutating func lanePaused() throws {
    for key in ["a", "b"] { rig.offer(key) }
    let long = PushOutcome.lanePaused(reason: "429", for: .seconds(60))
    let end = rig.now.advanced(by: .seconds(60))
    #expect(rig.end("a", long) == (long, []))
    rig.end("b", .lanePaused(reason: "429", for: .seconds(5)))
    #expect(rig.offer("a") == [.arm(at: end)] && rig.offer("b").isEmpty)
    #expect(rig.machine.condition == .closed)
    #expect(rig.pass(.seconds(59)).isEmpty)
    #expect(Set(rig.pass(.seconds(1)).map { "\($0)" }).count == 2 && rig.running == ["a", "b"])
  }

  @Test("a probe that is told to pause comes again when the pause is over")
  mutating func probePaused() throws {
    rig.run(1, .wrongKey)
    rig.offer("a")
    rig.pass(.seconds(1))
    rig.end("a", .lanePaused(reason: "429", for: .seconds(30)))
    #expect(rig.offer("a") == [.arm(at: rig.now.advanced(by: .seconds(30)))])
    #expect(rig.pass(.seconds(30)) == [.start(key: "a")])
  }

  @Test("a reset starts one at once, then 2, 4 …; a closed lane notices nothing")
  mutating func reset() {
    #expect(rig.reset().isEmpty)
    rig.run(1, .wrongKey)
    for key in ["a", "b", "c", "d"] { rig.offer(key) }
    #expect(rig.reset() == [.changed(to: .closed, reason: "reset"), .start(key: "a")])
    #expect(rig.end("a", .delivered()).actions == CourierLaneMachine.Action.start("b", "c"))
    #expect(rig.end("b", .wrongKey).actions == [.changed(to: .open, reason: "403 InvalidProviderToken")])
  }

  @Test("a reset ends a pause, and a probe under way goes on as an ordinary attempt")
  mutating func resetDuringProbe() {
    rig.offer("a")
    rig.end("a", .lanePaused(reason: "429", for: .seconds(600)))
    rig.offer("b")
    #expect(rig.reset() == [.start(key: "b")])
    rig.end("b", .wrongKey)
    rig.offer("c")
    rig.pass(.seconds(1))
    rig.reset()
    #expect(rig.end("c", .busy) == (.busy, []))
    #expect(rig.machine.condition == .closed)
  }

  @Test("the one timer moves to an earlier time if that will do, and to a later one if it must")
  mutating func timerMoves() throws {
    rig = LaneRig(perSecond: 4)
    rig.offer("a")
    rig.end("a", .lanePaused(reason: "429", for: .seconds(60)))
    rig.offer("b")
    rig.offer("c")
    #expect(rig.armed == rig.now.advanced(by: .seconds(60)))
    #expect(rig.reset() == [.arm(at: rig.now.advanced(by: .milliseconds(250)))])
    #expect(try rig.passToTimer().first == .start(key: "b"))
    #expect(rig.armed == rig.now.advanced(by: .milliseconds(250)))
    #expect(
      rig.end("b", .lanePaused(reason: "429", for: .seconds(5))).actions == [
        .arm(at: rig.now.advanced(by: .seconds(5)))
      ])
    #expect(try rig.passToTimer() == [.start(key: "c")])
  }

  @Test("a reset forgets the doubtful answers of the wrong environment")
  mutating func resetSuspects() {
    let doubtful = PushOutcome.unregistered(reason: "400 BadDeviceToken", isSuspect: true)
    rig.run(30, doubtful)
    rig.reset()
    rig.offer("a")
    #expect(rig.end("a", doubtful).outcome == doubtful)
  }

  /// Of 100 calls, so many said that the address is gone and could have meant the environment.
  @Test(
    "too many doubtful answers end no device; a share of the calls, of 20 at least",
    arguments: [(0, 19, false), (0, 20, true), (80, 20, false), (80, 21, true), (1_000, 40, false), (15, 4, false)])
  mutating func suspects(delivered: Int, doubtful: Int, isMilder: Bool) {
    let outcome = PushOutcome.unregistered(reason: "400 BadDeviceToken", isSuspect: true)
    rig.run(delivered, .delivered())
    rig.run(doubtful - 1, outcome)
    rig.offer("a")
    let milder = PushOutcome.refused(reason: "400 BadDeviceToken, too many of them: wrong environment?")
    #expect(rig.end("a", outcome).outcome == (isMilder ? milder : outcome))
    // An answer without doubt is believed all the same.
    rig.offer("a")
    #expect(rig.end("a", .unregistered(reason: "410")).outcome == .unregistered(reason: "410"))
    // And all of it is forgotten after a while.
    rig.pass(.seconds(1_200))
    rig.offer("a")
    #expect(rig.end("a", outcome).outcome == outcome)
  }
}
