import CallbackDomain
import EventSourcing
import Testing

@Suite("Callback, changed by the customer")
struct UpdateTests {
  typealias Turn = CallbackRig.Turn
  private static let end = 86_400.0

  private func schedule(_ second: Double?, slot: Double? = nil) -> CallbackSchedule {
    CallbackSchedule(desiredTime: second.map { CallbackRig.time($0) }, slot: slot.map { CallbackRig.time($0) })
  }

  // MARK: C13

  @Test("C13: a later time leads back to the schedule, and lets the agent and the question go")
  func later() throws {
    for stage in [Stage.queued, .snoozed, .asked, .askedAlone] {
      var rig = try stage.rig()
      let turn = try rig.when(.update(fields: [], schedule: schedule(7_200, slot: 7_200)), at: 20)
      let moved = CallbackEvent.rescheduled(
        schedule(7_200, slot: 7_200), expiresAt: CallbackRig.time(7_200 + Self.end), dueAt: CallbackRig.time(7_080))
      #expect(turn.events == (stage == .asked ? [.agentReleased(agentID: "a", .replaced), moved] : [moved]))
      #expect(turn.effects.suffix(2) == [.alarm(7_080), .changed(.scheduled)])
      let callback = rig.callback
      #expect(callback.status == .scheduled && callback.queuedAt == nil && callback.agentID == nil)
      #expect(callback.confirmation == nil && callback.snoozedUntil == nil && callback.owedPush == nil)
      #expect(callback.request?.desiredTime == CallbackRig.time(7_200))
      #expect(callback.request?.slot == CallbackRig.time(7_200))
      try rig.when(.alarm, at: 7_080)
      #expect(rig.callback.wantsAgent && rig.callback.queuedAt == CallbackRig.time(7_080))
    }
  }

  @Test("C13: a scheduled one moves", arguments: [300.0, 3_600])
  func moved(second: Double) throws {
    var rig = try Stage.scheduled.rig()
    #expect(
      try rig.when(.update(fields: [], schedule: schedule(second)), at: 20)
        == Turn(
          [
            .rescheduled(
              schedule(second), expiresAt: CallbackRig.time(second + Self.end), dueAt: CallbackRig.time(second - 120))
          ], [.alarm(second - 120), .changed(.scheduled)]))
  }

  @Test("C13: no time, a past one or one within the buffer is now", arguments: [nil, -3_600, 100, 140])
  func now(second: Double?) throws {
    var rig = try Stage.scheduled.rig()
    let end = max(20, second ?? 0) + Self.end
    #expect(
      try rig.when(.update(fields: [], schedule: schedule(second)), at: 20)
        == Turn(
          [.rescheduled(schedule(second), expiresAt: CallbackRig.time(end), dueAt: nil)],
          [.alarm(end), .changed(.queued)]))
    #expect(rig.callback.wantsAgent && rig.callback.queuedAt == CallbackRig.time(20))
  }

  @Test("C13: one that waits for no agent goes on at once when it is moved to now; one in the queue stays there")
  func nowWithoutAgent() throws {
    var scheduled = try CallbackRig.given(CallbackRig.request(.userOriginated, waits: false, desired: 600))
    let push = CallbackPush(1, .connectInbound)
    let turn = try scheduled.when(.update(fields: [], schedule: schedule(nil)), at: 20)
    #expect(turn.events.last == .routed(.immediate, push: push))
    #expect(turn.effects.suffix(2) == [.changed(.routing), .push(push)])

    var queued = try CallbackRig.given(CallbackRig.request(waits: false))
    try queued.when(.update(fields: [], schedule: schedule(-60)), at: 20)
    #expect(queued.callback.status == .queued && queued.callback.queuedAt == CallbackRig.time(0))
  }

  @Test("the same again is no change, whatever the options are by now")
  func unchanged() throws {
    var rig = try Stage.scheduled.rig()
    rig.policy.executionBuffer = .seconds(300)
    rig.policy.timeToLive = .seconds(1)
    let same = [NameValuePair("subject", "Order"), NameValuePair("absent", "")]
    #expect(try rig.when(.update(fields: same, schedule: schedule(600)), at: 20) == Turn())
    #expect(try rig.when(.update(fields: [], schedule: nil), at: 20) == Turn())
  }

  @Test("fields and time together; if the time is refused, the fields are as well")
  func both() throws {
    let fields = [NameValuePair("mood", "calm")]
    var rig = try Stage.scheduled.rig()
    let turn = try rig.when(.update(fields: fields, schedule: schedule(3_600)), at: 20)
    #expect(turn.events.map(\.tag) == [13, 12])
    var late = try Stage.routing.rig()
    let before = late.callback
    #expect(throws: CallbackRejection.wrongState(.routing)) {
      try late.when(.update(fields: fields, schedule: schedule(3_600)), at: 30)
    }
    #expect(late.callback == before)
  }

  static let merges: [(changes: [NameValuePair], result: String)] = [
    ([NameValuePair("subject", "Refund")], "_customer_number=+4930555010 subject=Refund"),
    ([NameValuePair("_customer_number", "+49")], "_customer_number=+49 subject=Order"),
    ([NameValuePair("_customer_number", "")], "subject=Order"),
    ([NameValuePair("mood", "calm")], "_customer_number=+4930555010 subject=Order mood=calm"),
    ([NameValuePair("subject", ""), NameValuePair("subject", "New")], "_customer_number=+4930555010 subject=New"),
    ([NameValuePair("subject", "New"), NameValuePair("subject", "")], "_customer_number=+4930555010"),
    ([NameValuePair("Subject", "other")], "_customer_number=+4930555010 subject=Order Subject=other"),
  ]

  @Test("fields merge in their places; an empty value deletes", arguments: merges)
  func merge(changes: [NameValuePair], result: String) throws {
    var rig = try Stage.queued.rig()
    #expect(
      try rig.when(.update(fields: changes, schedule: nil), at: 20)
        == Turn([.fieldsChanged(changes)], [.changed(.updated)]))
    let fields = rig.callback.request?.fields ?? []
    #expect(fields.map { "\($0.name)=\($0.value)" }.joined(separator: " ") == result)
  }

  @Test("a name that came twice is one after a change")
  func twice() throws {
    var request = CallbackRig.request()
    request.fields = ["1", "2", "3"].map { NameValuePair("a", $0) } + [NameValuePair("b", "4")]
    #expect(request["a"] == "3")
    var rig = try CallbackRig.given(request)
    try rig.when(.update(fields: [NameValuePair("a", "5")], schedule: nil), at: 20)
    #expect(rig.callback.request?.fields == [NameValuePair("a", "5"), NameValuePair("b", "4")])
  }

  @Test("changes are bounded themselves, and so is what they lead to")
  func limits() throws {
    var rig = try Stage.queued.rig()
    func refused(_ rejection: CallbackRejection, _ fields: [NameValuePair]) {
      #expect(throws: rejection) { try rig.when(.update(fields: fields, schedule: nil), at: 20) }
    }
    refused(.tooManyFields(limit: 64), (0..<65).map { _ in NameValuePair("a", "") })
    refused(.tooManyFields(limit: 64), (0..<63).map { NameValuePair("f\($0)", "v") })
    refused(.invalid(field: "", reason: "a field needs a name"), [NameValuePair("", "v")])
    refused(.tooLong(field: "a", limit: 8_192), [NameValuePair("a", String(repeating: "x", count: 8_193))])
    let large = (0..<4).map { NameValuePair("f\($0)", String(repeating: "x", count: 8_185)) }
    refused(.tooLong(field: "fields", limit: 32_768), large)
    try rig.when(.update(fields: Array(large.dropLast()), schedule: nil), at: 20)
    refused(.tooLong(field: "fields", limit: 32_768), [NameValuePair("g", String(repeating: "x", count: 8_192))])
    let exchanged = [NameValuePair("f0", ""), NameValuePair("g", String(repeating: "x", count: 8_192))]
    try rig.when(.update(fields: exchanged, schedule: nil), at: 20)
  }

  // MARK: C10

  @Test("C10: a cancellation ends everything, without a push", arguments: Stage.allCases)
  func cancelled(stage: Stage) throws {
    var rig = try stage.rig()
    guard let request = rig.callback.request, rig.callback.status != .completed else { return }
    #expect(
      try rig.when(.cancel(note: "by phone"), at: 35)
        == Turn(
          [.completed(.cancelled, note: "by phone", keptUntil: CallbackRig.time(35 + Self.end))],
          [.alarm(35 + Self.end), .changed(.completed(.cancelled))]))
    let callback = rig.callback
    #expect(callback.status == .completed && callback.reason == .cancelled && callback.note == "by phone")
    #expect(callback.agentID == nil && callback.agentUntil == nil && callback.confirmation == nil)
    #expect(callback.snoozedUntil == nil && callback.dueAt == nil && callback.owedPush == nil && !callback.wantsAgent)
    #expect(callback.request == request && !callback.isFinished)
    #expect(callback.outstandingEffects == [.alarm(35 + Self.end)])
    #expect(throws: CallbackRejection.finished) { try rig.when(.cancel(note: ""), at: 36) }
  }

  @Test("a note is bounded")
  func note() throws {
    var rig = try Stage.queued.rig()
    #expect(throws: CallbackRejection.tooLong(field: "reason", limit: 1_024)) {
      try rig.when(.cancel(note: String(repeating: "ü", count: 513)), at: 1)
    }
    try rig.when(.cancel(note: String(repeating: "ü", count: 512)), at: 1)
  }
}
