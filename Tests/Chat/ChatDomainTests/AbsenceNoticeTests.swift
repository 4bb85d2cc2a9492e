import ChatDomain
import EventSourcing
import Testing

@Suite("Chat, notice to the agents that the customer is away")
struct AbsenceNoticeTests {
  @Test("6.3: the notice is the customer's, has no position and is for agents only")
  func notice() throws {
    let conversation = try Conversation.inBackground()
    let line = try #require(conversation.chat.agentLines(after: 2).first)
    #expect(
      line
        == AgentLine(
          position: nil,
          content: TranscriptLine(
            type: .custom, nickname: "Guest 7", text: "customer is not online", role: .client,
            time: Conversation.time(2))))
    #expect(conversation.chat.lastPosition == 2)
    #expect(conversation.chat.events(after: 0).allSatisfy { $0.type != .custom })
  }

  @Test("6.3: the text is the service's")
  func text() throws {
    var policy = ChatPolicy()
    policy.absenceNotice = "Kunde ist offline"
    #expect(
      try Conversation.inBackground(policy: policy).chat.agentLines(after: 2).first?.content.text == "Kunde ist offline"
    )
  }

  @Test("6.3: an empty text switches the notice off; the agents' list still shows the customer offline")
  func off() throws {
    var conversation = try Conversation.online()
    conversation.policy.absenceNotice = ""
    let turn = try conversation.when(Conversation.disconnect("c1", position: 2, delivered: 2), at: 2)
    #expect(turn.effects == [.notifyAgents(.customerOnline(false))])
    conversation.policy.absenceNotice = "customer is not online"
    #expect(try conversation.when(Conversation.say("One"), at: 3).events.count == 2)
    #expect(conversation.chat.lineCount == 3)
  }

  @Test("6.3: once in a phase, whatever happens in it")
  func once() throws {
    var conversation = try Conversation.pushed()
    try conversation.when(Conversation.say("Two"), at: 9)
    try conversation.when(Conversation.disconnect("c1", position: 3, delivered: 3), at: 10)
    #expect(conversation.chat.agentLines().filter { $0.position == nil }.count == 1)
  }

  @Test("6.3: a notice of the return can be switched on")
  func returnNotice() throws {
    var conversation = try Conversation.inBackground()
    conversation.policy.returnNotice = "customer is online"
    let turn = try conversation.when(.cometConnected(session: "c2", delivered: 0), at: 4)
    #expect(
      turn.effects == [.notifyAgents(.customerOnline(true)), Conversation.notice("customer is online", at: 4)])
    #expect(conversation.chat.lastPosition == 2)
  }
}

@Suite("Chat, filter of what is pushed")
struct PushFilterTests {
  @Test("6.4: an empty filter filters nothing")
  func empty() throws {
    var conversation = try Conversation.inBackground()
    conversation.policy.pushFilter = []
    let turn = try conversation.when(.agentTyping(agentID: "k", started: true), at: 3)
    #expect(turn.effects.last == .startTimer(.pushDelay(phase: 1), at: Conversation.time(8)))
    let push = try conversation.when(.pushDelayElapsed(phase: 1), at: 8)
    #expect(push.effects.pushes.first?.lastTranscript == [PushedLine(.typingStarted, "is typing")])
  }

  @Test("6.4: another list replaces the default one")
  func replaced() throws {
    var conversation = try Conversation.inBackground()
    conversation.policy.pushFilter = [.messageText]
    #expect(try conversation.when(Conversation.say("One"), at: 3).events.count == 1)
    let turn = try conversation.when(.agentTyping(agentID: "k", started: false), at: 4)
    #expect(turn.events.last == .pushDelayStarted(phase: 1, positions: [4], deadline: Conversation.time(9)))
  }

  @Test("6.4: filtered types never appear among the pushed events")
  func notPushed() throws {
    var conversation = try Conversation.waiting()
    try conversation.when(.agentTyping(agentID: "k", started: true), at: 4)
    try conversation.when(Conversation.say("Two"), at: 5)
    let push = try conversation.when(.pushDelayElapsed(phase: 1), at: 8)
    #expect(push.effects.pushes.first?.lastTranscript.map(\.text) == ["One", "Two"])
    #expect(push.effects.pushes.first?.position == 5)
  }

  @Test("6.4: what was queued at the disconnect is filtered as well")
  func queued() throws {
    var conversation = try Conversation.online()
    try conversation.when(.agentTyping(agentID: "k", started: true), at: 2)
    try conversation.when(Conversation.disconnect("c1", position: 2, delivered: 2), at: 3)
    #expect(conversation.chat.clientState == .backgroundQuiet)
  }

  @Test("6.4: every type of an agent's event qualifies if it is not filtered")
  func allTypes() throws {
    let file = ChatFile(id: "f", name: "a.txt", contentType: "text/plain", byteCount: 1, url: "https://f.test/")
    let actions: [(ChatAction, TranscriptEventType)] = [
      (Conversation.say("a"), .messageText), (.agentTyping(agentID: "k", started: true), .typingStarted),
      (.agentTyping(agentID: "k", started: false), .typingStopped),
      (.agentJoin(agentID: "s", nickname: "S", role: .supervisor), .joined), (.agentLeave(agentID: "k"), .left),
      (.agentPushURL(agentID: "k", url: "https://u.test/"), .pushURL), (.agentNotice(agentID: "k", text: "n"), .custom),
      (.sendFile(file, by: "k"), .file),
    ]
    #expect(Set(actions.map(\.1)) == Set(TranscriptEventType.allCases))
    for (action, type) in actions {
      var conversation = try Conversation.inBackground()
      conversation.policy.pushFilter = []
      conversation.policy.pushDelay = .zero
      // Of an app that does not know files.
      #expect(
        try conversation.when(action, at: 3).effects.pushes.first?.lastTranscript.map(\.type) == [type.withoutFiles])
    }
  }

  @Test("6.4: the filter has no influence on Comet delivery or the catch-up")
  func comet() throws {
    var conversation = try Conversation.inBackground()
    try conversation.when(.agentTyping(agentID: "k", started: true), at: 3)
    try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 4)
    #expect(try conversation.when(.cometConnected(session: "c2", delivered: 0), at: 4).effects.published == [[3]])
    #expect(
      try conversation.when(.agentTyping(agentID: "k", started: false), at: 5).effects.published == [[4]])
  }
}
