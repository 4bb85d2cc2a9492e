import ChatDomain
import EventSourcing
import Testing

@Suite("Chat, client in background")
struct BackgroundTests {
  @Test("B6: a disconnect flags the customer and tells the agents")
  func disconnect() throws {
    var conversation = try Conversation.online()
    let turn = try conversation.when(Conversation.disconnect("c1", position: 2, delivered: 2), at: 2)
    #expect(
      turn.events == [
        .customerAbsent(session: "c1", position: 2, written: 2, cause: .disconnected, basis: .stated),
        .absenceNoted(text: "customer is not online"),
      ])
    #expect(
      turn.effects == [.notifyAgents(.customerOnline(false)), Conversation.notice("customer is not online", at: 2)])
    let chat = conversation.chat
    #expect(chat.clientState == .backgroundQuiet)
    #expect(chat.isFlaggedDisconnected && !chat.customerIsOnline)
    #expect(chat.basePosition == 2)
    #expect(chat.attachedSessions.isEmpty)
    #expect(chat.lastPosition == 2)
  }

  @Test(
    "B6: P is what the app says, within the transcript; else what was written",
    arguments: [
      (2, 3, 2), (0, 3, 0), (99, 3, 4), (-1, 3, 3), (nil, 3, 3), (nil, 0, 1), (nil, 99, 4),
    ] as [(Int?, Int, Int)])
  func basePosition(position: Int?, delivered: Int, base: Int) throws {
    var conversation = try Conversation.online()
    try conversation.when(.customerSend(text: "a"), at: 2)
    try conversation.when(.customerSend(text: "b"), at: 2)
    try conversation.when(Conversation.disconnect("c1", position: position, delivered: delivered), at: 3)
    #expect(conversation.chat.basePosition == base)
  }

  @Test(
    "B6: one position for several chats counts up to what was delivered here",
    arguments: [(9, 3, 3), (2, 3, 2), (9, 0, 1), (nil, 3, 3)] as [(Int?, Int, Int)])
  func severalChats(position: Int?, delivered: Int, base: Int) throws {
    var conversation = try Conversation.online()
    try conversation.when(.customerSend(text: "a"), at: 2)
    try conversation.when(.customerSend(text: "b"), at: 2)
    try conversation.when(
      Conversation.disconnect("c1", position: position, delivered: delivered, concernsSeveralChats: true), at: 3)
    #expect(conversation.chat.basePosition == base)
  }

  @Test("B6: a disconnect of an unknown session flags a customer who has no live one")
  func unknownSession() throws {
    var conversation = try Conversation.online()
    conversation.policy.cometLoss = .ignore
    try conversation.when(.cometLost(session: "c1", delivered: 2), at: 2)
    let turn = try conversation.when(Conversation.disconnect("c1", position: 1, delivered: 0), at: 3)
    #expect(turn.effects.first == .notifyAgents(.customerOnline(false)))
    #expect(conversation.chat.basePosition == 1)
    #expect(conversation.chat.clientState == .backgroundWait)
  }

  @Test("B6: a disconnect before any subscription flags the customer too, with the start position")
  func beforeSubscription() throws {
    var conversation = try Conversation.started()
    try conversation.when(Conversation.disconnect("old", position: nil, delivered: 0), at: 1)
    #expect(conversation.chat.clientState == .backgroundQuiet)
    #expect(conversation.chat.basePosition == 1)
    let turn = try conversation.when(Conversation.joinK, at: 2)
    #expect(turn.effects.last == .startTimer(.pushDelay(phase: 1), at: Conversation.time(7)))
  }

  @Test("B7: the first qualifying event starts the delay; nothing is sent")
  func delayStarts() throws {
    var conversation = try Conversation.inBackground()
    let turn = try conversation.when(Conversation.say("One"), at: 3)
    #expect(
      turn.events == [
        .linePosted(party: 1, type: .messageText, text: "One"),
        .pushDelayStarted(phase: 1, positions: [3], deadline: Conversation.time(8)),
      ])
    #expect(
      turn.effects == [
        Conversation.toAgents(Conversation.text(3, "One", at: 3)),
        .startTimer(.pushDelay(phase: 1), at: Conversation.time(8)),
      ])
    #expect(conversation.chat.clientState == .backgroundWait)
  }

  @Test("B7: what lies above the app's position counts as arriving with the disconnect, written or not")
  func above() throws {
    var conversation = try Conversation.online()
    try conversation.when(Conversation.say("Written"), at: 2)
    try conversation.when(.customerSend(text: "Own"), at: 3)
    try conversation.when(Conversation.say("Queued"), at: 4)
    let turn = try conversation.when(Conversation.disconnect("c1", position: 2, delivered: 3), at: 5)
    #expect(turn.events.last == .pushDelayStarted(phase: 1, positions: [3, 5], deadline: Conversation.time(10)))
    #expect(conversation.chat.basePosition == 2)
    #expect(conversation.chat.clientState == .backgroundWait)
  }

  @Test("B7: the last session's word counts, also for what another session of the customer was written")
  func writtenElsewhere() throws {
    var conversation = try Conversation.online()
    try conversation.when(.cometSubscribed(session: "c2", delivered: 2), at: 2)
    try conversation.when(Conversation.say("One"), at: 3)
    try conversation.when(Conversation.disconnect("c1", position: 3, delivered: 3), at: 4)
    let turn = try conversation.when(Conversation.disconnect("c2", position: 2, delivered: 2), at: 5)
    #expect(turn.events.last == .pushDelayStarted(phase: 1, positions: [3], deadline: Conversation.time(10)))
    #expect(conversation.chat.basePosition == 2)
  }

  @Test("B8: without a delay the first push goes out at once")
  func noDelay() throws {
    var conversation = try Conversation.inBackground()
    conversation.policy.pushDelay = .zero
    let turn = try conversation.when(Conversation.say("One"), at: 3)
    #expect(
      turn.effects == [
        Conversation.toAgents(Conversation.text(3, "One", at: 3)),
        Conversation.push(1, ordinal: 1, [PushedLine(.messageText, "One")], position: 3),
      ])
    #expect(conversation.chat.clientState == .backgroundPushed)
  }

  @Test("B8: without a delay one push carries all that was queued at the disconnect")
  func noDelayUnwritten() throws {
    var conversation = try Conversation.online()
    conversation.policy.pushDelay = .zero
    try conversation.when(Conversation.say("One"), at: 2)
    try conversation.when(Conversation.say("Two"), at: 3)
    let turn = try conversation.when(Conversation.disconnect("c1", position: 2, delivered: 2), at: 4)
    #expect(turn.effects.pushes.map { $0.lastTranscript.map(\.text) } == [["One", "Two"]])
  }

  @Test("B9: further events are remembered; the delay is not restarted")
  func remembered() throws {
    var conversation = try Conversation.waiting()
    let turn = try conversation.when(Conversation.say("Two"), at: 6)
    #expect(turn.events.last == .lineRemembered(position: 4, droppingOldest: false))
    #expect(turn.effects == [Conversation.toAgents(Conversation.text(4, "Two", at: 6))])
    #expect(conversation.chat.clientState == .backgroundWait)
    #expect(
      conversation.chat.outstandingEffects.first == .startTimer(.pushDelay(phase: 1), at: Conversation.time(8)))
  }

  @Test("B10: when the delay has passed, one push carries everything remembered")
  func delayPassed() throws {
    var conversation = try Conversation.waiting()
    try conversation.when(Conversation.say("Two"), at: 6)
    let turn = try conversation.when(.pushDelayElapsed(phase: 1), at: 8)
    #expect(
      turn.effects == [
        Conversation.push(
          1, ordinal: 1, [PushedLine(.messageText, "One"), PushedLine(.messageText, "Two")], position: 4)
      ])
    #expect(conversation.chat.clientState == .backgroundPushed)
    #expect(try conversation.when(.pushDelayElapsed(phase: 1), at: 9) == Conversation.Turn())
  }

  @Test("B11: from then on each qualifying event is pushed at once, alone")
  func eachAtOnce() throws {
    var conversation = try Conversation.pushed()
    let second = try conversation.when(Conversation.say("Two"), at: 9)
    #expect(
      second.effects == [
        Conversation.toAgents(Conversation.text(4, "Two", at: 9)),
        Conversation.push(2, ordinal: 2, [PushedLine(.messageText, "Two")], position: 4),
      ])
    let third = try conversation.when(.agentPushURL(agentID: "k", url: "https://a.test/"), at: 10)
    #expect(
      third.effects.last == Conversation.push(3, ordinal: 3, [PushedLine(.pushURL, "https://a.test/")], position: 5))
    #expect(conversation.chat.clientState == .backgroundPushed)
  }

  @Test(
    "B12: filtered events and the customer's own are only recorded",
    arguments: [ChatClientState.backgroundQuiet, .backgroundWait, .backgroundPushed])
  func recordedOnly(state: ChatClientState) throws {
    var conversation =
      switch state {
      case .backgroundWait: try Conversation.waiting()
      case .backgroundPushed: try Conversation.pushed()
      default: try Conversation.inBackground()
      }
    let before = conversation.chat.lastPosition
    let actions: [ChatAction] = [
      .agentTyping(agentID: "k", started: true), .agentTyping(agentID: "k", started: false),
      .customerSend(text: "From REST"), .customerNotice(text: "c"), .customerPushURL("https://u.test/"),
      .customerTyping(started: true, preview: ""),
    ]
    for action in actions {
      let turn = try conversation.when(action, at: 9)
      #expect(turn.events.count == 1)
      #expect(turn.effects.count == 1)
    }
    #expect(conversation.chat.lastPosition == before + actions.count)
    #expect(conversation.chat.clientState == state)
  }

  @Test("B13: the customer who comes back in time gets the catch-up and no push")
  func backInTime() throws {
    var conversation = try Conversation.waiting()
    let subscribed = try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 5)
    #expect(subscribed.effects.isEmpty)
    let turn = try conversation.when(.cometConnected(session: "c2", delivered: 0), at: 5)
    #expect(
      turn.events == [
        .pushDelayCancelled(phase: 1), .customerReturned, .cometConnected(session: "c2", activeAfter: 2),
      ])
    #expect(
      turn.effects == [
        .cancelTimer(.pushDelay(phase: 1)), .notifyAgents(.customerOnline(true)),
        .publish(sessions: ["c2"], events: [Conversation.text(3, "One", at: 3)], ended: false, isCatchUp: true),
      ])
    #expect(conversation.chat.clientState == .online)
    #expect(try conversation.when(.pushDelayElapsed(phase: 1), at: 8) == Conversation.Turn())
  }

  @Test("B13: back before any event there is no timer to cancel and nothing to catch up")
  func backFromQuiet() throws {
    var conversation = try Conversation.inBackground()
    try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 3)
    let turn = try conversation.when(.cometConnected(session: "c2", delivered: 0), at: 3)
    #expect(turn.effects == [.notifyAgents(.customerOnline(true))])
    #expect(conversation.chat.clientState == .online)
  }

  @Test("B14: the customer who comes back after pushes gets the catch-up")
  func backAfterPush() throws {
    var conversation = try Conversation.pushed()
    try conversation.when(Conversation.say("Two"), at: 9)
    try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 10)
    let turn = try conversation.when(.cometConnected(session: "c2", delivered: 0), at: 10)
    #expect(
      turn.effects == [
        .notifyAgents(.customerOnline(true)),
        .publish(
          sessions: ["c2"], events: [Conversation.text(3, "One", at: 3), Conversation.text(4, "Two", at: 9)],
          ended: false, isCatchUp: true),
      ])
    #expect(try conversation.when(Conversation.say("Three"), at: 11).effects.published == [[5]])
  }

  @Test("B15: a session that never connects changes nothing; the delay runs on")
  func handshakeOnly() throws {
    var conversation = try Conversation.waiting()
    #expect(try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 4).effects.isEmpty)
    #expect(try conversation.when(Conversation.say("Two"), at: 5).effects.published.isEmpty)
    let lost = try conversation.when(.cometLost(session: "c2", delivered: 0), at: 14)
    #expect(lost == Conversation.Turn(events: [.cometDetached(session: "c2", base: nil, written: 0)], effects: []))
    #expect(conversation.chat.basePosition == 2)
    #expect(conversation.chat.phaseCount == 1)
    let turn = try conversation.when(.pushDelayElapsed(phase: 1), at: 15)
    #expect(turn.effects.pushes.first?.lastTranscript.map(\.text) == ["One", "Two"])
  }

  @Test("B15: a session that subscribed in the background gets nothing before it connects, even when another is back")
  func otherSessionReturns() throws {
    var conversation = try Conversation.waiting()
    try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 4)
    try conversation.when(.cometSubscribed(session: "c3", delivered: 0), at: 5)
    try conversation.when(.cometConnected(session: "c3", delivered: 0), at: 5)
    #expect(conversation.chat.activeSessions == ["c3"])
    try conversation.when(Conversation.say("Two"), at: 6)
    let turn = try conversation.when(.cometConnected(session: "c2", delivered: 3), at: 7)
    let missed = [Conversation.text(4, "Two", at: 6)]
    #expect(turn.effects == [.publish(sessions: ["c2"], events: missed, ended: false, isCatchUp: true)])
  }

  @Test(
    "B16: a second disconnect raises P, never lowers it, and tells nobody",
    arguments: [(3, 3), (1, 2), (99, 3), (nil, 2), (-4, 2)] as [(Int?, Int)])
  func secondDisconnect(position: Int?, base: Int) throws {
    var conversation = try Conversation.waiting()
    let turn = try conversation.when(Conversation.disconnect("c1", position: position, delivered: 3), at: 4)
    #expect(turn.effects.isEmpty)
    #expect(conversation.chat.basePosition == base)
    #expect(conversation.chat.clientState == .backgroundWait)
    #expect(conversation.chat.phaseCount == 1)
    #expect(conversation.chat.lineCount == 4)
  }

  @Test("B16: a second disconnect for several chats raises P no further than what was delivered here")
  func secondDisconnectSeveral() throws {
    var conversation = try Conversation.waiting()
    try conversation.when(Conversation.disconnect("x", position: 3, delivered: 0, concernsSeveralChats: true), at: 4)
    #expect(conversation.chat.basePosition == 2)
  }

  @Test("B17: an agent's close in the background starts the delay, and its push goes out after the end")
  func closeWhileQuiet() throws {
    var conversation = try Conversation.inBackground()
    let turn = try conversation.when(.agentClose(agentID: "k"), at: 3)
    #expect(
      turn.effects == [
        Conversation.toAgents(Conversation.event(3, .left, "Agent K", "has left the session", .agent, at: 3)),
        .notifyAgents(.ended), .ended, .startTimer(.pushDelay(phase: 1), at: Conversation.time(8)),
      ])
    #expect(conversation.chat.isEnded)
    #expect(conversation.chat.clientState == .backgroundWait)
    let push = try conversation.when(.pushDelayElapsed(phase: 1), at: 8)
    #expect(
      push.effects == [Conversation.push(1, ordinal: 1, [PushedLine(.left, "has left the session")], position: 3)])
    #expect(conversation.chat.clientState == .ended)
  }

  @Test("B17: a running delay still fires once after the end, with the leaving among its events")
  func closeWhileWaiting() throws {
    var conversation = try Conversation.waiting()
    try conversation.when(.agentClose(agentID: "k"), at: 4)
    #expect(conversation.chat.clientState == .backgroundWait)
    let push = try conversation.when(.pushDelayElapsed(phase: 1), at: 8)
    #expect(push.effects.pushes.first?.lastTranscript.map(\.type) == [.messageText, .left])
    #expect(conversation.chat.clientState == .ended)
    #expect(try conversation.when(.pushDelayElapsed(phase: 1), at: 9) == Conversation.Turn())
  }

  @Test("B17: after the first push the close is pushed at once; without a delay as well")
  func closeWhilePushed() throws {
    var conversation = try Conversation.pushed()
    let turn = try conversation.when(.agentClose(agentID: "k"), at: 9)
    #expect(
      turn.effects.last == Conversation.push(2, ordinal: 2, [PushedLine(.left, "has left the session")], position: 4))
    #expect(conversation.chat.clientState == .ended)
    var undelayed = try Conversation.inBackground()
    undelayed.policy.pushDelay = .zero
    #expect(try undelayed.when(.agentClose(agentID: "k"), at: 3).effects.pushes.count == 1)
    #expect(undelayed.chat.clientState == .ended)
  }

  @Test("B17: if the filter names Notice.Left, the close is not pushed, but a running delay still fires")
  func closeFiltered() throws {
    var quiet = try Conversation.inBackground()
    quiet.policy.pushFilter = [.left]
    try quiet.when(.agentClose(agentID: "k"), at: 3)
    #expect(quiet.chat.clientState == .ended)
    #expect(quiet.chat.outstandingEffects.count == 1)
    var waiting = try Conversation.waiting()
    waiting.policy.pushFilter = [.left]
    try waiting.when(.agentClose(agentID: "k"), at: 4)
    let push = try waiting.when(.pushDelayElapsed(phase: 1), at: 8)
    #expect(push.effects.pushes.first?.lastTranscript.map(\.text) == ["One"])
  }

  @Test("B17: an agent who leaves without closing is pushed, too")
  func leaveWhilePushed() throws {
    var conversation = try Conversation.pushed()
    let turn = try conversation.when(.agentLeave(agentID: "k"), at: 9)
    #expect(turn.effects.pushes.first?.lastTranscript == [PushedLine(.left, "has left the session")])
    #expect(turn.effects.contains(.notifyAgents(.waiting)))
    #expect(conversation.chat.isLive)
  }

  @Test("B18: the customer who ends the chat by REST cancels the delay and gets no push")
  func customerLeaves() throws {
    var conversation = try Conversation.waiting()
    let turn = try conversation.when(.customerLeave, at: 4)
    #expect(turn.events == [.pushDelayCancelled(phase: 1), .chatEnded(party: 0, cause: .party)])
    #expect(turn.effects.first == .cancelTimer(.pushDelay(phase: 1)))
    #expect(turn.effects.pushes.isEmpty)
    #expect(conversation.chat.clientState == .ended)
    #expect(try conversation.when(.pushDelayElapsed(phase: 1), at: 8) == Conversation.Turn())
    var pushed = try Conversation.pushed()
    #expect(try pushed.when(.customerLeave, at: 9).effects.pushes.isEmpty)
    #expect(pushed.chat.clientState == .ended)
  }

  @Test("B19: after a return the next disconnect begins a new phase: new P, new notice, the delay applies again")
  func newPhase() throws {
    var conversation = try Conversation.pushed()
    try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 10)
    try conversation.when(.cometConnected(session: "c2", delivered: 0), at: 10)
    let turn = try conversation.when(Conversation.disconnect("c2", position: 3, delivered: 3), at: 11)
    #expect(
      turn.effects == [.notifyAgents(.customerOnline(false)), Conversation.notice("customer is not online", at: 11)])
    #expect(conversation.chat.basePosition == 3)
    #expect(conversation.chat.phaseCount == 2)
    let delay = try conversation.when(Conversation.say("Two"), at: 12)
    #expect(delay.effects.last == .startTimer(.pushDelay(phase: 2), at: Conversation.time(17)))
    // The timer of the phase before is nobody's any more.
    #expect(try conversation.when(.pushDelayElapsed(phase: 1), at: 13) == Conversation.Turn())
    let push = try conversation.when(.pushDelayElapsed(phase: 2), at: 17)
    #expect(
      push.effects == [Conversation.push(2, phase: 2, ordinal: 1, [PushedLine(.messageText, "Two")], position: 4)])
  }

  @Test("B20: a push that nobody could deliver changes nothing; the event is in the catch-up")
  func pushFails() throws {
    var conversation = try Conversation.pushed()
    let before = conversation.chat
    // The chat hears of the hand-over to the queue only; what becomes of the delivery is the queue's affair.
    try conversation.when(.pushHandedOver(number: 1), at: 9)
    #expect(conversation.chat.clientState == before.clientState)
    #expect(conversation.chat.owedPushes.isEmpty)
    try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 10)
    #expect(try conversation.when(.cometConnected(session: "c2", delivered: 0), at: 10).effects.published == [[3]])
  }

  @Test("B21: a restart finds the flag, P, what is remembered and the deadline as it was")
  func restart() throws {
    var conversation = try Conversation.waiting()
    try conversation.when(Conversation.say("Two"), at: 6)
    let restored = try conversation.replayed()
    #expect(restored == conversation.chat)
    #expect(restored.basePosition == 2)
    #expect(
      restored.outstandingEffects == [
        .startTimer(.pushDelay(phase: 1), at: Conversation.time(8)),
        .startTimer(.timeToLive, at: Conversation.time(86_400)),
      ])
    // Overdue by far: fires at once, with everything.
    let turn = try conversation.when(.pushDelayElapsed(phase: 1), at: 5_000)
    #expect(turn.effects.pushes.first?.lastTranscript.map(\.text) == ["One", "Two"])
  }

  @Test("B21: pushes that no queue has are owed again after a restart, in order and with their numbers")
  func owedPushes() throws {
    var conversation = try Conversation.pushed()
    try conversation.when(Conversation.say("Two"), at: 9)
    try conversation.when(Conversation.say("Three"), at: 10)
    #expect(try conversation.replayed().outstandingEffects.pushes.map(\.number) == [1, 2, 3])
    try conversation.when(.pushHandedOver(number: 2), at: 11)
    #expect(try conversation.when(.pushHandedOver(number: 2), at: 12) == Conversation.Turn())
    let owed = try conversation.replayed().outstandingEffects.pushes
    #expect(owed.map(\.number) == [1, 3])
    #expect(owed.map { $0.lastTranscript.map(\.text) } == [["One"], ["Three"]])
  }

  @Test("without a push target the machine runs the same, without pushes")
  func noTarget() throws {
    var conversation = try Conversation.waiting(target: nil)
    #expect(conversation.chat.clientState == .backgroundWait)
    #expect(try conversation.when(.pushDelayElapsed(phase: 1), at: 8).effects.isEmpty)
    #expect(conversation.chat.clientState == .backgroundPushed)
    #expect(try conversation.when(Conversation.say("Two"), at: 9).effects.pushes.isEmpty)
    #expect(conversation.chat.outstandingEffects.pushes.isEmpty)
    try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 10)
    #expect(try conversation.when(.cometConnected(session: "c2", delivered: 0), at: 10).effects.published == [[3, 4]])
  }

  @Test("a running delay keeps the value that it was started with")
  func policyChanges() throws {
    var conversation = try Conversation.waiting()
    conversation.policy.pushDelay = .seconds(60)
    try conversation.when(Conversation.say("Two"), at: 6)
    #expect(
      conversation.chat.outstandingEffects.first == .startTimer(.pushDelay(phase: 1), at: Conversation.time(8)))
  }

  @Test("the text of a push is the one of its moment")
  func pushMessage() throws {
    var conversation = try Conversation.waiting()
    conversation.policy.pushMessage = "Neue Nachricht"
    #expect(try conversation.when(.pushDelayElapsed(phase: 1), at: 8).effects.pushes.first?.message == "Neue Nachricht")
  }
}
