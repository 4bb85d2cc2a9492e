import CallbackDomain
import EventSourcing
import Testing

@Suite("Callback, in the queue")
struct AskTests {
  typealias Turn = CallbackRig.Turn
  private static let end = 86_400.0

  // MARK: C3

  @Test("C3: comes into the queue a while before its time; one that waits for no agent goes on at once")
  func due() throws {
    var waiting = try Stage.scheduled.rig()
    #expect(waiting.callback.alarm == CallbackRig.time(480) && !waiting.callback.wantsAgent)
    #expect(try waiting.when(.alarm, at: 480) == Turn([.cameDue], [.alarm(600 + Self.end), .changed(.queued)]))
    #expect(waiting.callback.status == .queued && waiting.callback.queuedAt == CallbackRig.time(480))
    #expect(waiting.callback.dueAt == nil && waiting.callback.wantsAgent)

    var outbound = try CallbackRig.given(CallbackRig.request(waits: false, confirms: true, desired: 600))
    let push = CallbackPush(1, .connectOutbound)
    #expect(
      try outbound.when(.alarm, at: 481)
        == Turn(
          [.cameDue, .routed(.immediate, push: push)],
          [.alarm(600 + Self.end), .changed(.queued), .changed(.routing), .push(push)]))
  }

  // MARK: C4

  @Test("C4: the customer is asked when an agent has come, who waits meanwhile", arguments: [true, false])
  func asked(code: Bool) throws {
    var rig = try CallbackRig.given(CallbackRig.request(confirms: true, code: code))
    let push = CallbackPush(1, code ? .confirmWithCode : .confirm, until: 40)
    #expect(
      try rig.when(.agentAvailable(agentID: "a"), at: 10)
        == Turn(
          [
            .agentReserved(agentID: "a", until: nil),
            .confirmationAsked(attempt: 1, until: CallbackRig.time(40), push: push),
          ], [.changed(.updated), .alarm(40), .changed(.confirming(attempt: 1)), .push(push)]))
    #expect(rig.callback.status == .queued && rig.callback.agentID == "a" && rig.callback.agentUntil == nil)
    #expect(rig.callback.confirmation == Callback.Confirmation(attempt: 1, until: CallbackRig.time(40)))
    #expect(!rig.callback.wantsAgent && rig.callback.rest == .wakeful)
    #expect(rig.callback.outstandingEffects == [.push(push), .alarm(40)])
  }

  @Test("without a device nobody can be asked: as if it were off")
  func noDevice() throws {
    var rig = try CallbackRig.given(CallbackRig.request(confirms: true, device: nil))
    let turn = try rig.when(.agentAvailable(agentID: "a"), at: 10)
    #expect(
      turn.events
        == [.agentReserved(agentID: "a", until: CallbackRig.time(40)), .routed(.agentReady, push: nil)])
    #expect(rig.callback.pushCount == 0 && rig.callback.owedPush == nil)
  }

  // MARK: C5

  static let dialogs: [(CallDirection, CallbackMedia, Bool, CallbackDialog)] = [
    (.userOriginated, .voice, true, .connectInbound), (.userTerminated, .voice, true, .connectOutbound),
    (.userOriginated, .chat, true, .startChat), (.userTerminated, .chat, true, .startChat),
    (.userTerminated, .voice, false, .connectOutbound), (.userOriginated, .chat, false, .startChat),
  ]

  @Test("C5: if nobody has to be asked, agent and customer are brought together at once", arguments: dialogs)
  func together(
    direction: CallDirection, media: CallbackMedia, waits: Bool, dialog: CallbackDialog
  ) throws {
    var rig = try CallbackRig.given(CallbackRig.request(direction, media, waits: waits))
    let push = CallbackPush(1, dialog)
    #expect(
      try rig.when(.agentAvailable(agentID: "a"), at: 10)
        == Turn(
          [.agentReserved(agentID: "a", until: CallbackRig.time(40)), .routed(.agentReady, push: push)],
          [.alarm(40), .changed(.offered(agentID: "a")), .changed(.routing), .push(push)]))
    #expect(rig.callback.status == .routing && rig.callback.agentID == "a" && !rig.callback.wantsAgent)
    #expect(rig.callback.alarm == CallbackRig.time(40))
  }

  // MARK: C6

  @Test("C6: the customer's yes ends the question, and the agent is to come now")
  func confirmed() throws {
    var rig = try Stage.asked.rig()
    #expect(
      try rig.when(.connect, at: 20)
        == Turn(
          [.routed(.confirmed, push: nil), .agentReserved(agentID: "a", until: CallbackRig.time(50))],
          [.alarm(Self.end), .changed(.routing), .alarm(50), .changed(.offered(agentID: "a"))]))
    #expect(rig.callback.status == .routing && rig.callback.confirmation == nil)
    #expect(rig.callback.owedPush == nil, "a question that has been answered is not sent any more")
  }

  @Test("C6: an agent who has accepted while the customer was asked has the longer time, and is not asked again")
  func acceptedBefore() throws {
    var rig = try Stage.asked.rig()
    #expect(
      try rig.when(.agentAccepted(agentID: "a"), at: 15)
        == Turn([.agentAccepted(agentID: "a", until: nil)], [.changed(.accepted(agentID: "a"))]))
    #expect(rig.callback.agentHasAccepted && rig.callback.agentUntil == nil)
    #expect(
      try rig.when(.connect, at: 20)
        == Turn(
          [.routed(.confirmed, push: nil), .agentReserved(agentID: "a", until: CallbackRig.time(320))],
          [.alarm(Self.end), .changed(.routing), .alarm(320), .changed(.accepted(agentID: "a"))]))
    #expect(rig.callback.agentHasAccepted)
    #expect(try rig.when(.agentAccepted(agentID: "a"), at: 21) == Turn())
  }

  @Test("C6: a customer who connects unasked, or out of a snooze, waits in routing for an agent")
  func unasked() throws {
    for stage in [Stage.queued, .snoozed, .askedAlone] {
      var rig = try stage.rig()
      #expect(try rig.when(.connect, at: 20).events == [.routed(.confirmed, push: nil)], "\(stage)")
      #expect(rig.callback.wantsAgent && rig.callback.snoozedUntil == nil && rig.callback.confirmation == nil)
      #expect(
        try rig.when(.agentAvailable(agentID: "b"), at: 30).events
          == [.agentReserved(agentID: "b", until: CallbackRig.time(60))], "the customer has heard all already")
    }
  }

  // MARK: C7

  @Test("C7: asked as often as allowed; then connected anyway, or given up", arguments: [true, false])
  func attempts(connects: Bool) throws {
    var policy = CallbackPolicy()
    policy.connectsUnconfirmed = connects
    var rig = try Stage.asked.rig(policy: policy)
    for (attempt, second) in [(2, 40.0), (3, 70.0)] {
      let push = CallbackPush(attempt, .confirm, until: second + 30)
      #expect(
        try rig.when(.alarm, at: second)
          == Turn(
            [.confirmationAsked(attempt: attempt, until: CallbackRig.time(second + 30), push: push)],
            [.alarm(second + 30), .changed(.confirming(attempt: attempt)), .push(push)]))
    }
    let push = CallbackPush(4, .connectOutbound)
    #expect(
      try rig.when(.alarm, at: 100)
        == (connects
          ? Turn(
            [.routed(.unconfirmed, push: push), .agentReserved(agentID: "a", until: CallbackRig.time(130))],
            [
              .alarm(Self.end), .changed(.routing), .push(push), .alarm(130), .changed(.offered(agentID: "a")),
            ])
          : Turn(
            [.completed(.userDidNotConfirm, note: "", keptUntil: CallbackRig.time(100 + Self.end))],
            [.alarm(100 + Self.end), .changed(.completed(.userDidNotConfirm))])))
    #expect(rig.callback.status == (connects ? .routing : .completed))
  }

  @Test("C7: fewer than one attempt counts as one", arguments: [Int.min, 0, 1])
  func oneAttempt(maximum: Int) throws {
    var policy = CallbackPolicy()
    policy.confirmAttemptsMaximum = maximum
    var rig = try Stage.asked.rig(policy: policy)
    try rig.when(.alarm, at: 40)
    #expect(rig.callback.status == .routing)
  }

  @Test("an agent who goes while the customer is asked leaves the question standing; another one may step in")
  func agentGoes() throws {
    var rig = try Stage.asked.rig()
    #expect(
      try rig.when(.agentReleased(agentID: "a"), at: 15)
        == Turn([.agentReleased(agentID: "a", .agent)], [.changed(.released(agentID: "a"))]))
    #expect(rig.callback.confirmation != nil && !rig.callback.wantsAgent)
    #expect(
      try rig.when(.agentAvailable(agentID: "b"), at: 16).events == [.agentReserved(agentID: "b", until: nil)])
    #expect(rig.callback.confirmation?.attempt == 1 && rig.callback.pushCount == 1)
  }

  @Test("C7 without the agent: connected anyway, the customer waits for the next one")
  func unconfirmedAlone() throws {
    var policy = CallbackPolicy()
    policy.confirmAttemptsMaximum = 1
    var rig = try Stage.askedAlone.rig(policy: policy)
    #expect(
      try rig.when(.alarm, at: 40).events == [.routed(.unconfirmed, push: CallbackPush(2, .connectOutbound))])
    #expect(rig.callback.wantsAgent)
  }

  // MARK: C8

  @Test("C8: a snooze lets the agent go, and begins anew when it is over")
  func snoozed() throws {
    var rig = try Stage.asked.rig()
    #expect(
      try rig.when(.snooze, at: 20)
        == Turn(
          [.agentReleased(agentID: "a", .agent), .snoozed(until: CallbackRig.time(320))],
          [.changed(.released(agentID: "a")), .alarm(320), .changed(.snoozed)]))
    #expect(rig.callback.snoozedUntil == CallbackRig.time(320) && rig.callback.confirmation == nil)
    #expect(!rig.callback.wantsAgent && rig.callback.owedPush == nil)
    #expect(throws: CallbackRejection.wrongState(.queued)) { try rig.when(.agentAvailable(agentID: "a"), at: 21) }
    #expect(try rig.when(.snooze, at: 30) == Turn(), "a repetition")

    #expect(try rig.when(.alarm, at: 320) == Turn([.snoozeEnded], [.alarm(Self.end), .changed(.queued)]))
    #expect(rig.callback.wantsAgent && rig.callback.queuedAt == CallbackRig.time(0), "it keeps its place")
    try rig.when(.agentAvailable(agentID: "b"), at: 330)
    #expect(rig.callback.confirmation?.attempt == 1)
  }

  // MARK: 9.7

  @Test("a chat that begins is a yes; the push that asked is not sent any more")
  func chat() throws {
    var rig = try Stage.asked.rig()
    let turn = try rig.when(.chatStarted, at: 20)
    #expect(
      turn.events
        == [.routed(.chatStarted, push: nil), .agentReserved(agentID: "a", until: CallbackRig.time(50))])
    #expect(rig.callback.status == .routing && rig.callback.owedPush == nil)
    let left = try rig.when(.chatEnded, at: 30)
    #expect(
      left.events
        == [.completed(.cancelled, note: "the customer left the chat", keptUntil: CallbackRig.time(30 + Self.end))])
  }
}
