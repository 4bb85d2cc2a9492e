import ChatDomain
import EventSourcing
import Testing

@Suite("Chat, client in foreground")
struct OnlineTests {
  @Test("B1: the first session to subscribe gets everything after the start reply's position")
  func firstSubscription() throws {
    var conversation = try Conversation.started()
    #expect(conversation.chat.clientState == .none)
    let joined = try conversation.when(Conversation.joinK, at: 1)
    #expect(joined.effects.published.isEmpty)
    try conversation.when(Conversation.say("Hello"), at: 2)
    let turn = try conversation.when(.cometSubscribed(session: "c1", delivered: 0), at: 3)
    #expect(turn.events == [.cometSubscribed(session: "c1", activeAfter: 1)])
    #expect(
      turn.effects == [
        .publish(
          sessions: ["c1"],
          events: [
            Conversation.event(2, .joined, "Agent K", "has joined the session", .agent, at: 1),
            Conversation.text(3, "Hello", at: 2),
          ], ended: false, isCatchUp: true)
      ])
    #expect(conversation.chat.clientState == .online)
  }

  @Test("B1: a session that subscribes when there is nothing new gets no notification")
  func nothingNew() throws {
    var conversation = try Conversation.started()
    #expect(try conversation.when(.cometSubscribed(session: "c1", delivered: 0), at: 1).effects.isEmpty)
    #expect(try conversation.when(Conversation.joinK, at: 2).effects.published == [[2]])
  }

  @Test("a session may connect before it subscribes; it gets events once it has subscribed")
  func connectFirst() throws {
    var conversation = try Conversation.started()
    try conversation.when(.cometConnected(session: "c1", delivered: 0), at: 1)
    #expect(conversation.chat.clientState == .none)
    #expect(conversation.chat.attachedSessions == ["c1"])
    #expect(conversation.chat.activeSessions.isEmpty)
    #expect(try conversation.when(Conversation.joinK, at: 2).effects.published.isEmpty)
    #expect(try conversation.when(.cometSubscribed(session: "c1", delivered: 0), at: 3).effects.published == [[2]])
    #expect(try conversation.when(.cometConnected(session: "c1", delivered: 0), at: 4) == Conversation.Turn())
    #expect(try conversation.when(.cometSubscribed(session: "c1", delivered: 0), at: 5) == Conversation.Turn())
  }

  @Test("B2: each event goes to the session as it happens, the customer's own included")
  func echoed() throws {
    var conversation = try Conversation.online()
    #expect(try conversation.when(.customerSend(text: "Hi"), at: 2).effects.published == [[3]])
    #expect(try conversation.when(Conversation.say("Hello"), at: 3).effects.published == [[4]])
  }

  @Test("a second session gets what was not written to any other, then both get everything")
  func secondSession() throws {
    var conversation = try Conversation.online()
    try conversation.when(Conversation.say("One"), at: 2)
    try conversation.when(Conversation.say("Two"), at: 3)
    let turn = try conversation.when(.cometSubscribed(session: "c2", delivered: 3), at: 4)
    #expect(turn.effects.published == [[4]])
    let both = try conversation.when(Conversation.say("Three"), at: 5)
    #expect(
      both.effects.first
        == .publish(sessions: ["c1", "c2"], events: [Conversation.text(5, "Three", at: 5)], ended: false))
  }

  @Test("a session that unsubscribes gets nothing more; when it subscribes again it gets what it missed")
  func unsubscribed() throws {
    var conversation = try Conversation.online()
    try conversation.when(Conversation.say("One"), at: 2)
    try conversation.when(.cometUnsubscribed(session: "c1", delivered: 3), at: 3)
    #expect(conversation.chat.clientState == .online)
    #expect(try conversation.when(Conversation.say("Two"), at: 4).effects.published.isEmpty)
    #expect(try conversation.when(.cometSubscribed(session: "c1", delivered: 3), at: 5).effects.published == [[4]])
    #expect(try conversation.when(.cometUnsubscribed(session: "other", delivered: 0), at: 6) == Conversation.Turn())
  }

  @Test("what was sent to a session before it unsubscribed is not sent to it again, written or not")
  func notTwice() throws {
    var conversation = try Conversation.online()
    try conversation.when(Conversation.say("Queued"), at: 2)
    try conversation.when(.cometUnsubscribed(session: "c1", delivered: 2), at: 3)
    try conversation.when(Conversation.say("Missed"), at: 4)
    #expect(try conversation.when(.cometSubscribed(session: "c1", delivered: 2), at: 5).effects.published == [[4]])
  }

  @Test("the flag waits for the last of several sessions")
  func lastOfSeveral() throws {
    var conversation = try Conversation.online()
    try conversation.when(.cometSubscribed(session: "c2", delivered: 2), at: 2)
    let first = try conversation.when(Conversation.disconnect("c1", position: 2, delivered: 2), at: 3)
    #expect(first == Conversation.Turn(events: [.cometDetached(session: "c1", base: nil, written: 2)], effects: []))
    #expect(conversation.chat.clientState == .online)
    #expect(try conversation.when(Conversation.say("One"), at: 4).effects.published == [[3]])
    let last = try conversation.when(Conversation.disconnect("c2", position: 3, delivered: 3), at: 5)
    #expect(last.effects.first == .notifyAgents(.customerOnline(false)))
    #expect(conversation.chat.clientState == .backgroundQuiet)
  }

  @Test("a session nobody knows does not flag a customer who has a live one")
  func unknownSession() throws {
    var conversation = try Conversation.online()
    let turn = try conversation.when(Conversation.disconnect("old", position: 1, delivered: 0), at: 2)
    #expect(turn == Conversation.Turn())
    #expect(conversation.chat.clientState == .online)
  }

  @Test("after a restart an active session is owed what was not written to it")
  func catchUpAfterRestart() throws {
    var conversation = try Conversation.online()
    try conversation.when(Conversation.say("One"), at: 2)
    try conversation.when(Conversation.say("Two"), at: 3)
    try conversation.when(.cometSubscribed(session: "c2", delivered: 3), at: 4)
    let chat = try conversation.replayed()
    #expect(chat.catchUp(for: "c1", delivered: 2).map(\.position) == [3, 4])
    #expect(chat.catchUp(for: "c1", delivered: 0).map(\.position) == [2, 3, 4])
    #expect(chat.catchUp(for: "c2", delivered: 0).map(\.position) == [4])
    #expect(chat.catchUp(for: "c1", delivered: 4).isEmpty)
    #expect(chat.catchUp(for: "other", delivered: 0).isEmpty)
  }

  @Test("after a restart a session that unsubscribed and subscribed again is owed what did not reach it before")
  func catchUpAfterResubscription() throws {
    var conversation = try Conversation.online()
    try conversation.when(Conversation.say("One"), at: 2)
    try conversation.when(Conversation.say("Two"), at: 3)
    try conversation.when(.cometUnsubscribed(session: "c1", delivered: 3), at: 4)
    #expect(try conversation.replayed().catchUp(for: "c1", delivered: 3).map(\.position) == [4])
    try conversation.when(.cometSubscribed(session: "c1", delivered: 3), at: 5)
    #expect(try conversation.replayed().catchUp(for: "c1", delivered: 3).map(\.position) == [4])
    try conversation.when(Conversation.say("Three"), at: 6)
    let chat = try conversation.replayed()
    #expect(chat.catchUp(for: "c1", delivered: 3).map(\.position) == [4, 5])
    #expect(chat.catchUp(for: "c1", delivered: 4).map(\.position) == [5])
  }

  @Test("a chat that polls has no Comet side: no notifications, no background, no push")
  func polling() throws {
    var conversation = try Conversation.started(comet: false)
    for action in [
      ChatAction.cometSubscribed(session: "c1", delivered: 0), .cometConnected(session: "c1", delivered: 0),
      .cometUnsubscribed(session: "c1", delivered: 0), Conversation.disconnect("c1", position: 1, delivered: 0),
      .cometLost(session: "c1", delivered: 0),
    ] {
      #expect(try conversation.when(action, at: 1) == Conversation.Turn())
    }
    try conversation.when(Conversation.joinK, at: 2)
    let turn = try conversation.when(Conversation.say("Hello"), at: 3)
    #expect(turn.effects == [Conversation.toAgents(Conversation.text(3, "Hello", at: 3))])
    #expect(conversation.chat.clientState == .none)
    #expect(conversation.chat.customerIsOnline)
  }
}
