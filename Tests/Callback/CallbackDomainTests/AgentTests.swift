import CallbackDomain
import EventSourcing
import Testing

@Suite("Callback, with an agent")
struct AgentTests {
  typealias Turn = CallbackRig.Turn
  private static let end = 86_400.0

  @Test("the agent accepts, connects and ends: C9, C11")
  func wholeWay() throws {
    var rig = try Stage.routing.rig()
    #expect(
      try rig.when(.agentAccepted(agentID: "a"), at: 30)
        == Turn(
          [.agentAccepted(agentID: "a", until: CallbackRig.time(330))],
          [.alarm(330), .changed(.accepted(agentID: "a"))]))
    #expect(try rig.when(.agentAvailable(agentID: "a"), at: 31) == Turn())
    #expect(rig.callback.agentHasAccepted)
    #expect(
      try rig.when(.agentConnected(agentID: "a"), at: 40)
        == Turn([.connected(agentID: "a")], [.alarm(Self.end), .changed(.connected(agentID: "a"))]))
    #expect(rig.callback.status == .processing && rig.callback.agentUntil == nil && !rig.callback.wantsAgent)
    #expect(
      try rig.when(.agentEnded(agentID: "a"), at: 50)
        == Turn(
          [.completed(.agentConnected, note: "", keptUntil: CallbackRig.time(50 + Self.end))],
          [.alarm(50 + Self.end), .changed(.completed(.agentConnected))]))
    #expect(rig.callback.reason == .agentConnected && rig.callback.agentID == nil)
  }

  @Test("an agent who neither accepts nor connects in time is let go, and missed", arguments: [false, true])
  func timeout(accepts: Bool) throws {
    var rig = try Stage.routing.rig()
    if accepts { try rig.when(.agentAccepted(agentID: "a"), at: 30) }
    let until = accepts ? 330.0 : 50
    #expect(rig.callback.alarm == CallbackRig.time(until))
    #expect(
      try rig.when(.alarm, at: until)
        == Turn(
          [.agentReleased(agentID: "a", .timeout)],
          [.alarm(Self.end), .changed(.released(agentID: "a")), .agentMissed(agentID: "a")]))
    #expect(rig.callback.status == .routing && rig.callback.wantsAgent && !rig.callback.agentHasAccepted)
    // The next one is offered it without a further word to the customer, and has not accepted.
    let pushes = rig.callback.pushCount
    #expect(
      try rig.when(.agentAvailable(agentID: "b"), at: 400)
        == Turn(
          [.agentReserved(agentID: "b", until: CallbackRig.time(430))], [.alarm(430), .changed(.offered(agentID: "b"))]
        ))
    #expect(rig.callback.pushCount == pushes && !rig.callback.agentHasAccepted)
    #expect(throws: CallbackRejection.notYours) { try rig.when(.agentAccepted(agentID: "a"), at: 401) }
  }

  @Test("an agent who refuses is let go without being missed")
  func refuses() throws {
    var rig = try Stage.routing.rig()
    #expect(
      try rig.when(.agentReleased(agentID: "a"), at: 30)
        == Turn(
          [.agentReleased(agentID: "a", .agent)], [.alarm(Self.end), .changed(.released(agentID: "a"))]))
    #expect(rig.callback.wantsAgent)
  }

  @Test("an integration may tell of nothing but the conversation", arguments: [Stage.queued, .asked, .routing])
  func straight(stage: Stage) throws {
    var rig = try stage.rig()
    let turn = try rig.when(.agentConnected(agentID: "b"), at: 30)
    #expect(turn.events.last == .connected(agentID: "b"))
    #expect(turn.events.count == (stage == .queued ? 1 : 2), "another agent is let go first")
    #expect(rig.callback.status == .processing && rig.callback.agentID == "b")
    #expect(rig.callback.confirmation == nil && rig.callback.owedPush == nil && rig.callback.agentUntil == nil)
    try rig.when(.agentEnded(agentID: "b"), at: 40)
    #expect(rig.callback.reason == .agentConnected)
  }

  @Test("a call that failed ends with the agent's reason", arguments: CallbackReason.allCases)
  func failed(reason: CallbackReason) throws {
    for stage in [Stage.asked, .routing, .processing] {
      var rig = try stage.rig()
      guard reason.isReportable else {
        #expect(
          throws: CallbackRejection.invalid(field: "reason", reason: "\(reason.name) is not the agent's to report")
        ) { try rig.when(.agentFailed(agentID: "a", reason: reason), at: 30) }
        continue
      }
      let turn = try rig.when(.agentFailed(agentID: "a", reason: reason), at: 30)
      #expect(turn.events == [.completed(reason, note: "", keptUntil: CallbackRig.time(30 + Self.end))])
    }
  }

  @Test("a chat that is over was a conversation if an agent was in it")
  func chatEnded() throws {
    var rig = try Stage.processing.rig()
    #expect(
      try rig.when(.chatEnded, at: 30).events
        == [.completed(.agentConnected, note: "", keptUntil: CallbackRig.time(30 + Self.end))])
    #expect(try rig.when(.chatEnded, at: 31) == Turn())
  }
}
