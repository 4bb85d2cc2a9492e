import ChatDomain
import EventSourcing
import Testing

@Suite("Chat, catch-up after the background")
struct CatchUpTests {
  @Test("6.5: one notification with everything after P, typing and the customer's own included")
  func everything() throws {
    var conversation = try Conversation.pushed()
    try conversation.when(.agentTyping(agentID: "k", started: true), at: 9)
    try conversation.when(.customerSend(text: "From REST"), at: 10)
    try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 11)
    let turn = try conversation.when(.cometConnected(session: "c2", delivered: 0), at: 11)
    #expect(turn.effects.published == [[3, 4, 5]])
  }

  @Test("6.5: from P on, even if more was written before the disconnect")
  func belowWritten() throws {
    var conversation = try Conversation.online()
    try conversation.when(Conversation.say("One"), at: 2)
    try conversation.when(Conversation.disconnect("c1", position: 1, delivered: 3), at: 3)
    try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 4)
    #expect(try conversation.when(.cometConnected(session: "c2", delivered: 0), at: 4).effects.published == [[2, 3]])
  }

  @Test("6.5: a session that connects before it subscribes ends the phase; the catch-up waits for the subscription")
  func connectFirst() throws {
    var conversation = try Conversation.waiting()
    let connected = try conversation.when(.cometConnected(session: "c2", delivered: 0), at: 4)
    #expect(connected.effects == [.cancelTimer(.pushDelay(phase: 1)), .notifyAgents(.customerOnline(true))])
    #expect(conversation.chat.clientState == .online)
    #expect(try conversation.when(Conversation.say("Two"), at: 5).effects.published.isEmpty)
    #expect(conversation.chat.basePosition == 2)
    let subscribed = try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 6)
    #expect(subscribed.effects.published == [[3, 4]])
    #expect(try conversation.when(Conversation.say("Three"), at: 7).effects.published == [[5]])
  }

  @Test("6.5: what was sent to a session that unsubscribed and subscribed again, and never came, is still owed")
  func subscribedAgain() throws {
    var conversation = try Conversation.online()
    try conversation.when(Conversation.say("One"), at: 2)
    // Position 3 waits for a connect that never comes.
    try conversation.when(.cometUnsubscribed(session: "c1", delivered: 2), at: 3)
    try conversation.when(.cometSubscribed(session: "c1", delivered: 2), at: 4)
    #expect(conversation.chat.catchUp(for: "c1", delivered: 2).map(\.position) == [3])
    #expect(conversation.chat.repetition(for: "c1", after: 2, upTo: 3, isStated: false).map(\.position) == [3])
    try conversation.when(.cometLost(session: "c1", delivered: 2), at: 5)
    #expect(conversation.chat.basePosition == 2)
    try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 6)
    #expect(try conversation.when(.cometConnected(session: "c2", delivered: 0), at: 6).effects.published == [[3]])
  }

  @Test("6.5: if the chat ended meanwhile, the catch-up says so and holds the leaving")
  func ended() throws {
    var conversation = try Conversation.waiting()
    try conversation.when(.agentClose(agentID: "k"), at: 4)
    try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 5)
    let turn = try conversation.when(.cometConnected(session: "c2", delivered: 0), at: 5)
    #expect(
      turn.effects == [
        .cancelTimer(.pushDelay(phase: 1)),
        .publish(
          sessions: ["c2"],
          events: [
            Conversation.text(3, "One", at: 3),
            Conversation.event(4, .left, "Agent K", "has left the session", .agent, at: 4),
          ], ended: true, isCatchUp: true),
      ])
    #expect(conversation.chat.clientState == .ended)
    #expect(try conversation.when(.pushDelayElapsed(phase: 1), at: 8) == Conversation.Turn())
  }

  @Test("6.5: a session lost before the end of the chat was written gets the end when it is back")
  func lostAfterEnd() throws {
    var conversation = try Conversation.online()
    try conversation.when(.agentClose(agentID: "k"), at: 3)
    let lost = try conversation.when(.cometLost(session: "c1", delivered: 2), at: 4)
    #expect(lost.effects.isEmpty)
    #expect(conversation.chat.clientState == .ended)
    let turn = try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 5)
    #expect(turn.effects.published == [[3]])
  }

  @Test("6.5: a catch-up that was never written comes again in the next phase")
  func repeated() throws {
    var conversation = try Conversation.pushed()
    try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 9)
    #expect(try conversation.when(.cometConnected(session: "c2", delivered: 0), at: 9).effects.published == [[3]])
    try conversation.when(.cometLost(session: "c2", delivered: 0), at: 20)
    #expect(conversation.chat.basePosition == 2)
    try conversation.when(.cometSubscribed(session: "c3", delivered: 0), at: 21)
    #expect(try conversation.when(.cometConnected(session: "c3", delivered: 0), at: 21).effects.published == [[3]])
  }

  @Test("a session that had connected before the phase and subscribes within it is back")
  func connectedBefore() throws {
    var conversation = try Conversation.online()
    try conversation.when(.cometConnected(session: "c2", delivered: 2), at: 2)
    try conversation.when(Conversation.disconnect("c1", position: 2, delivered: 2), at: 3)
    #expect(conversation.chat.clientState == .backgroundQuiet)
    try conversation.when(Conversation.say("One"), at: 4)
    let turn = try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 5)
    #expect(
      turn.effects == [
        .cancelTimer(.pushDelay(phase: 1)), .notifyAgents(.customerOnline(true)),
        .publish(sessions: ["c2"], events: [Conversation.text(3, "One", at: 4)], ended: false, isCatchUp: true),
      ])
  }

  @Test("6.7: refresh neither ends the phase nor moves P")
  func refresh() throws {
    var conversation = try Conversation.waiting()
    try conversation.when(.noteServed(upTo: 3), at: 4)
    #expect(conversation.chat.clientState == .backgroundWait)
    #expect(conversation.chat.basePosition == 2)
    #expect(conversation.chat.servedPosition == 3)
    try conversation.when(.customerSend(text: "With refresh"), at: 5)
    try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 6)
    #expect(try conversation.when(.cometConnected(session: "c2", delivered: 0), at: 6).effects.published == [[3, 4]])
  }
}

@Suite("Chat, session lost without a word")
struct CometLossTests {
  @Test("B5, 6.6: a lost session counts as background with P = what was confirmed; the agents are not told yet")
  func background() throws {
    var conversation = try Conversation.online()
    let turn = try conversation.when(.cometLost(session: "c1", delivered: 2), at: 20)
    #expect(turn.events == [.customerAbsent(session: "c1", position: 2, written: 2, cause: .lost, basis: .confirmed)])
    #expect(turn.effects == [.notifyAgents(.customerOnline(false))])
    #expect(conversation.chat.clientState == .backgroundQuiet)
    #expect(conversation.chat.basePosition == 2)
  }

  @Test("6.6: the agents are told with the first agent message, once")
  func noticeWithMessage() throws {
    var conversation = try Conversation.online()
    try conversation.when(.cometLost(session: "c1", delivered: 2), at: 20)
    #expect(try conversation.when(.agentTyping(agentID: "k", started: true), at: 21).events.count == 1)
    #expect(try conversation.when(.customerSend(text: "Own"), at: 21).events.count == 1)
    let turn = try conversation.when(Conversation.say("One"), at: 22)
    #expect(
      turn.effects == [
        Conversation.toAgents(Conversation.text(5, "One", at: 22)),
        Conversation.notice("customer is not online", at: 22),
        .startTimer(.pushDelay(phase: 1), at: Conversation.time(27)),
      ])
    let second = try conversation.when(Conversation.say("Two"), at: 23)
    #expect(second.effects == [Conversation.toAgents(Conversation.text(6, "Two", at: 23))])
  }

  @Test("6.6: the notice comes with a message that the push filter holds back, too")
  func noticeWithFilteredMessage() throws {
    var conversation = try Conversation.online()
    conversation.policy.pushFilter = [.messageText]
    try conversation.when(.cometLost(session: "c1", delivered: 2), at: 20)
    let turn = try conversation.when(Conversation.say("One"), at: 22)
    #expect(turn.events.last == .absenceNoted(text: "customer is not online"))
  }

  @Test("6.6: a message that was never written arrives with the loss: the agents are told and the delay starts")
  func unwrittenMessage() throws {
    var conversation = try Conversation.online()
    try conversation.when(Conversation.say("One"), at: 10)
    let turn = try conversation.when(.cometLost(session: "c1", delivered: 2), at: 20)
    #expect(
      turn.effects == [
        .notifyAgents(.customerOnline(false)), Conversation.notice("customer is not online", at: 20),
        .startTimer(.pushDelay(phase: 1), at: Conversation.time(25)),
      ])
    let push = try conversation.when(.pushDelayElapsed(phase: 1), at: 25)
    #expect(push.effects.pushes.first?.lastTranscript.map(\.text) == ["One"])
    #expect(try conversation.when(Conversation.say("Two"), at: 26).events.count == 2)
  }

  @Test("6.6: an explicit disconnect afterwards does not tell the agents twice")
  func thenDisconnected() throws {
    var conversation = try Conversation.online()
    try conversation.when(.cometLost(session: "c1", delivered: 2), at: 20)
    try conversation.when(Conversation.disconnect("c1", position: 2, delivered: 0), at: 21)
    try conversation.when(Conversation.say("One"), at: 22)
    try conversation.when(Conversation.disconnect("c1", position: 3, delivered: 0), at: 23)
    #expect(conversation.chat.agentLines().filter { $0.position == nil }.count == 1)
  }

  @Test("6.6: the customer who is back before any agent message leaves no notice behind")
  func backBeforeMessage() throws {
    var conversation = try Conversation.online()
    try conversation.when(.cometLost(session: "c1", delivered: 2), at: 20)
    try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 21)
    try conversation.when(.cometConnected(session: "c2", delivered: 0), at: 21)
    #expect(try conversation.when(Conversation.say("One"), at: 22).events.count == 1)
    #expect(conversation.chat.lineCount == conversation.chat.lastPosition)
  }

  @Test("6.6: with `ignore` nobody is told and nothing is pushed, but a new session gets what it missed")
  func ignored() throws {
    var conversation = try Conversation.online()
    conversation.policy.cometLoss = .ignore
    try conversation.when(Conversation.say("One"), at: 10)
    let lost = try conversation.when(.cometLost(session: "c1", delivered: 2), at: 20)
    #expect(lost == Conversation.Turn(events: [.cometDetached(session: "c1", base: 2, written: 2)], effects: []))
    #expect(conversation.chat.clientState == .online)
    #expect(!conversation.chat.isFlaggedDisconnected)
    let missed = try conversation.when(Conversation.say("Two"), at: 21)
    #expect(missed.effects == [Conversation.toAgents(Conversation.text(4, "Two", at: 21))])
    let turn = try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 22)
    #expect(turn.effects.published == [[3, 4]])
  }

  @Test("6.6: the loss of one of several sessions, or of one that never was more than a handshake, changes nothing")
  func notTheLast() throws {
    var conversation = try Conversation.online()
    try conversation.when(.cometSubscribed(session: "c2", delivered: 2), at: 2)
    #expect(try conversation.when(.cometLost(session: "c1", delivered: 2), at: 3).effects.isEmpty)
    #expect(conversation.chat.clientState == .online)
    #expect(try conversation.when(.cometLost(session: "never", delivered: 0), at: 4) == Conversation.Turn())
    #expect(conversation.chat.activeSessions == ["c2"])
  }

  @Test("6.6: the loss of a session that never subscribed leaves a new chat waiting for its first one")
  func neverSubscribed() throws {
    var conversation = try Conversation.started()
    try conversation.when(.cometConnected(session: "c1", delivered: 0), at: 1)
    #expect(try conversation.when(.cometLost(session: "c1", delivered: 0), at: 12).effects.isEmpty)
    #expect(conversation.chat.clientState == .none)
  }

  @Test("6.6: the loss of a mere handshake does not flag a customer who is just coming back")
  func handshakeLost() throws {
    var conversation = try Conversation.pushed()
    try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 9)
    try conversation.when(.cometConnected(session: "c3", delivered: 0), at: 10)
    #expect(try conversation.when(.cometLost(session: "c2", delivered: 0), at: 19).effects.isEmpty)
    #expect(conversation.chat.clientState == .online)
    #expect(try conversation.when(.cometSubscribed(session: "c3", delivered: 0), at: 20).effects.published == [[3]])
  }

  @Test("6.6: a session that came back and is lost before it subscribed begins a new phase with the same P")
  func lostAgain() throws {
    var conversation = try Conversation.pushed()
    try conversation.when(.cometConnected(session: "c2", delivered: 0), at: 9)
    let turn = try conversation.when(.cometLost(session: "c2", delivered: 0), at: 20)
    #expect(turn.effects.first == .notifyAgents(.customerOnline(false)))
    #expect(conversation.chat.phaseCount == 2)
    #expect(conversation.chat.basePosition == 2)
  }
}
