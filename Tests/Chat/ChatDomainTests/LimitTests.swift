import ChatDomain
import EventSourcing
import Testing

@Suite("Chat, at its limits")
struct LimitTests {
  private func conversation(_ change: (inout ChatLimits) -> Void) throws -> Conversation {
    var conversation = try Conversation.online()
    change(&conversation.policy.limits)
    return conversation
  }

  @Test("a text at its limit in UTF-8 is taken, one byte more is not")
  func texts() throws {
    let operations: [(field: String, action: (String) -> ChatAction)] = [
      ("message", { .customerSend(text: $0) }), ("message", { .customerNotice(text: $0) }),
      ("pushUrl", { .customerPushURL($0) }), ("message", { .customerTyping(started: true, preview: $0) }),
      ("text", { .agentSend(agentID: "k", text: $0) }), ("url", { .agentPushURL(agentID: "k", url: $0) }),
      ("text", { .agentNotice(agentID: "k", text: $0) }),
    ]
    var conversation = try conversation { $0.textBytesMaximum = 11 }
    for (field, action) in operations {
      try conversation.when(action("http://ää"), at: 2)
      #expect(throws: ChatRejection.tooLong(field: field, limit: 11)) {
        try conversation.when(action("http://ääa"), at: 2)
      }
    }
  }

  @Test("names have a limit")
  func nicknames() throws {
    var conversation = try conversation { $0.nicknameBytesMaximum = 2 }
    #expect(throws: ChatRejection.tooLong(field: "nickname", limit: 2)) {
      try conversation.when(.agentJoin(agentID: "l", nickname: "Lea", role: .agent), at: 2)
    }
    #expect(throws: ChatRejection.tooLong(field: "agentId", limit: 2)) {
      try conversation.when(.agentJoin(agentID: "lea", nickname: "L", role: .agent), at: 2)
    }
  }

  @Test("everything that a start brings has a limit")
  func start() throws {
    var conversation = Conversation()
    try conversation.when(.create(serviceName: "chat", data: []), at: 0)
    conversation.policy.limits.nicknameBytesMaximum = 6
    #expect(throws: ChatRejection.tooLong(field: "userDisplayName", limit: 6)) {
      try conversation.when(Conversation.start(), at: 0)
    }
    conversation.policy.limits = ChatLimits()
    conversation.policy.limits.dataBytesMaximum = 4
    #expect(throws: ChatRejection.tooLong(field: "subject", limit: 4)) {
      try conversation.when(Conversation.start(), at: 0)
    }
    conversation.policy.limits.dataBytesMaximum = 5
    #expect(throws: ChatRejection.tooLong(field: "gms_user", limit: 5)) {
      try conversation.when(Conversation.start(), at: 0)
    }
    conversation.policy.limits.dataBytesMaximum = 6
    #expect(throws: ChatRejection.tooLong(field: "push_notification_type", limit: 6)) {
      try conversation.when(Conversation.start(), at: 0)
    }
    conversation.policy.limits = ChatLimits()
    conversation.policy.limits.textBytesMaximum = 4
    #expect(throws: ChatRejection.tooLong(field: "message", limit: 4)) {
      try conversation.when(Conversation.start(firstMessage: "Hello"), at: 0)
    }
    conversation.policy.limits.transcriptEventsMaximum = 1
    #expect(throws: ChatRejection.limitReached("transcriptEvents")) {
      try conversation.when(Conversation.start(firstMessage: "Hi"), at: 0)
    }
    try conversation.when(Conversation.start(), at: 0)
  }

  @Test("a start without a name is refused")
  func nameless() throws {
    var conversation = Conversation()
    try conversation.when(.create(serviceName: "chat", data: []), at: 0)
    guard case .start(var start) = Conversation.start() else { return }
    start.nickname = ""
    #expect(throws: ChatRejection.empty(field: "userDisplayName")) { try conversation.when(.start(start), at: 0) }
  }

  @Test("attached data has limits for its number, names and values")
  func data() throws {
    var conversation = try conversation { limits in
      limits.dataPairsMaximum = 2
      limits.dataBytesMaximum = 3
    }
    try conversation.when(.updateData([NameValuePair("a", "1"), NameValuePair("b", "2")]), at: 2)
    #expect(throws: ChatRejection.invalid(field: "data", reason: "more than 2 fields")) {
      try conversation.when(.updateData([NameValuePair("c", "3")]), at: 2)
    }
    #expect(throws: ChatRejection.invalid(field: "data", reason: "more than 2 fields")) {
      try conversation.when(
        .updateData([NameValuePair("a", ""), NameValuePair("b", ""), NameValuePair("a", "")]), at: 2)
    }
    try conversation.when(.updateData([NameValuePair("a", ""), NameValuePair("c", "3")]), at: 2)
    #expect(throws: ChatRejection.tooLong(field: "a", limit: 3)) {
      try conversation.when(.updateData([NameValuePair("a", "1234")]), at: 2)
    }
    #expect(throws: ChatRejection.tooLong(field: "data", limit: 3)) {
      try conversation.when(.updateData([NameValuePair("abcd", "1")]), at: 2)
    }
    #expect(throws: ChatRejection.invalid(field: "data", reason: "a name is empty")) {
      try conversation.when(.updateData([NameValuePair("", "1")]), at: 2)
    }
  }

  @Test("a full transcript takes nothing more but leaving and closing")
  func transcript() throws {
    var conversation = try conversation { $0.transcriptEventsMaximum = 3 }
    try conversation.when(.agentJoin(agentID: "l", nickname: "Lea", role: .supervisor), at: 2)
    let refused: [ChatAction] = [
      .customerSend(text: "a"), .customerTyping(started: true, preview: ""), .customerNotice(text: "a"),
      .customerPushURL("https://u.test/"), Conversation.say("a"), .agentTyping(agentID: "k", started: true),
      .agentPushURL(agentID: "k", url: "https://u.test/"), .agentNotice(agentID: "k", text: "a"),
      .agentJoin(agentID: "m", nickname: "M", role: .agent),
    ]
    for action in refused {
      #expect(throws: ChatRejection.limitReached("transcriptEvents")) { try conversation.when(action, at: 3) }
    }
    try conversation.when(.agentLeave(agentID: "l"), at: 4)
    #expect(conversation.chat.lastPosition == 4)
    var closed = conversation
    try closed.when(.agentClose(agentID: "k"), at: 5)
    #expect(closed.chat.isEnded)
    try conversation.when(.customerLeave, at: 5)
    #expect(conversation.chat.isEnded)
  }

  @Test("agents and Comet sessions are counted while they are there")
  func counts() throws {
    var conversation = try conversation { limits in
      limits.agentsMaximum = 1
      limits.cometSessionsMaximum = 1
    }
    let joinL = ChatAction.agentJoin(agentID: "l", nickname: "Lea", role: .agent)
    #expect(throws: ChatRejection.limitReached("agents")) { try conversation.when(joinL, at: 2) }
    try conversation.when(.agentLeave(agentID: "k"), at: 3)
    try conversation.when(joinL, at: 4)
    #expect(throws: ChatRejection.limitReached("cometSessions")) {
      try conversation.when(.cometSubscribed(session: "c2", delivered: 2), at: 5)
    }
    #expect(throws: ChatRejection.limitReached("cometSessions")) {
      try conversation.when(.cometConnected(session: "c2", delivered: 2), at: 5)
    }
    try conversation.when(Conversation.disconnect("c1", position: nil, delivered: 4), at: 6)
    try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 7)
    try conversation.when(.cometConnected(session: "c2", delivered: 0), at: 7)
    #expect(conversation.chat.activeSessions == ["c2"])
  }

  @Test("of the events remembered for a push the oldest are left out beyond the limit")
  func remembered() throws {
    var conversation = try Conversation.waiting()
    conversation.policy.limits.rememberedEventsMaximum = 2
    try conversation.when(Conversation.say("Two"), at: 4)
    try conversation.when(Conversation.say("Three"), at: 5)
    let turn = try conversation.when(.pushDelayElapsed(phase: 1), at: 8)
    #expect(turn.effects.pushes.first?.lastTranscript.map(\.text) == ["Two", "Three"])
  }
}
