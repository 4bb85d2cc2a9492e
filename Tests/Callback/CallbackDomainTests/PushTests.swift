import CallbackDomain
import EventSourcing
import Testing

@Suite("Callback, its pushes")
struct PushTests {
  @Test("a push is owed until the queue has it, across a restart")
  func owed() throws {
    var rig = try Stage.asked.rig()
    let push = CallbackPush(1, .confirm, until: 40)
    #expect(try rig.replayed().outstandingEffects == [.push(push), .alarm(40)])
    #expect(rig.callback.rest == .wakeful)
    #expect(try rig.when(.pushHandedOver(number: 2), at: 11).events.isEmpty)
    #expect(
      try rig.when(.pushHandedOver(number: 1), at: 11) == CallbackRig.Turn([.pushHandedOver(number: 1)], []))
    #expect(try rig.when(.pushHandedOver(number: 1), at: 12) == CallbackRig.Turn())
    #expect(
      rig.callback.outstandingEffects == [.alarm(40)] && rig.callback.rest == .asleep(until: CallbackRig.time(40)))
  }

  @Test("a newer push takes the place of one that no queue has; numbers go on")
  func replaced() throws {
    var rig = try Stage.asked.rig()
    try rig.when(.alarm, at: 40)
    #expect(rig.callback.owedPush == CallbackPush(2, .confirm, until: 70) && rig.callback.pushCount == 2)
    #expect(try rig.when(.pushHandedOver(number: 1), at: 41) == CallbackRig.Turn())
    #expect(rig.callback.owedPush?.number == 2)
    try rig.when(.snooze, at: 42)
    try rig.when(.alarm, at: 342)
    try rig.when(.agentAvailable(agentID: "a"), at: 350)
    #expect(rig.callback.owedPush == CallbackPush(3, .confirm, until: 380))
  }

  @Test(
    "what is out of date is not owed any more",
    arguments: [
      CallbackAction.connect, .snooze, .cancel(note: ""), .chatStarted, .agentConnected(agentID: "a"), .erase,
      .update(fields: [], schedule: CallbackSchedule(desiredTime: CallbackRig.time(9_000), slot: nil)),
    ])
  func outOfDate(action: CallbackAction) throws {
    var rig = try Stage.asked.rig()
    #expect(rig.callback.owedPush != nil)
    try rig.when(action, at: 20)
    #expect(rig.callback.owedPush == nil && rig.callback.pushCount == 1)
    #expect(try rig.when(.pushHandedOver(number: 1), at: 21).events.isEmpty)
  }

  @Test("an agent who goes, or comes, leaves the push that brings them together owed")
  func stays() throws {
    var rig = try CallbackRig.given()
    try rig.when(.agentAvailable(agentID: "a"), at: 10)
    try rig.when(.agentReleased(agentID: "a"), at: 11)
    try rig.when(.agentAvailable(agentID: "b"), at: 12)
    #expect(rig.callback.owedPush == CallbackPush(1, .connectOutbound))
  }
}
