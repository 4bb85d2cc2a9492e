import CallbackDomain
import EventSourcing
import Testing

@Suite("Callback, by the clock")
struct AlarmTests {
  typealias Turn = CallbackRig.Turn
  private static let end = 86_400.0

  @Test("C12: the time to live ends it anywhere", arguments: Stage.allCases)
  func timeToLive(stage: Stage) throws {
    var policy = CallbackPolicy()
    policy.timeToLive = .seconds(600)
    var rig = try stage.rig(policy: policy)
    guard rig.callback.request != nil, rig.callback.status != .completed else { return }
    let last = stage == .scheduled ? 1_200.0 : 600
    // Every earlier alarm goes off; the customer's question is asked and given up before.
    while let alarm = rig.callback.alarm, alarm < CallbackRig.time(last) {
      try rig.when(.alarm, at: Double(alarm.milliseconds - CallbackRig.origin.milliseconds) / 1000)
    }
    #expect(
      try rig.when(.alarm, at: last)
        == Turn(
          [.completed(.timeToLive, note: "", keptUntil: CallbackRig.time(last + Self.end))],
          [.alarm(last + Self.end), .changed(.completed(.timeToLive))]))
  }

  @Test("one that is over is kept for a while, then forgotten: nothing follows")
  func kept() throws {
    var rig = try Stage.completed.rig()
    #expect(try rig.when(.alarm, at: 30 + Self.end) == Turn([.forgotten], [.cancelAlarm, .forgotten]))
    #expect(rig.callback.isFinished && rig.callback.alarm == nil && rig.callback.outstandingEffects.isEmpty)
    #expect(rig.callback.rest == .asleep(until: nil))
    #expect(try rig.when(.alarm, at: 30 + 2 * Self.end) == Turn())
  }

  @Test("an alarm that comes early by the calendar is set anew, and nothing else happens", arguments: Stage.allCases)
  func early(stage: Stage) throws {
    var rig = try stage.rig()
    guard let alarm = rig.callback.alarm else { return }
    let before = rig.callback
    #expect(try rig.when(.alarm, at: -3_600) == Turn([.alarmPutOff], [.setAlarm(at: alarm)]))
    #expect(rig.callback.alarm == alarm && rig.callback.status == before.status)
    #expect(rig.callback.outstandingEffects == before.outstandingEffects)
  }

  @Test("whoever slept through several deadlines makes up for them in their order, each once, and pushes nothing late")
  func slept() throws {
    var scheduled = try CallbackRig.given(CallbackRig.request(waits: false, desired: 600))
    let kept = CallbackRig.time(200_000 + Self.end)
    #expect(
      try scheduled.when(.alarm, at: 200_000)
        == Turn(
          [.cameDue, .routed(.immediate, push: nil), .completed(.timeToLive, note: "", keptUntil: kept)],
          [
            .alarm(600 + Self.end), .changed(.queued), .changed(.routing), .setAlarm(at: kept),
            .changed(.completed(.timeToLive)),
          ]))

    var asked = try Stage.asked.rig()
    let turn = try asked.when(.alarm, at: 200_000)
    #expect(
      turn.events == [
        .confirmationAsked(attempt: 2, until: CallbackRig.time(200_030), push: nil),
        .completed(.timeToLive, note: "", keptUntil: kept),
      ])
    #expect(!turn.effects.contains { if case .push = $0 { true } else { false } })

    var snoozed = try Stage.snoozed.rig()
    #expect(try snoozed.when(.alarm, at: 200_000).events.map(\.tag) == [7, 11])
    var routing = try Stage.routing.rig()
    #expect(try routing.when(.alarm, at: 200_000).events.map(\.tag) == [9, 11])
  }

  @Test("what falls together is carried out in one order: in the queue, let go, expired")
  func together() throws {
    var policy = CallbackPolicy()
    policy.timeToLive = .seconds(-120)
    var rig = try CallbackRig.given(CallbackRig.request(desired: 600), policy: policy)
    #expect(rig.callback.alarm == CallbackRig.time(480))
    #expect(try rig.when(.alarm, at: 480).events.map(\.tag) == [2, 11])
  }

  @Test("options of nothing end all the same")
  func nothing() throws {
    var policy = CallbackPolicy()
    policy.confirmTimeout = .zero
    policy.snoozeDuration = .seconds(-5)
    policy.acceptTimeout = .zero
    policy.keepCompleted = .zero
    policy.confirmAttemptsMaximum = .max
    var rig = try Stage.asked.rig(policy: policy)
    for second in 1...100 { try rig.when(.alarm, at: 10 + Double(second)) }
    #expect(rig.callback.confirmation?.attempt == 101)
    try rig.when(.snooze, at: 120)
    #expect(rig.callback.snoozedUntil == CallbackRig.time(120.001))
    #expect(try rig.when(.alarm, at: 200_000).events.map(\.tag) == [7, 11])
    #expect(try rig.when(.alarm, at: 200_001).events == [.forgotten])
  }
}
