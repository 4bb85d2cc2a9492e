import ChatDomain
import EventSourcing
import Testing

@Suite("The push target of a running chat")
struct PushTargetTests {
  private static let other = PushTarget(type: "fcm", deviceID: "token-2", language: "de")

  @Test("a new one is where the next push goes; what is owed goes where it was to go")
  func changed() throws {
    var conversation = try Conversation.pushed()
    let before = conversation.chat.owedPushes.map(\.target)
    let turn = try conversation.when(.changePushTarget(Self.other), at: 100)
    #expect(
      turn
        == Conversation.Turn(
          events: [.pushTargetChanged(to: Self.other)], effects: [.pushTargetNamed(Self.other)]))
    #expect(conversation.chat.owedPushes.map(\.target) == before)
    try conversation.when(Conversation.say("Are you there?"), at: 101)
    #expect(conversation.chat.owedPushes.last?.target == Self.other)
    #expect(try conversation.replayed() == conversation.chat)
    #expect(try ChatSession(stateBytes: conversation.chat.stateBytes) == conversation.chat)
    let again = try conversation.when(.changePushTarget(Self.other), at: 102)
    #expect(again.events.isEmpty)
  }

  @Test("without one nothing is pushed any more, and with one again it is")
  func takenAway() throws {
    var conversation = try Conversation.pushed()
    let turn = try conversation.when(.changePushTarget(nil), at: 100)
    #expect(turn == Conversation.Turn(events: [.pushTargetChanged(to: nil)], effects: []))
    let quiet = try conversation.when(Conversation.say("Are you there?"), at: 101)
    #expect(!quiet.effects.contains { if case .push = $0 { true } else { false } })
    try conversation.when(.changePushTarget(Self.other), at: 102)
    let loud = try conversation.when(Conversation.say("Hello?"), at: 103)
    #expect(loud.effects.contains { if case .push(let push) = $0 { push.target == Self.other } else { false } })
  }

  @Test("is refused for a chat that is over or not begun, and with what is too long")
  func refused() throws {
    var conversation = Conversation()
    try conversation.when(.create(serviceName: "request-chat", data: []), at: 0)
    #expect(throws: ChatRejection.notStarted) { try conversation.when(.changePushTarget(Self.other), at: 1) }
    try conversation.when(Conversation.start(), at: 2)
    let limit = conversation.policy.limits.dataBytesMaximum
    let long = PushTarget(type: "fcm", deviceID: String(repeating: "x", count: limit + 1))
    #expect(throws: ChatRejection.tooLong(field: "push_notification_deviceid", limit: limit)) {
      try conversation.when(.changePushTarget(long), at: 3)
    }
    try conversation.when(.customerLeave, at: 4)
    #expect(throws: ChatRejection.ended) { try conversation.when(.changePushTarget(Self.other), at: 5) }
  }

  @Test("belongs to the customer whose device it is")
  func subject() {
    #expect(ChatEvent.pushTargetChanged(to: Self.other).mentions(subject: "token-2"))
    #expect(!ChatEvent.pushTargetChanged(to: nil).mentions(subject: "token-2"))
  }
}

@Suite("An agent who takes what waits")
struct TakingTests {
  private static func take(_ agent: String) -> ChatAction {
    .agentJoin(agentID: agent, nickname: agent, role: .agent, onlyIfWaiting: true)
  }

  @Test("one of two gets it, and the next one once that one has left")
  func once() throws {
    var conversation = Conversation()
    try conversation.when(.create(serviceName: "request-chat", data: []), at: 0)
    try conversation.when(Conversation.start(), at: 1)
    try conversation.when(Self.take("k"), at: 2)
    #expect(throws: ChatRejection.taken) { try conversation.when(Self.take("l"), at: 3) }
    #expect(throws: ChatRejection.alreadyJoined) { try conversation.when(Self.take("k"), at: 3) }
    // A supervisor comes upon it.
    try conversation.when(.agentJoin(agentID: "s", nickname: "S", role: .supervisor), at: 4)
    try conversation.when(.agentLeave(agentID: "s"), at: 5)
    try conversation.when(.agentLeave(agentID: "k"), at: 6)
    try conversation.when(Self.take("l"), at: 7)
    #expect(conversation.chat.agents.map(\.id) == ["l"])
  }
}
