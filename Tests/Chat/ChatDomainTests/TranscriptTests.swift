import ChatDomain
import EventSourcing
import Testing

@Suite("Transcript of a chat")
struct TranscriptTests {
  @Test(
    "every operation appends one event of its type and text",
    arguments: [
      (.customerSend(text: "Hi"), .messageText, "Guest 7", "Hi", .client),
      (.customerTyping(started: true, preview: ""), .typingStarted, "Guest 7", "is typing", .client),
      (.customerTyping(started: false, preview: ""), .typingStopped, "Guest 7", "stopped typing", .client),
      (.customerNotice(text: "custom"), .custom, "Guest 7", "custom", .client),
      (.customerPushURL("https://example.test/"), .pushURL, "Guest 7", "https://example.test/", .client),
      (.agentSend(agentID: "k", text: "Hello"), .messageText, "Agent K", "Hello", .agent),
      (.agentTyping(agentID: "k", started: true), .typingStarted, "Agent K", "is typing", .agent),
      (.agentTyping(agentID: "k", started: false), .typingStopped, "Agent K", "stopped typing", .agent),
      (.agentPushURL(agentID: "k", url: "https://a.test/"), .pushURL, "Agent K", "https://a.test/", .agent),
      (.agentNotice(agentID: "k", text: "transfer"), .custom, "Agent K", "transfer", .agent),
      (
        .agentJoin(agentID: "s", nickname: "Sue", role: .supervisor), .joined, "Sue", "has joined the session",
        .supervisor
      ),
      (.agentJoin(agentID: "b", nickname: "Bot", role: .external), .joined, "Bot", "has joined the session", .external),
      (.agentLeave(agentID: "k"), .left, "Agent K", "has left the session", .agent),
    ] as [(ChatAction, TranscriptEventType, String, String, PartyRole)])
  func operations(
    action: ChatAction, type: TranscriptEventType, nickname: String, text: String, role: PartyRole
  ) throws {
    var conversation = try Conversation.online()
    let turn = try conversation.when(action, at: 30)
    let line = Conversation.event(3, type, nickname, text, role, at: 30)
    #expect(
      turn.effects.prefix(2) == [
        .publish(sessions: ["c1"], events: [line], ended: false), Conversation.toAgents(line),
      ])
    #expect(Array(conversation.chat.events(after: 2)) == [line])
  }

  @Test("the preview of what the customer types goes to agents and into no transcript")
  func preview() throws {
    var conversation = try Conversation.online()
    let turn = try conversation.when(.customerTyping(started: true, preview: "My ord"), at: 3)
    #expect(turn.effects.last == .notifyAgents(.typingPreview("My ord")))
    #expect(conversation.chat.lastPosition == 3)
    #expect(conversation.chat.lineCount == 3)
    #expect(!conversation.chat.events(after: 0).contains { $0.text.contains("My ord") })
  }

  @Test("several agents are in a chat; the last to leave sends it back to the queue")
  func agents() throws {
    var conversation = try Conversation.online()
    #expect(!conversation.chat.isWaiting)
    try conversation.when(.agentJoin(agentID: "s", nickname: "Sue", role: .supervisor), at: 2)
    #expect(
      conversation.chat.agents == [
        ChatAgent(id: "k", nickname: "Agent K", role: .agent), ChatAgent(id: "s", nickname: "Sue", role: .supervisor),
      ])
    let first = try conversation.when(.agentLeave(agentID: "k"), at: 3)
    #expect(!first.effects.contains(.notifyAgents(.waiting)))
    let last = try conversation.when(.agentLeave(agentID: "s"), at: 4)
    #expect(last.effects.last == .notifyAgents(.waiting))
    #expect(conversation.chat.isWaiting && conversation.chat.isLive)
    try conversation.when(.agentJoin(agentID: "k", nickname: "Kim", role: .agent), at: 5)
    try conversation.when(Conversation.say("Back"), at: 6)
    #expect(conversation.chat.events(after: 2).map(\.nickname) == ["Sue", "Agent K", "Sue", "Kim", "Kim"])
  }

  @Test("an agent closes the chat with its leaving")
  func close() throws {
    var conversation = try Conversation.online()
    let turn = try conversation.when(.agentClose(agentID: "k"), at: 9)
    let left = Conversation.event(3, .left, "Agent K", "has left the session", .agent, at: 9)
    #expect(turn.events == [.chatEnded(party: 1, cause: .party)])
    #expect(
      turn.effects == [
        .publish(sessions: ["c1"], events: [left], ended: true), Conversation.toAgents(left), .notifyAgents(.ended),
        .ended,
      ])
    #expect(conversation.chat.isEnded)
    #expect(conversation.chat.clientState == .ended)
    #expect(!conversation.chat.customerIsOnline)
  }

  @Test("the customer ends the chat with leaving")
  func leave() throws {
    var conversation = try Conversation.online()
    let turn = try conversation.when(.customerLeave, at: 9)
    let left = Conversation.event(3, .left, "Guest 7", "has left the session", .client, at: 9)
    #expect(turn.effects.first == .publish(sessions: ["c1"], events: [left], ended: true))
    #expect(turn.effects.last == .ended)
  }

  @Test("events after a position: above the end none, below zero all")
  func eventsAfter() throws {
    let chat = try Conversation.online().chat
    #expect(chat.events(after: 1).map(\.position) == [2])
    #expect(chat.events(after: 99).isEmpty)
    #expect(chat.events(after: -5).map(\.position) == [1, 2])
  }

  @Test("times never go back, even if the clock was set back")
  func clockSetBack() throws {
    var conversation = try Conversation.online()
    try conversation.when(Conversation.say("One"), at: 60)
    try conversation.when(Conversation.say("Two"), at: 20)
    let start = conversation.chat.startedAt
    #expect(conversation.chat.events(after: 0).map { $0.time.seconds(since: start) } == [0, 1, 60, 60])
  }

  @Test("agents see what only they may see at its place among the lines")
  func agentLines() throws {
    var conversation = try Conversation.waiting()
    try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 5)
    try conversation.when(.cometConnected(session: "c2", delivered: 0), at: 5)
    try conversation.when(Conversation.say("Two"), at: 6)
    try conversation.when(Conversation.disconnect("c2", position: 4, delivered: 4), at: 7)
    let chat = conversation.chat
    let positions: [Int?] = [1, 2, nil, 3, 4, nil]
    #expect(chat.lineCount == 6)
    for start in 0...6 {
      #expect(chat.agentLines(after: start).map(\.position) == Array(positions.dropFirst(start)))
    }
    #expect(chat.agentLines(after: 1, maximum: 3).map(\.position) == [2, nil, 3])
    #expect(chat.agentLines(after: 99).isEmpty)
    #expect(chat.agentLines(afterPosition: 0).map(\.position) == positions)
    #expect(chat.agentLines(afterPosition: 1).map(\.position) == [2, nil, 3, 4, nil])
    #expect(chat.agentLines(afterPosition: 2).map(\.position) == [nil, 3, 4, nil])
    #expect(chat.agentLines(afterPosition: 3).map(\.position) == [4, nil])
    #expect(chat.agentLines(afterPosition: 4).map(\.position) == [nil])
  }
}
