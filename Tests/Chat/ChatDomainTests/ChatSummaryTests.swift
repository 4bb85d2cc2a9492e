import ChatDomain
import EventSourcing
import Testing

@Suite("What a list shows of a chat")
struct ChatSummaryTests {
  private typealias Step = (action: ChatAction, second: Double)

  private func chat(_ steps: [(ChatAction, Double)], firstMessage: String? = nil) throws -> ChatSession {
    var conversation = Conversation()
    try conversation.when(.create(serviceName: "request-chat", data: []), at: 0)
    try conversation.when(Conversation.start(firstMessage: firstMessage), at: 0)
    for (action, second) in steps { try conversation.when(action, at: second) }
    return conversation.chat
  }

  @Test(
    "somebody waits since their oldest line that nobody has answered, or since nobody is there",
    arguments: [
      ([], 0), ([(.customerSend(text: "a"), 2)], 0),
      ([(Conversation.joinK, 1)], nil), ([(Conversation.joinK, 1), (.customerSend(text: "a"), 2)], 2),
      ([(.customerSend(text: "a"), 1), (Conversation.joinK, 2)], 1),
      ([(Conversation.joinK, 1), (.customerSend(text: "a"), 2), (.customerNotice(text: "b"), 3)], 2),
      ([(Conversation.joinK, 1), (.customerSend(text: "a"), 2), (Conversation.say("b"), 3)], nil),
      ([(Conversation.joinK, 1), (.customerSend(text: "a"), 2), (.agentTyping(agentID: "k", started: true), 3)], 2),
      ([(Conversation.joinK, 1), (.customerTyping(started: true, preview: "x"), 2)], nil),
      ([(Conversation.joinK, 1), (Conversation.say("b"), 2), (.agentLeave(agentID: "k"), 3)], 3),
      ([(Conversation.joinK, 1), (.customerSend(text: "a"), 2), (.agentLeave(agentID: "k"), 3)], 2),
      (
        [
          (Conversation.joinK, 1), (Conversation.say("b"), 2), (.agentLeave(agentID: "k"), 3),
          (.customerSend(text: "a"), 4),
        ], 3
      ),
      ([(Conversation.joinK, 1), (.customerSend(text: "a"), 2), (.agentClose(agentID: "k"), 3)], nil),
      ([(.customerLeave, 3)], nil),
    ] as [([(ChatAction, Double)], Double?)])
  func waitingSince(steps: [(ChatAction, Double)], second: Double?) throws {
    #expect(try chat(steps).waitingSince == second.map(Conversation.time))
  }

  @Test("unread is what the customer has said behind a position, and no more than is counted")
  func unread() throws {
    let chat = try chat(
      [
        (Conversation.joinK, 1), (.customerSend(text: "b"), 2), (Conversation.say("c"), 3),
        (.customerTyping(started: true, preview: ""), 4), (.customerNotice(text: "d"), 5),
      ], firstMessage: "a")
    #expect([0, 1, 2, 3, 4, 6, 7, 9].map { chat.unread(after: $0, maximum: 99) } == [3, 3, 2, 2, 1, 1, 0, 0])
    #expect(chat.unread(after: 0, maximum: 2) == 2)
  }

  @Test("the last line is not about typing, unless that is all there is; one that only agents see has no position")
  func lastLine() throws {
    #expect(ChatSession().lastLine == nil)
    let typing = ChatAction.customerTyping(started: true, preview: "")
    var chat = try chat([(Conversation.joinK, 1), (.customerSend(text: "a"), 2), (typing, 3)])
    #expect(chat.lastLine?.position == 3 && chat.lastLine?.content.text == "a")
    chat = try self.chat([(.customerSend(text: "a"), 2)] + (0..<70).map { (typing, Double($0 + 3)) })
    #expect(chat.lastLine?.position == 72)
    var conversation = try Conversation.inBackground()
    #expect(conversation.chat.lastLine?.position == nil)
    #expect(conversation.chat.lastLine?.content.text == "customer is not online")
    try conversation.when(.agentTyping(agentID: "k", started: true), at: 3)
    #expect(conversation.chat.lastLine?.content.text == "customer is not online")
    try conversation.when(Conversation.say("One"), at: 4)
    #expect(conversation.chat.lastLine?.content.text == "One")
  }

  @Test("the customer is there, in the background or lost, and since then; nowhere before the start and after the end")
  func phases() throws {
    #expect(ChatSession().customerPhase == nil && ChatSession().customerPhaseSince == nil)
    var conversation = try Conversation.online()
    func shows(_ phase: CustomerPhase?, _ second: Double?) throws {
      let slept = try ChatSession(stateBytes: conversation.chat.stateBytes)
      for chat in [conversation.chat, slept] {
        #expect(chat.customerPhase == phase && chat.customerPhaseSince == second.map(Conversation.time))
      }
      #expect(try conversation.replayed() == conversation.chat)
    }
    try shows(.foreground, 0)
    try conversation.when(Conversation.disconnect("c1", position: 2, delivered: 2), at: 2)
    try conversation.when(Conversation.say("One"), at: 3)
    try shows(.background, 2)
    try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 4)
    try conversation.when(.cometConnected(session: "c2", delivered: 0), at: 5)
    try shows(.foreground, 5)
    try conversation.when(.cometLost(session: "c2", delivered: 3), at: 7)
    try shows(.lost, 7)
    #expect(conversation.chat.endedAt == nil)
    try conversation.when(.agentClose(agentID: "k"), at: 9)
    try shows(nil, nil)
    #expect(conversation.chat.endedAt == Conversation.time(9))
  }

  @Test("the last push that a queue has is shown with what became of it; older ones and repetitions say nothing")
  func pushes() throws {
    var conversation = try Conversation.pushed()
    #expect(conversation.chat.lastPush == nil && conversation.chat.owedPushes.count == 1)
    try conversation.when(.pushHandedOver(number: 1), at: 9)
    #expect(conversation.chat.lastPush?.position == 3 && conversation.chat.lastPush?.outcome == nil)
    let turn = try conversation.when(.pushSettled(number: 1, outcome: .delivered), at: 10)
    #expect(turn.events == [.pushSettled(number: 1, outcome: .delivered)])
    let last = try #require(conversation.chat.lastPush)
    #expect(last.outcome == .delivered && last.time == Conversation.time(10))
    #expect(turn.effects == [.notifyAgents(.pushSettled(last))])
    #expect(try conversation.when(.pushSettled(number: 1, outcome: .delivered), at: 11).events.isEmpty)
    try conversation.when(Conversation.say("Two"), at: 12)
    // Nobody has told the chat that the queue has it: its end says so too.
    let both = try conversation.when(.pushSettled(number: 2, outcome: .unregistered), at: 13)
    #expect(both.events == [.pushHandedOver(number: 2), .pushSettled(number: 2, outcome: .unregistered)])
    #expect(conversation.chat.lastPush?.position == 4 && conversation.chat.owedPushes.isEmpty)
    #expect(try conversation.when(.pushSettled(number: 1, outcome: .failed), at: 14).events.isEmpty)
    #expect(try conversation.when(.pushSettled(number: 3, outcome: .failed), at: 14).events.isEmpty)
    #expect(try conversation.replayed() == conversation.chat)
    #expect(try ChatSession(stateBytes: conversation.chat.stateBytes) == conversation.chat)
    try conversation.when(.erase, at: 15)
    #expect(conversation.chat.lastPush == nil)
    #expect(try conversation.when(.pushSettled(number: 2, outcome: .erased), at: 16).events.isEmpty)
  }

  @Test("a chat that has been nowhere, and was never pushed to, is as large as ever")
  func size() throws {
    let chat = try Conversation.online().chat
    // Field 29 would be the last of the state.
    #expect(!chat.stateBytes.suffix(24).contains(0xEA))
  }
}
