import ChatDomain
import EventSourcing
import Testing

@Suite("What agents do beside the conversation")
struct DeskTests {
  private static let joinL = ChatAction.agentJoin(agentID: "l", nickname: "Agent L", role: .agent)

  private func refused(
    _ conversation: Conversation, _ action: ChatAction, _ rejection: ChatRejection,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var conversation = conversation
    #expect(throws: rejection, sourceLocation: sourceLocation) { try conversation.when(action, at: 9) }
  }

  // MARK: Private words

  @Test("a private note is a line of the agents', in its place, and nothing else; the customer is not pushed to")
  func note() throws {
    var conversation = try Conversation.inBackground()
    let turn = try conversation.when(.agentNote(agentID: "k", text: "psst"), at: 3)
    let line = AgentLine(
      position: nil,
      content: TranscriptLine(
        type: .messageText, nickname: "Agent K", text: "psst", role: .agent, time: Conversation.time(3)))
    #expect(turn.effects == [.notifyAgents(.line(line))])
    #expect(conversation.chat.lastPosition == 2 && conversation.chat.agentLines().last == line)
    let whisper = try conversation.when(.whisper(agentID: "boss", text: "be kind"), at: 4)
    #expect(whisper.events == [.privateNoted(agentID: "boss", nickname: "boss", role: .supervisor, text: "be kind")])
    try conversation.when(Conversation.say("One"), at: 5)
    #expect(conversation.chat.agentLines().map(\.content.text).suffix(3) == ["psst", "be kind", "One"])
    #expect(conversation.chat.waitingSince == nil && conversation.chat.isFlaggedDisconnected)
    #expect(try conversation.replayed() == conversation.chat)
    #expect(try ChatSession(stateBytes: conversation.chat.stateBytes) == conversation.chat)
  }

  @Test("who is not in the chat writes no note; nor does anybody when it is over, or without a word, or without end")
  func noteRefused() throws {
    var conversation = try Conversation.online()
    refused(conversation, .agentNote(agentID: "l", text: "x"), .notJoined)
    refused(conversation, .agentNote(agentID: "k", text: ""), .empty(field: "text"))
    refused(conversation, .whisper(agentID: "boss", text: ""), .empty(field: "text"))
    refused(
      conversation, .whisper(agentID: "boss", text: String(repeating: "x", count: 65_537)),
      .tooLong(field: "text", limit: 65_536))
    conversation.policy.limits.privateNotesMaximum = 2
    try conversation.when(.agentNote(agentID: "k", text: "1"), at: 2)
    try conversation.when(.whisper(agentID: "boss", text: "2"), at: 2)
    refused(conversation, .agentNote(agentID: "k", text: "3"), .limitReached("privateNotes"))
    try conversation.when(.customerLeave, at: 3)
    refused(conversation, .agentNote(agentID: "k", text: "x"), .ended)
    refused(conversation, .whisper(agentID: "boss", text: "x"), .ended)
  }

  // MARK: Read marks

  @Test("a read mark goes on, never back, and never beyond the end; of too many the oldest one goes")
  func read() throws {
    var conversation = try Conversation.online()
    try conversation.when(.customerSend(text: "a"), at: 2)
    try conversation.when(.customerSend(text: "b"), at: 3)
    let turn = try conversation.when(.agentRead(agentID: "k", upTo: 3), at: 4)
    #expect(turn.events == [.read(agentID: "k", upTo: 3)])
    #expect(turn.effects == [.notifyAgents(.read(agentID: "k", position: 3))])
    let lastUse = conversation.chat.lastUse
    for position in [3, 2, 0, -5] {
      #expect(try conversation.when(.agentRead(agentID: "k", upTo: position), at: 5).events.isEmpty)
    }
    #expect(try conversation.when(.agentRead(agentID: "k", upTo: 99), at: 6).events == [.read(agentID: "k", upTo: 4)])
    #expect(conversation.chat.lastUse == lastUse, "reading uses nothing")
    #expect(conversation.chat.readMark(of: "k") == 4 && conversation.chat.readMark(of: "l") == 0)
    for number in 0..<64 { try conversation.when(.agentRead(agentID: "a\(number)", upTo: 1), at: 7) }
    #expect(conversation.chat.readMark(of: "k") == 0 && conversation.chat.readMark(of: "a0") == 1)
    #expect(try conversation.replayed() == conversation.chat)
  }

  // MARK: Passing on

  @Test("who is invited may join what another one has, once")
  func invited() throws {
    var conversation = try Conversation.online()
    let comes = ChatAction.agentJoin(agentID: "l", nickname: "L", role: .agent, onlyIfWaiting: true)
    refused(conversation, comes, .taken)
    let turn = try conversation.when(.invite(agentID: "l", by: "k", isSupervisor: false), at: 2)
    #expect(turn.events == [.agentInvited(agentID: "l", inviter: "k")])
    #expect(turn.effects == [.notifyAgents(.invited(agentID: "l"))])
    #expect(try conversation.when(.invite(agentID: "l", by: "k", isSupervisor: false), at: 3).events.isEmpty)
    #expect(conversation.chat.isInvited("l"))
    try conversation.when(comes, at: 4)
    #expect(!conversation.chat.isInvited("l"))
    try conversation.when(.agentLeave(agentID: "l"), at: 5)
    refused(conversation, comes, .taken)
    try conversation.when(.invite(agentID: "m", by: "boss", isSupervisor: true), at: 6)
    try conversation.when(.agentClose(agentID: "k"), at: 7)
    #expect(conversation.chat.invitations.isEmpty)
    #expect(try conversation.replayed() == conversation.chat)
  }

  @Test(
    "who cannot be invited",
    arguments: [
      (ChatAction.invite(agentID: "l", by: "x", isSupervisor: false), ChatRejection.notJoined),
      (.invite(agentID: "", by: "k", isSupervisor: false), .empty(field: "agentId")),
      (.invite(agentID: "k", by: "k", isSupervisor: false), .invalid(field: "agentId", reason: "is your own")),
      (.invite(agentID: "k", by: "boss", isSupervisor: true), .alreadyThere),
      (
        .invite(agentID: String(repeating: "x", count: 257), by: "k", isSupervisor: false),
        .tooLong(field: "agentId", limit: 256)
      ),
      (.transfer(agentID: "x", to: .service("help")), .notJoined),
      (.transfer(agentID: "k", to: .service("")), .empty(field: "service")),
      (.transfer(agentID: "k", to: .agent("k")), .invalid(field: "agentId", reason: "is your own")),
    ])
  func cannot(action: ChatAction, rejection: ChatRejection) throws {
    refused(try Conversation.online(), action, rejection)
  }

  @Test("a transfer to an agent leaves the chat waiting, also for that one")
  func toAgent() throws {
    var conversation = try Conversation.online()
    let turn = try conversation.when(.transfer(agentID: "k", to: .agent("l")), at: 2)
    #expect(turn.events == [.agentInvited(agentID: "l", inviter: "k"), .agentLeft(party: 1)])
    #expect(conversation.chat.isWaiting && conversation.chat.isInvited("l"))
    // The customer sees what there is to see of it: one leaves.
    #expect(turn.effects.published == [[3]])
    try conversation.when(.agentJoin(agentID: "l", nickname: "L", role: .agent, onlyIfWaiting: true), at: 3)
    #expect(conversation.chat.events(after: 2).map(\.type) == [.left, .joined])
  }

  @Test("a transfer to a service changes whose it is, not what it is for its customer; back and forth")
  func toService() throws {
    var conversation = try Conversation.online()
    let turn = try conversation.when(.transfer(agentID: "k", to: .service("help")), at: 2)
    #expect(turn.events == [.deskChanged(to: "help"), .agentLeft(party: 1)])
    #expect(conversation.chat.deskService == "help" && conversation.chat.serviceName == "request-chat")
    #expect(try ChatSession(stateBytes: conversation.chat.stateBytes) == conversation.chat)
    try conversation.when(Self.joinL, at: 3)
    try conversation.when(.transfer(agentID: "l", to: .service("request-chat")), at: 4)
    #expect(conversation.chat.deskService == "request-chat")
    try conversation.when(Conversation.joinK, at: 5)
    #expect(
      try conversation.when(.transfer(agentID: "k", to: .service("request-chat")), at: 6).events
        == [.agentLeft(party: 3)])
  }

  @Test("a supervisor comes before the others go, and nobody finds it waiting; a second time changes nothing")
  func takeOver() throws {
    var conversation = try Conversation.online()
    try conversation.when(Self.joinL, at: 2)
    conversation.policy.limits.agentsMaximum = 2
    let turn = try conversation.when(.takeOver(agentID: "boss", nickname: "Boss"), at: 3)
    #expect(
      turn.events == [
        .agentJoined(agentID: "boss", nickname: "Boss", role: .supervisor), .agentLeft(party: 1), .agentLeft(party: 2),
      ])
    #expect(!turn.effects.contains(.notifyAgents(.waiting)))
    #expect(turn.effects.published == [[4], [5], [6]])
    #expect(conversation.chat.agents.map(\.id) == ["boss"])
    #expect(try conversation.when(.takeOver(agentID: "boss", nickname: "Boss"), at: 4).events.isEmpty)
    refused(conversation, .takeOver(agentID: "x", nickname: ""), .empty(field: "nickname"))
    try conversation.when(.customerLeave, at: 5)
    refused(conversation, .takeOver(agentID: "boss", nickname: "Boss"), .ended)
  }

  @Test("what a take-over says in the background is pushed, each line under its own position")
  func takeOverInBackground() throws {
    var conversation = try Conversation.pushed()
    let turn = try conversation.when(.takeOver(agentID: "boss", nickname: "Boss"), at: 9)
    #expect(turn.effects.pushes.map(\.position) == [4, 5])
  }

  // MARK: Afterwards

  @Test("whoever was in the chat wraps it up, also when it is over; the last word stands, and is bounded")
  func wrapUp() throws {
    var conversation = try Conversation.online()
    try conversation.when(.agentLeave(agentID: "k"), at: 2)
    try conversation.when(.customerLeave, at: 3)
    let wrapUp = ChatAction.wrapUp(agentID: "k", disposition: "sold", note: "n", tags: ["a", "b", "a"])
    let turn = try conversation.when(wrapUp, at: 4)
    #expect(turn.events == [.wrappedUp(agentID: "k", disposition: "sold", note: "n", tags: ["a", "b"])])
    #expect(turn.effects == [.notifyAgents(.dataChanged)])
    #expect(conversation.chat.wrapUp?.time == Conversation.time(4))
    #expect(try conversation.when(wrapUp, at: 5).events.isEmpty)
    try conversation.when(.wrapUp(agentID: "k", disposition: "lost", note: "", tags: []), at: 6)
    #expect(conversation.chat.wrapUp?.disposition == "lost" && conversation.chat.wrapUp?.tags == [])
    #expect(try ChatSession(stateBytes: conversation.chat.stateBytes) == conversation.chat)
    let cases: [(ChatAction, ChatRejection)] = [
      (.wrapUp(agentID: "l", disposition: "x", note: "", tags: []), .notJoined),
      (.wrapUp(agentID: "k", disposition: "", note: "", tags: []), .empty(field: "disposition")),
      (
        .wrapUp(agentID: "k", disposition: String(repeating: "x", count: 257), note: "", tags: []),
        .tooLong(field: "disposition", limit: 256)
      ),
      (
        .wrapUp(agentID: "k", disposition: "x", note: String(repeating: "x", count: 65_537), tags: []),
        .tooLong(field: "note", limit: 65_536)
      ),
      (
        .wrapUp(agentID: "k", disposition: "x", note: "", tags: [""]),
        .invalid(field: "tags", reason: "has an empty element")
      ),
      (
        .wrapUp(agentID: "k", disposition: "x", note: "", tags: (0..<33).map(String.init)),
        .invalid(field: "tags", reason: "has more than 32 elements")
      ),
      (
        .wrapUp(agentID: "k", disposition: "x", note: "", tags: [String(repeating: "x", count: 129)]),
        .tooLong(field: "tags", limit: 128)
      ),
    ]
    for (action, rejection) in cases { refused(conversation, action, rejection) }
  }

  // MARK: Pages

  @Test("pages of a transcript have each line once, onwards and backwards, whatever stands between", arguments: 1...7)
  func pages(limit: Int) throws {
    var conversation = try Conversation.online()
    for number in 0..<6 {
      try conversation.when(.customerSend(text: "\(number)"), at: Double(number + 2))
      for _ in 0..<(number % 3) { try conversation.when(.whisper(agentID: "boss", text: "w\(number)"), at: 9) }
    }
    let chat = conversation.chat
    var (onwards, next) = ([AgentLine](), Int?.some(0))
    while let position = next {
      let page = chat.agentLines(in: .after(position, limit: limit))
      #expect(page.lines.compactMap(\.position).count <= limit)
      onwards += page.lines
      next = page.next
    }
    #expect(onwards == chat.agentLines())
    var backwards: [AgentLine] = []
    next = chat.lastPosition + 1
    while let position = next {
      let page = chat.agentLines(in: .before(position, limit: limit))
      #expect(page.lines.compactMap(\.position).count <= limit)
      backwards = page.lines + backwards
      next = page.next
    }
    #expect(backwards == chat.agentLines())
    #expect(chat.agentLines(in: .after(0, limit: nil)).lines == chat.agentLines())
    #expect(chat.agentLines(in: .after(999, limit: 1)).lines == chat.agentLines(afterPosition: 8))
    #expect(chat.agentLines(in: .before(1, limit: 5)).lines.isEmpty)
  }
}
