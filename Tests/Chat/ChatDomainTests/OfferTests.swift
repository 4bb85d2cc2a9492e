import ChatDomain
import EventSourcing
import Testing

@Suite("A chat that is offered to agents")
struct OfferTests {
  private static let make = ChatAction.offer(to: "k", lasting: .seconds(20))
  /// Made at second 1.
  private static let standing = ChatOffer(agentID: "k", until: Conversation.time(21))

  private static func join(_ agentID: String, onlyIfWaiting: Bool = true) -> ChatAction {
    .agentJoin(agentID: agentID, nickname: agentID, role: .agent, onlyIfWaiting: onlyIfWaiting)
  }

  /// Offered to `k` at second 1, until second 21.
  private func offered() throws -> Conversation {
    var conversation = try Conversation.started()
    try conversation.when(Self.make, at: 1)
    return conversation
  }

  private func sameAfterSleep(
    _ conversation: Conversation, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try conversation.replayed() == conversation.chat, sourceLocation: sourceLocation)
    let slept = try ChatSession(stateBytes: conversation.chat.stateBytes)
    #expect(slept == conversation.chat, sourceLocation: sourceLocation)
  }

  @Test("what waits is offered once; the agent alone is told, and a timer runs, also after a restart")
  func made() throws {
    var conversation = try Conversation.started()
    let lastUse = conversation.chat.lastUse
    let turn = try conversation.when(Self.make, at: 1)
    #expect(turn.events == [.offered(Self.standing)])
    #expect(
      turn.effects == [
        .startTimer(.offer(until: Self.standing.until), at: Self.standing.until),
        .notifyAgents(.offered(Self.standing)),
      ])
    #expect(conversation.chat.offer == Self.standing && conversation.chat.isWaiting)
    #expect(conversation.chat.lastUse == lastUse, "nobody has used it")
    #expect(conversation.chat.rest == .asleep(until: Self.standing.until))
    #expect(
      conversation.chat.outstandingEffects.contains(
        .startTimer(.offer(until: Self.standing.until), at: Self.standing.until)))
    try sameAfterSleep(conversation)
    for agent in ["k", "l"] {
      #expect(try conversation.when(.offer(to: agent, lasting: .seconds(1)), at: 2).events.isEmpty)
    }
  }

  @Test("what does not wait is offered to nobody")
  func notMade() throws {
    var absent = Conversation()
    #expect(try absent.when(Self.make, at: 0).events.isEmpty)
    var created = Conversation()
    try created.when(.create(serviceName: "request-chat", data: []), at: 0)
    #expect(try created.when(Self.make, at: 0).events.isEmpty)
    var taken = try Conversation.online()
    #expect(try taken.when(Self.make, at: 2).events.isEmpty)
    try taken.when(.customerLeave, at: 3)
    #expect(try taken.when(Self.make, at: 4).events.isEmpty)
    var waiting = try Conversation.started()
    #expect(try waiting.when(.offer(to: "", lasting: .seconds(1)), at: 1).events.isEmpty)
  }

  @Test("the agent takes it by joining; nobody else does meanwhile")
  func accepted() throws {
    var conversation = try offered()
    #expect(throws: ChatRejection.offered) { try conversation.when(Self.join("l"), at: 2) }
    let turn = try conversation.when(Self.join("k"), at: 3)
    #expect(
      turn.events == [
        .offerEnded(Self.standing, .accepted), .agentJoined(agentID: "k", nickname: "k", role: .agent),
      ])
    #expect(
      turn.effects.prefix(2) == [
        .cancelTimer(.offer(until: Self.standing.until)), .notifyAgents(.offerEnded(Self.standing, .accepted)),
      ])
    #expect(conversation.chat.offer == nil)
    #expect(throws: ChatRejection.taken) { try conversation.when(Self.join("l"), at: 4) }
    #expect(try conversation.when(.offerElapsed(until: Self.standing.until), at: 21).events.isEmpty)
    try sameAfterSleep(conversation)
  }

  @Test(
    "it ends also without the agent, who is not told twice",
    arguments: [
      (ChatAction.offerElapsed(until: standing.until), ChatOfferEnd.passed),
      (.releaseOffer(agentID: "k"), .released), (.withdrawOffer(from: "k"), .away),
    ])
  func ended(action: ChatAction, end: ChatOfferEnd) throws {
    var conversation = try offered()
    let turn = try conversation.when(action, at: 21)
    #expect(turn.events == [.offerEnded(Self.standing, end)])
    let told = ChatEffect.notifyAgents(.offerEnded(Self.standing, end))
    // Of one that has fired nothing is left to cancel.
    #expect(
      turn.effects == (end == .passed ? [told] : [.cancelTimer(.offer(until: Self.standing.until)), told]))
    #expect(conversation.chat.offer == nil && conversation.chat.isWaiting)
    try sameAfterSleep(conversation)
    for late in [ChatAction.offerElapsed(until: Self.standing.until), .withdrawOffer(from: "k")] {
      #expect(try conversation.when(late, at: 22).events.isEmpty)
    }
    #expect(try conversation.when(.offer(to: "l", lasting: .seconds(9)), at: 23).events.count == 1)
    #expect(try conversation.when(.offerElapsed(until: Self.standing.until), at: 24).events.isEmpty, "of another offer")
    #expect(try conversation.when(.withdrawOffer(from: "k"), at: 24).events.isEmpty)
    #expect(throws: ChatRejection.notOffered) { try conversation.when(.releaseOffer(agentID: "k"), at: 24) }
  }

  @Test("a supervisor, and whoever is invited, takes it all the same")
  func taken() throws {
    var conversation = try offered()
    let turn = try conversation.when(Self.join("boss", onlyIfWaiting: false), at: 2)
    #expect(turn.events.first == .offerEnded(Self.standing, .taken))
    var other = try offered()
    try other.when(.invite(agentID: "l", by: "boss", isSupervisor: true), at: 2)
    #expect(try other.when(Self.join("l"), at: 3).events.first == .offerEnded(Self.standing, .taken))
    var third = try offered()
    #expect(
      try third.when(.takeOver(agentID: "boss", nickname: "Boss"), at: 2).events.first
        == .offerEnded(Self.standing, .taken)
    )
  }

  @Test("it ends with the chat")
  func over() throws {
    var conversation = try offered()
    #expect(
      try conversation.when(.customerLeave, at: 2).events == [
        .offerEnded(Self.standing, .ended), .chatEnded(party: 0, cause: .party),
      ])
    #expect(throws: ChatRejection.ended) { try conversation.when(.releaseOffer(agentID: "k"), at: 3) }
    var old = try Conversation.started(policy: ChatPolicy(timeToLive: .seconds(10)))
    try old.when(Self.make, at: 1)
    #expect(
      try old.when(.timeToLiveElapsed, at: 11).events == [
        .offerEnded(Self.standing, .ended), .chatEnded(party: 0, cause: .timeToLive), .expired,
      ])
  }

  @Test("only the agent to whom it is offered sends it away")
  func released() throws {
    var conversation = try offered()
    for agent in ["l", ""] {
      #expect(throws: ChatRejection.notOffered) { try conversation.when(.releaseOffer(agentID: agent), at: 2) }
    }
    var online = try Conversation.online()
    #expect(throws: ChatRejection.notOffered) { try online.when(.releaseOffer(agentID: "k"), at: 2) }
    var absent = Conversation()
    #expect(throws: ChatRejection.unknownService) { try absent.when(.releaseOffer(agentID: "k"), at: 2) }
  }

  @Test("an erasure takes what the customer brought, and leaves the offer")
  func erased() throws {
    var conversation = try offered()
    try conversation.when(.erase, at: 2)
    #expect(conversation.chat.offer == Self.standing)
    #expect(try conversation.replayedFromRestatement() == conversation.chat)
  }
}
