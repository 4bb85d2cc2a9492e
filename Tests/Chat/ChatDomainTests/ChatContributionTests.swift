import EventSourcing
import Testing

@testable import ChatDomain

@Suite("What a chat adds to the figures of its day")
struct ChatContributionTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let steps: [(ChatAction, Double)]
    let outcome: ChatContribution

    init(_ name: String, _ steps: [(ChatAction, Double)], _ change: (inout ChatContribution) -> Void) {
      testDescription = name
      self.steps = steps
      var outcome = ChatContribution(service: "request-chat", startedAt: Conversation.origin)
      change(&outcome)
      self.outcome = outcome
    }
  }

  private static let joinM = ChatAction.agentJoin(agentID: "m", nickname: "Agent M", role: .agent)
  /// Another one who calls themselves as the first does.
  private static let joinTwin = ChatAction.agentJoin(agentID: "twin", nickname: "Agent K", role: .agent)

  private static let cases = [
    Case("nobody has come", [(.customerSend(text: "a"), 5)]) { _ in },
    Case("an agent is there and says nothing", [(Conversation.joinK, 5)]) { _ in },
    Case("an agent types", [(Conversation.joinK, 5), (.agentTyping(agentID: "k", started: true), 6)]) { _ in },
    Case("an agent answers", [(Conversation.joinK, 5), (Conversation.say("b"), 7.5)]) {
      ($0.firstAnswerMilliseconds, $0.agent) = (7_500, "k")
    },
    Case(
      "a URL, a notice or a file is an answer",
      [(Conversation.joinK, 5), (.agentPushURL(agentID: "k", url: "https://a.test/"), 6)]
    ) {
      ($0.firstAnswerMilliseconds, $0.agent) = (6_000, "k")
    },
    Case("what agents say to each other is none", [(Conversation.joinK, 5), (.agentNote(agentID: "k", text: "b"), 6)]) {
      _ in
    },
    Case(
      "the second one answers first",
      [(Conversation.joinK, 5), (joinM, 6), (.agentSend(agentID: "m", text: "b"), 7), (Conversation.say("c"), 8)]
    ) { ($0.firstAnswerMilliseconds, $0.agent) = (7_000, "m") },
    Case(
      "of two of one name the one who is there",
      [
        (Conversation.joinK, 5), (.agentLeave(agentID: "k"), 6), (joinTwin, 7),
        (.agentSend(agentID: "twin", text: "b"), 8),
      ]
    ) { ($0.firstAnswerMilliseconds, $0.agent) = (8_000, "twin") },
    Case(
      "it is over", [(Conversation.joinK, 5), (Conversation.say("b"), 7), (.customerLeave, 65)]
    ) { ($0.firstAnswerMilliseconds, $0.agent, $0.handlingMilliseconds, $0.isSettled) = (7_000, "k", 60_000, true) },
    Case(
      "the agent ends it", [(Conversation.joinK, 5), (Conversation.say("b"), 7), (.agentClose(agentID: "k"), 15)]
    ) { ($0.firstAnswerMilliseconds, $0.agent, $0.handlingMilliseconds, $0.isSettled) = (7_000, "k", 10_000, true) },
    Case("the customer gives up", [(.customerSend(text: "a"), 5), (.customerLeave, 9)]) {
      ($0.isAbandoned, $0.isSettled) = (true, true)
    },
    Case("the customer gives up while an agent is there", [(Conversation.joinK, 5), (.customerLeave, 9)]) {
      ($0.isAbandoned, $0.isSettled) = (true, true)
    },
    Case("an agent ends it without a word", [(Conversation.joinK, 5), (.agentClose(agentID: "k"), 9)]) {
      $0.isSettled = true
    },
    Case("it is left to others", [(Conversation.joinK, 5), (.transfer(agentID: "k", to: .service("help")), 9)]) {
      $0.service = "help"
    },
    Case("an answer before the clock was set back", [(Conversation.joinK, -5), (Conversation.say("b"), -4)]) {
      ($0.firstAnswerMilliseconds, $0.agent) = (0, "k")
    },
  ]

  @Test("given what happened, it adds exactly that; as well out of its bytes, and once it is erased", arguments: cases)
  func contribution(one: Case) throws {
    var conversation = try Conversation.started(comet: false)
    for (action, second) in one.steps { try conversation.when(action, at: second) }
    #expect(conversation.chat.contribution == one.outcome)
    try conversation.sleepAndWake()
    #expect(conversation.chat.contribution == one.outcome)
    #expect(try conversation.replayed().contribution == one.outcome)
    try conversation.when(.erase, at: 100)
    #expect(conversation.chat.contribution == one.outcome)
  }

  @Test("a chat whose life ends before an answer was given up; one that was not started adds nothing")
  func life() throws {
    #expect(ChatSession().contribution == nil)
    var conversation = Conversation()
    try conversation.when(.create(serviceName: "request-chat", data: []), at: 0)
    #expect(conversation.chat.contribution == nil)
    conversation = try Conversation.started(comet: false)
    try conversation.when(.timeToLiveElapsed, at: 90_000)
    #expect(conversation.chat.contribution?.isAbandoned == true)
  }

  @Test("whatever happens, what is settled stays, and replay finds the same", arguments: UInt64(1)...20)
  func random(seed: UInt64) throws {
    var random = RandomConversation(seed: seed)
    var settled: ChatContribution?
    for _ in 0..<200 {
      try random.step()
      let contribution = random.conversation.chat.contribution
      if let settled { #expect(contribution == settled, "seed \(seed)") }
      if contribution?.isSettled == true { settled = contribution }
    }
    #expect(try random.conversation.replayed().contribution == random.conversation.chat.contribution, "seed \(seed)")
  }
}
