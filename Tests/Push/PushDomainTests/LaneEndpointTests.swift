import EventSourcing
import PushDomain
import Testing

@Suite("Courier lane, endpoint")
struct LaneEndpointTests {
  var rig = LaneRig(inFlight: 16, isEndpoint: true)

  /// The last call is an error.
  @Test(
    "70 % errors of 20 calls open it, and nothing less",
    arguments: [(0, 19, false), (0, 20, true), (6, 14, true), (7, 13, false), (30, 69, false), (30, 70, true)])
  mutating func share(good: Int, bad: Int, opens: Bool) {
    rig.run(good, .delivered())
    rig.run(bad - 1, .busy)
    #expect(rig.machine.condition == .closed)
    rig.offer("a")
    let (told, actions) = rig.end("a", .busy)
    #expect(told == (opens ? .laneBroken(reason: "503") : .busy))
    #expect(actions == (opens ? [.changed(to: .open, reason: "503")] : []))
  }

  @Test("1,000 errors open it, whatever their share")
  mutating func number() {
    for _ in 0..<999 {
      rig.run(2, .delivered())
      rig.run(1, .busy)
    }
    #expect(rig.machine.condition == .closed)
    rig.run(1, .busy)
    #expect(rig.machine.condition == .open)
  }

  @Test("errors of more than five minutes ago count no longer")
  mutating func window() {
    rig.run(19, .busy)
    rig.pass(.seconds(450))
    rig.run(19, .busy)
    #expect(rig.machine.condition == .closed)
  }

  @Test("a lane that is no endpoint stays closed: its provider answers")
  mutating func noEndpoint() {
    rig = LaneRig()
    rig.run(2_000, .busy)
    #expect(rig.machine.condition == .closed)
  }

  @Test("transport failures mixed with successes open it by their share")
  mutating func transport() {
    for _ in 0..<5 {
      #expect(rig.machine.condition == .closed)
      rig.run(1, .delivered())
      rig.run(3, .down)
    }
    #expect(rig.machine.condition == .open)
  }

  @Test("a failed probe costs no attempt, whatever it was; a good one begins the count anew")
  mutating func probes() throws {
    rig.run(20, .busy)
    for seconds in [1, 2, 4] {
      rig.offer("a")
      #expect(rig.armed == rig.now.advanced(by: .seconds(seconds)))
      try rig.passToTimer()
      #expect(rig.end("a", .busy).outcome == .laneBroken(reason: "503"))
    }
    rig.offer("a")
    try rig.passToTimer()
    rig.end("a", .delivered())
    #expect(rig.machine.condition == .closed)
    rig.run(19, .busy)
    #expect(rig.machine.condition == .closed)
  }

  /// Fails for five days.
  mutating func switchOff() throws {
    rig.run(20, .busy)
    rig.offer("a")
    rig.pass(.seconds(5 * 86_400 - 1))
    #expect(rig.running == ["a"])
    #expect(rig.end("a", .busy).actions.isEmpty && rig.machine.condition == .open)
    rig.offer("a")
    try rig.passToTimer()
    #expect(rig.end("a", .busy).actions == [.changed(to: .off, reason: "503")])
    #expect(rig.machine.condition == .off)
  }

  @Test("after five days without one success it is switched off: what comes is refused, with a probe an hour")
  mutating func off() throws {
    try switchOff()
    let refusal = "the endpoint is switched off"
    for _ in 1...3 {
      for key in ["a", "b", "c"] { #expect(rig.offer(key) == [.refuse(key: key, reason: refusal)]) }
      for key in ["a", "b", "c"] { #expect(rig.release(key).isEmpty) }
      rig.pass(.seconds(3_600))
      #expect(rig.offer("p") == [.start(key: "p")])
      // The probe is one; whoever comes meanwhile is refused, and how that ends says nothing about the probe.
      #expect(rig.offer("a") == [.refuse(key: "a", reason: refusal)])
      #expect(rig.offer("b") == [.refuse(key: "b", reason: refusal)])
      #expect(rig.release("a").isEmpty)
      #expect(rig.end("b", .refused(reason: refusal)) == (.refused(reason: refusal), []))
      #expect(rig.offer("d") == [.refuse(key: "d", reason: refusal)])
      rig.release("d")
      #expect(rig.end("p", .down).outcome == .laneBroken(reason: "connection refused"))
      #expect(rig.machine.condition == .off)
    }
  }

  @Test("refusals keep the bound, and those that waited come after them")
  mutating func refusalsAreBounded() throws {
    rig.run(20, .busy)
    for number in 0..<40 { rig.offer("\(number)", age: 50 - number) }
    rig.pass(.seconds(5 * 86_400))
    let probe = try #require(rig.running.first)
    rig.end(probe, .busy)
    #expect(rig.machine.condition == .off && rig.refused.count == 16)
    while let key = rig.refused.min() { rig.release(key) }
    #expect(rig.machine.waitingCount == 0)
  }

  @Test("one success of a probe switches it on again; so does the operator", arguments: [true, false])
  mutating func onAgain(byProbe: Bool) throws {
    try switchOff()
    if byProbe {
      rig.pass(.seconds(3_600))
      rig.offer("p")
      #expect(rig.end("p", .delivered()).actions == [.changed(to: .closed, reason: "")])
    } else {
      #expect(rig.reset() == [.changed(to: .closed, reason: "reset")])
    }
    #expect(rig.offer("a") == [.start(key: "a")])
    rig.end("a", .delivered())
    // Its five days begin anew.
    rig.run(19, .busy)
    rig.pass(.seconds(2))
    rig.run(1, .busy)
    #expect(rig.machine.condition == .open)
  }

  @Test("a success within the five days begins them anew; a lane that is no endpoint is never switched off")
  mutating func notOff() {
    rig.run(20, .busy)
    rig.pass(.seconds(4 * 86_400))
    rig.run(1, .delivered())
    rig.run(20, .busy)
    rig.pass(.seconds(4 * 86_400))
    rig.run(1, .busy)
    #expect(rig.machine.condition == .open)
    rig = LaneRig()
    rig.run(1, .wrongKey)
    rig.pass(.seconds(30 * 86_400))
    rig.run(1, .wrongKey)
    #expect(rig.machine.condition == .open)
  }
}
