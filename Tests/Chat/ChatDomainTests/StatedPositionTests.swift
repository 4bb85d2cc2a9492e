import ChatDomain
import EventSourcing
import Testing

@Suite("Chat, what the app says it has")
struct StatedPositionTests {
  /// The agent has said "One" (3) and "Two" (4), both written; the session was lost, and 4 was taken for shown.
  private func lost(confirmed: Int = 4, ended: Bool = false) throws -> Conversation {
    var conversation = try Conversation.online()
    try conversation.when(Conversation.say("One"), at: 2)
    try conversation.when(Conversation.say("Two"), at: 3)
    try conversation.when(.cometLost(session: "c1", delivered: confirmed), at: 13)
    return conversation
  }

  @Test("B16: a stated position takes the place of a guess, also when it is smaller, and what lies above it is pushed")
  func lowers() throws {
    var conversation = try lost()
    #expect(conversation.chat.clientState == .backgroundQuiet)
    #expect(conversation.chat.isPositionGuessed)
    let turn = try conversation.when(Conversation.disconnect("c1", position: 2, delivered: 0), at: 14)
    #expect(
      turn.events == [
        .positionStated(position: 2),
        .pushDelayStarted(phase: 1, positions: [3, 4], deadline: Conversation.time(19)),
      ])
    #expect(conversation.chat.basePosition == 2)
    #expect(!conversation.chat.isPositionGuessed)
    #expect(conversation.chat.phaseCount == 1)
    let push = try conversation.when(.pushDelayElapsed(phase: 1), at: 19)
    #expect(push.effects.pushes.first?.lastTranscript.map(\.text) == ["One", "Two"])
    try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 20)
    #expect(try conversation.when(.cometConnected(session: "c2", delivered: 0), at: 20).effects.published == [[3, 4]])
  }

  @Test("B16: of two stated positions the larger counts, and of a guess and a larger word the word")
  func larger() throws {
    var conversation = try lost(confirmed: 2)
    #expect(conversation.chat.clientState == .backgroundWait)
    #expect(try conversation.when(Conversation.state(3), at: 14).events == [.positionStated(position: 3)])
    #expect(try conversation.when(Conversation.state(2), at: 15).events.isEmpty)
    #expect(try conversation.when(Conversation.state(4), at: 16).events == [.positionStated(position: 4)])
    #expect(conversation.chat.basePosition == 4)
  }

  @Test("B16: while the delay runs, what turns out to be missed joins the push in its place")
  func whileWaiting() throws {
    var conversation = try lost(confirmed: 3)
    let turn = try conversation.when(Conversation.state(2), at: 14)
    #expect(turn.events == [.positionStated(position: 2), .lineRemembered(position: 3, droppingOldest: false)])
    let push = try conversation.when(.pushDelayElapsed(phase: 1), at: 18)
    #expect(push.effects.pushes.first?.lastTranscript.map(\.text) == ["One", "Two"])
  }

  @Test("B16: after the first push, what turns out to be missed is pushed at once, and nothing twice")
  func afterPush() throws {
    var conversation = try lost(confirmed: 3)
    try conversation.when(.pushDelayElapsed(phase: 1), at: 18)
    let turn = try conversation.when(Conversation.state(1), at: 19)
    #expect(turn.effects.pushes.map { $0.lastTranscript.map(\.text) } == [["has joined the session", "One"]])
    #expect(try conversation.when(Conversation.state(1), at: 20) == Conversation.Turn())
  }

  @Test("6.7: refresh takes the place of a guess only")
  func refresh() throws {
    var conversation = try lost()
    #expect(
      try conversation.when(Conversation.state(3, replacesStated: false), at: 14).events.first
        == .positionStated(position: 3))
    #expect(try conversation.when(Conversation.state(4, replacesStated: false), at: 15).events.isEmpty)
    #expect(conversation.chat.basePosition == 3)
  }

  @Test("a customer who has left is not called back by a word that comes late")
  func afterLeaving() throws {
    var conversation = try lost()
    try conversation.when(.customerLeave, at: 14)
    #expect(try conversation.when(Conversation.state(2), at: 15).events == [.positionStated(position: 2)])
  }

  @Test("a word while somebody is there changes nothing", arguments: [0, 2, 9])
  func online(position: Int) throws {
    var conversation = try Conversation.online()
    #expect(try conversation.when(Conversation.state(position), at: 2) == Conversation.Turn())
  }

  @Test("6.1: a session that shook hands with a position is caught up from there, whatever another was written")
  func handshake() throws {
    var conversation = try Conversation.online()
    try conversation.when(Conversation.say("One"), at: 2)
    let turn = try conversation.when(.cometSubscribed(session: "c2", delivered: 3, stated: 2), at: 3)
    #expect(turn.effects.published == [[3]])
    // Once it has been sent something, nothing of that comes twice.
    try conversation.when(.cometUnsubscribed(session: "c2", delivered: 3), at: 4)
    #expect(try conversation.when(.cometSubscribed(session: "c2", delivered: 3, stated: 2), at: 5).effects.isEmpty)
  }

  @Test("6.1: a connect with a position ends the phase and is caught up from there, also below a stated P")
  func connect() throws {
    var conversation = try Conversation.waiting()
    try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 4)
    let turn = try conversation.when(.cometConnected(session: "c2", delivered: 0, stated: 1), at: 4)
    #expect(turn.effects.published == [[2, 3]])
  }

  @Test("6.2: a dead session in its grace keeps neither the flag nor the position from taking effect")
  func deadSession() throws {
    var conversation = try Conversation.online()
    try conversation.when(Conversation.say("One"), at: 2)
    let turn = try conversation.when(
      Conversation.disconnect("old", position: 2, delivered: 0, departed: ["c1"]), at: 3)
    #expect(
      turn.events == [
        .customerAbsent(session: "old", position: 2, written: 0, cause: .disconnected, basis: .stated),
        .absenceNoted(text: "customer is not online"),
        .pushDelayStarted(phase: 1, positions: [3], deadline: Conversation.time(8)),
      ])
    #expect(conversation.chat.activeSessions.isEmpty)
    // It was not dead after all: it gets what it was not sent, and the flag is gone.
    try conversation.when(Conversation.say("Two"), at: 4)
    let back = try conversation.when(.cometConnected(session: "c1", delivered: 3), at: 5)
    #expect(back.effects.published == [[4]])
    #expect(conversation.chat.clientState == .online)
    #expect(conversation.chat.activeSessions == ["c1"])
  }

  @Test("6.2: of several sessions the dead ones do not count, the others do")
  func deadAndLive() throws {
    var conversation = try Conversation.online()
    try conversation.when(.cometSubscribed(session: "c2", delivered: 2), at: 2)
    try conversation.when(Conversation.disconnect("old", position: 2, delivered: 0, departed: ["c1"]), at: 3)
    #expect(conversation.chat.clientState == .online)
    #expect(conversation.chat.activeSessions == ["c1", "c2"])
    // When the dead one's time is over, nothing is left to be told.
    try conversation.when(Conversation.disconnect("c2", position: 2, delivered: 2, departed: ["c1"]), at: 4)
    #expect(conversation.chat.clientState == .backgroundQuiet)
    #expect(try conversation.when(.cometLost(session: "c1", delivered: 2), at: 10).effects.isEmpty)
    #expect(conversation.chat.phaseCount == 1)
  }

  @Test("records of older versions, which covered what had been written, cover no less when a word comes later")
  func olderRecords() throws {
    var conversation = try Conversation.online()
    try conversation.when(Conversation.say("One"), at: 2)
    var chat = conversation.chat
    chat.evolve(
      .customerAbsent(session: "c1", position: 2, written: 3, cause: .disconnected), at: Conversation.time(3))
    let command = ChatCommand(Conversation.disconnect("x", position: 1, delivered: 0), policy: conversation.policy)
    #expect(
      try chat.decide(command, now: Conversation.time(4)) == [
        .positionStated(position: 1),
        .pushDelayStarted(phase: 1, positions: [2, 3], deadline: Conversation.time(9)),
      ])
  }

  @Test("sent again, events fall into the notifications that they first came in, and many into few")
  func notifications() throws {
    var conversation = try Conversation.started()
    try conversation.when(Conversation.joinK, at: 1)
    try conversation.when(Conversation.say("One"), at: 2)
    try conversation.when(.cometSubscribed(session: "c1", delivered: 0), at: 3)
    for index in 0..<40 { try conversation.when(Conversation.say("\(index)"), at: 4) }
    let chat = conversation.chat
    let all = chat.notifications(of: chat.catchUp(for: "c1", delivered: 0), for: "c1").map { $0.map(\.position) }
    #expect(all.first == [2, 3])
    #expect(all[1...31].allSatisfy { $0.count == 1 })
    #expect(all.count == 33 && all.flatMap { $0 } == Array(2...43))
    #expect(chat.repetition(for: "c1", after: 0, upTo: 4, isStated: false).map(\.position) == [2, 3, 4])
    #expect(chat.repetition(for: "c1", after: 0, upTo: 2, isStated: true).map(\.position) == [1, 2])
    #expect(chat.repetition(for: "other", after: 0, upTo: 2, isStated: true).isEmpty)
  }
}
