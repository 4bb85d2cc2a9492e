import ChatDomain
import EventSourcing
import Foundation
import Testing

@Suite("Chat, erased")
struct EraseTests {
  /// A chat in which everything that can name somebody says MARK.
  static func marked() throws -> Conversation {
    var conversation = Conversation()
    try conversation.when(.create(serviceName: "request-chat", data: [NameValuePair("tier", "MARK-gold")]), at: 0)
    try conversation.when(
      .start(
        ChatStart(
          chatSessionID: "0002CaBE7F0K001Q", userKey: "MARK-user", notifiesByComet: true, nickname: "MARK Guest",
          subject: "MARK order", firstMessage: "MARK hello",
          pushTarget: PushTarget(type: "ios", deviceID: "MARK-device", provider: "MARK-p", language: "de"),
          userID: "u", secureKey: "s", data: [NameValuePair("MARK-name", "MARK-value")])), at: 0)
    try conversation.when(.cometSubscribed(session: "MARK-c1", delivered: 0), at: 0)
    try conversation.when(.cometConnected(session: "MARK-c1", delivered: 0), at: 0)
    try conversation.when(Conversation.joinK, at: 1)
    try conversation.when(Conversation.say("MARK answer"), at: 2)
    try conversation.when(.customerTyping(started: true, preview: "MARK te"), at: 3)
    try conversation.when(.customerPushURL("https://MARK.test/"), at: 4)
    try conversation.when(.agentNotice(agentID: "k", text: "MARK note"), at: 5)
    try conversation.when(.agentNote(agentID: "k", text: "MARK secret"), at: 5)
    try conversation.when(.whisper(agentID: "boss", text: "MARK whisper"), at: 5)
    try conversation.when(
      .wrapUp(agentID: "k", disposition: "MARK sold", note: "MARK more", tags: ["MARK tag"]), at: 5)
    conversation.policy.absenceNotice = "MARK is away"
    try conversation.when(Conversation.disconnect("MARK-c1", position: 7, delivered: 7), at: 6)
    try conversation.when(Conversation.say("MARK more"), at: 7)
    return conversation
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test("nothing marked is left in the state, in its bytes or in the event; the course of the chat is")
  func scrubbed() throws {
    var conversation = try Self.marked()
    try conversation.when(.pushDelayElapsed(phase: 1), at: 12)
    let before = conversation.chat
    #expect(before.outstandingEffects.pushes.count == 1 && text(before.stateBytes).contains("MARK"))
    let turn = try conversation.when(.erase, at: 13)
    let chat = conversation.chat
    #expect(turn.events == [.erased(state: chat.stateBytes)])
    #expect(turn.effects == [.notifyAgents(.dataChanged), .notifyAgents(.customerOnline(true))])
    #expect(!text(chat.stateBytes).contains("MARK"))
    #expect(!text(try #require(conversation.journal.last).event.payload).contains("MARK"))
    #expect(!text([UInt8](try JSONEncoder().encode(chat))).contains("MARK"))

    #expect(chat.events(after: 0).map(\.type) == before.events(after: 0).map(\.type))
    #expect(chat.events(after: 0).map(\.role) == before.events(after: 0).map(\.role))
    #expect(chat.events(after: 0).map(\.time) == before.events(after: 0).map(\.time))
    #expect(chat.events(after: 0).map(\.position) == Array(1...8))
    #expect(chat.agentLines().map(\.position) == before.agentLines().map(\.position))
    #expect(
      chat.events(after: 0).map { "\($0.nickname): \($0.text)" } == [
        "[erased]: has joined the session", "[erased]: [erased]", "Agent K: has joined the session",
        "Agent K: [erased]", "[erased]: is typing", "[erased]: [erased]", "Agent K: [erased]", "Agent K: [erased]",
      ])
    #expect(chat.wrapUp?.disposition == "[erased]" && chat.wrapUp?.tags == [] && chat.wrapUp?.agentID == "k")
    #expect(chat.agentLines().filter { $0.content.nickname == "boss" }.map(\.content.text) == ["[erased]"])
    #expect(chat.subject == "[erased]" && chat.data.isEmpty && chat.userKey == nil && chat.pushTarget == nil)
    #expect(chat.chatSessionID == "0002CaBE7F0K001Q" && chat.userID == "u" && chat.secureKey == "s")
    #expect(chat.serviceName == "request-chat" && chat.lifecycle == .live && chat.agents == before.agents)
    #expect(chat.lastUse == before.lastUse && chat.startedAt == before.startedAt)
    #expect(chat.startPosition == before.startPosition && chat.phaseCount == 1)
    #expect(chat.attachedSessions.isEmpty && !chat.isFlaggedDisconnected && chat.owedPushes.isEmpty)
    #expect(chat.outstandingEffects == [.startTimer(.timeToLive, at: Conversation.time(86_400))])
  }

  @Test("the timer of a push that waits is taken back; if it fires all the same, nothing comes of it")
  func timer() throws {
    var conversation = try Self.marked()
    let turn = try conversation.when(.erase, at: 8)
    #expect(turn.events == [.pushDelayCancelled(phase: 1), .erased(state: conversation.chat.stateBytes)])
    #expect(turn.effects.first == .cancelTimer(.pushDelay(phase: 1)))
    #expect(try conversation.when(.pushDelayElapsed(phase: 1), at: 12) == Conversation.Turn())
    #expect(try conversation.when(.pushHandedOver(number: 1), at: 12) == Conversation.Turn())
    #expect(conversation.chat.rest == .asleep(until: Conversation.time(86_400)))
  }

  @Test("the chat lives on: lines, sessions, background, expiry")
  func livesOn() throws {
    var conversation = try Self.marked()
    try conversation.when(.erase, at: 8)
    let line = try conversation.when(.customerSend(text: "I am back"), at: 9)
    let posted = Conversation.event(9, .messageText, "[erased]", "I am back", .client, at: 9)
    #expect(line.effects == [Conversation.toAgents(posted)])
    try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 10)
    #expect(conversation.chat.clientState == .online)
    // What the app said it has is not sent again: the base of the phase before was 7.
    #expect(conversation.chat.catchUp(for: "c2", delivered: 0).map(\.position) == [8, 9])
    try conversation.when(Conversation.disconnect("c2", position: 9, delivered: 9), at: 11)
    #expect(conversation.chat.phaseCount == 2)
    try conversation.when(Conversation.say("Still there?"), at: 12)
    #expect(try conversation.when(.pushDelayElapsed(phase: 1), at: 17) == Conversation.Turn())
    // No device is known any more: the machine goes on without a push.
    #expect(try conversation.when(.pushDelayElapsed(phase: 2), at: 17).effects.isEmpty)
    #expect(conversation.chat.clientState == .backgroundPushed)
    #expect(try conversation.replayed() == conversation.chat)
    #expect(try conversation.replayedFromRestatement() == conversation.chat)
    try conversation.when(.timeToLiveElapsed, at: 90_000)
    #expect(conversation.chat.isFinished)
  }

  @Test("an online customer's sessions are dropped, and what the customer had is not sent again")
  func online() throws {
    var conversation = try Conversation.online()
    try conversation.when(.cometSubscribed(session: "c2", delivered: 2), at: 2)
    #expect(conversation.chat.basePosition == 1)
    try conversation.when(.erase, at: 3)
    #expect(conversation.chat.attachedSessions.isEmpty && conversation.chat.basePosition == 2)
    #expect(try conversation.when(.cometLost(session: "c1", delivered: 2), at: 4).events.isEmpty)
    try conversation.when(.cometSubscribed(session: "c3", delivered: 0), at: 5)
    let line = try conversation.when(Conversation.say("Hello"), at: 6)
    #expect(line.effects.published == [[3]])
  }

  @Test("a chat that is not there, or not any more, has nothing to erase; one that was not started has its data")
  func lifecycles() throws {
    var conversation = Conversation()
    #expect(try conversation.when(.erase, at: 0) == Conversation.Turn())
    try conversation.when(.create(serviceName: "request-chat", data: [NameValuePair("mail", "a@b.test")]), at: 0)
    let turn = try conversation.when(.erase, at: 1)
    #expect(turn.events.count == 1 && turn.effects.isEmpty)
    #expect(conversation.chat.data.isEmpty && conversation.chat.lifecycle == .created)
    try conversation.when(Conversation.start(), at: 2)
    #expect(conversation.chat.isLive && conversation.chat.nickname == "Guest 7")
    try conversation.when(.customerLeave, at: 3)
    #expect(try conversation.when(.erase, at: 4).effects.isEmpty)
    #expect(conversation.chat.isEnded && conversation.chat.nickname == "[erased]")
    #expect(conversation.chat.subject == "[erased]")
    try conversation.when(.timeToLiveElapsed, at: 90_000)
    #expect(try conversation.when(.erase, at: 90_001) == Conversation.Turn())
  }

  @Test("erasing again states it again: the first statement may be among the records that go")
  func again() throws {
    var conversation = try Self.marked()
    try conversation.when(.erase, at: 8)
    let state = conversation.chat
    #expect(try conversation.when(.erase, at: 9).events == [.erased(state: state.stateBytes)])
    #expect(conversation.chat == state)
  }

  @Test("only the erasure restates")
  func restatement() {
    #expect((EventTag(0)...60).filter(ChatEvent.isRestatement) == [25])
  }

  @Test("an erased line takes a few bytes, so that the largest transcript fits into one record")
  func size() throws {
    var conversation = try Conversation.online()
    for line in 0..<1_000 { try conversation.when(.customerSend(text: "Text number \(line)"), at: Double(line) * 7.25) }
    try conversation.when(.erase, at: 8_000)
    #expect(conversation.chat.stateBytes.count < 1_000 * 5)
  }
}

@Suite("Chat, whose it is")
struct SubjectTests {
  static let start = ChatStart(
    chatSessionID: "0002CaBE7F0K001Q", userKey: "user-7", notifiesByComet: true, nickname: "Guest 7", subject: "Order",
    firstMessage: "Hello", pushTarget: PushTarget(type: "ios", deviceID: "device-77"), userID: "u", secureKey: "s",
    data: [NameValuePair("mail", "guest@mail.test"), NameValuePair("empty", "")])

  @Test(
    "a start names its user, its session, its device and the values of its data, as they stand",
    arguments: [
      ("user-7", true), ("0002CaBE7F0K001Q", true), ("device-77", true), ("guest@mail.test", true),
      ("USER-7", false), ("user", false), ("mail", false), ("Guest 7", false), ("Order", false), ("Hello", false),
      ("u", false), ("s", false), ("", false),
    ])
  func start(subject: String, names: Bool) throws {
    #expect(Self.start.mentions(subject: subject) == names)
    #expect(ChatEvent.started(with: Self.start).mentions(subject: subject) == names)
    var chat = ChatSession()
    chat.evolve(.started(with: Self.start), at: Conversation.origin)
    #expect(chat.mentions(subject: subject) == names)
    chat.evolve(.erased(state: chat.stateBytes), at: Conversation.origin)
    #expect(ChatEvent.erased(state: chat.stateBytes).mentions(subject: subject) == names)
  }

  @Test("data names somebody wherever it comes from; other events name nobody")
  func events() {
    let data = [NameValuePair("mail", "a@b.test")]
    let created = ChatEvent.created(serviceName: "a@b.test", data: [], expiresAt: .epoch)
    #expect(ChatEvent.created(serviceName: "x", data: data, expiresAt: .epoch).mentions(subject: "a@b.test"))
    #expect(ChatEvent.dataUpdated(pairs: data).mentions(subject: "a@b.test"))
    #expect(!created.mentions(subject: "a@b.test"))
    #expect(!ChatEvent.linePosted(party: 0, type: .messageText, text: "a@b.test").mentions(subject: "a@b.test"))
    #expect(!ChatSession().mentions(subject: ""))
  }

  @Test("after the erasure only the chat session id names the chat")
  func erased() throws {
    var conversation = try EraseTests.marked()
    #expect(conversation.chat.mentions(subject: "MARK-user"))
    try conversation.when(.erase, at: 8)
    let event = try #require(conversation.journal.last).event.decoded(as: ChatEvent.self)
    for subject in ["MARK-user", "MARK-device", "MARK-value", "MARK-gold"] {
      #expect(!conversation.chat.mentions(subject: subject) && !event.mentions(subject: subject))
    }
    #expect(conversation.chat.mentions(subject: "0002CaBE7F0K001Q"))
    #expect(event.mentions(subject: "0002CaBE7F0K001Q"))
  }
}
