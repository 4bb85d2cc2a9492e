import ChatDomain
import EventSourcing
import Testing

@Suite("Files in a chat")
struct FileTests {
  private static func file(_ id: String = "f-1", name: String = "bill.pdf", byteCount: Int = 300) -> ChatFile {
    ChatFile(
      id: id, name: name, contentType: "application/pdf", byteCount: byteCount, url: "https://a.test/file/\(id)")
  }

  private static func line(
    _ position: Int, _ file: ChatFile, _ nickname: String, _ role: PartyRole, at second: Double
  ) -> TranscriptEvent {
    TranscriptEvent(
      position: position, type: .file, nickname: nickname, text: file.url, role: role, time: Conversation.time(second),
      file: file)
  }

  /// A chat whose app knows files, in the background.
  private static func knowing() throws -> Conversation {
    var conversation = Conversation()
    try conversation.when(.create(serviceName: "request-chat", data: []), at: 0)
    try conversation.when(
      .start(
        ChatStart(
          chatSessionID: "0002CaBE7F0K001Q", userKey: "user-7", notifiesByComet: true, nickname: "Guest 7",
          subject: "Order", firstMessage: nil, pushTarget: Conversation.target, userID: "u", secureKey: "s", data: [],
          takesFiles: true)), at: 0)
    try conversation.when(.cometSubscribed(session: "c1", delivered: 0), at: 0)
    try conversation.when(.cometConnected(session: "c1", delivered: 0), at: 0)
    try conversation.when(Conversation.joinK, at: 1)
    try conversation.when(Conversation.disconnect("c1", position: 2, delivered: 2), at: 2)
    return conversation
  }

  @Test("either side's is a line with a position, for the customer's sessions and for the agents")
  func lines() throws {
    var conversation = try Conversation.online()
    let (bill, photo) = (Self.file(), Self.file("f-2", name: "p.png"))
    let first = try conversation.when(.sendFile(bill, by: nil), at: 3)
    #expect(first.events == [.filePosted(party: 0, file: bill)])
    let theirs = Self.line(3, bill, "Guest 7", .client, at: 3)
    #expect(
      first.effects == [
        .publish(sessions: ["c1"], events: [theirs], ended: false), Conversation.toAgents(theirs),
      ])
    let second = try conversation.when(.sendFile(photo, by: "k"), at: 4)
    #expect(second.events == [.filePosted(party: 1, file: photo)])
    #expect(second.effects.published == [[4]])
    let chat = conversation.chat
    #expect(chat.events(after: 2).map(\.file) == [bill, photo])
    #expect(chat.file("f-1") == bill && chat.file("f-2") == photo && chat.file("f-3") == nil)
    #expect(chat.lastLine?.content.file == photo)
    #expect(chat.unread(after: 0, maximum: 9) == 1 && chat.waitingSince == nil)
    #expect(try conversation.replayed() == chat)
    #expect(try ChatSession(stateBytes: chat.stateBytes) == chat)
  }

  @Test("an agent's is pushed as a message is: by its URL, or by its name where the app knows files")
  func pushes() throws {
    var old = try Conversation.inBackground()
    try old.when(.sendFile(Self.file(), by: "k"), at: 3)
    let push = try #require(try old.when(.pushDelayElapsed(phase: 1), at: 8).effects.pushes.first)
    #expect(push.lastTranscript == [PushedLine(.pushURL, "https://a.test/file/f-1")] && push.position == 3)

    var new = try Self.knowing()
    try new.when(.sendFile(Self.file(), by: "k"), at: 3)
    #expect(
      try new.when(.pushDelayElapsed(phase: 1), at: 8).effects.pushes.first?.lastTranscript
        == [PushedLine(.file, "bill.pdf")])
    #expect(try ChatSession(stateBytes: new.chat.stateBytes) == new.chat && new.chat.takesFiles)

    // The customer's own is no reason for one.
    var own = try Conversation.inBackground()
    #expect(try own.when(.sendFile(Self.file(), by: nil), at: 3).events.count == 1)
  }

  @Test(
    "who filters files or URLs is not pushed them",
    arguments: [
      ([.file], false), ([.pushURL], false), ([.messageText], true), ([], true),
    ] as [(Set<TranscriptEventType>, Bool)])
  func filter(types: Set<TranscriptEventType>, isPushed: Bool) throws {
    var conversation = try Conversation.inBackground(
      policy: ChatPolicy(pushDelay: .zero, pushFilter: types))
    #expect(try conversation.when(.sendFile(Self.file(), by: "k"), at: 3).effects.pushes.isEmpty == !isPushed)
    // What was missed before the app went is told of in the same way.
    var missed = try Conversation.online(policy: ChatPolicy(pushDelay: .zero, pushFilter: types))
    try missed.when(.sendFile(Self.file(), by: "k"), at: 2)
    let turn = try missed.when(Conversation.disconnect("c1", position: 2, delivered: 2), at: 3)
    #expect(turn.effects.pushes.isEmpty == !isPushed)
  }

  @Test("a chat has bounds for its files, and takes none once it is over or from who is not in it")
  func refused() throws {
    var conversation = try Conversation.online()
    func refused(_ action: ChatAction, _ rejection: ChatRejection, sourceLocation: SourceLocation = #_sourceLocation) {
      var conversation = conversation
      #expect(throws: rejection, sourceLocation: sourceLocation) { try conversation.when(action, at: 9) }
    }
    refused(.sendFile(Self.file(), by: "l"), .notJoined)
    refused(.sendFile(Self.file(name: ""), by: nil), .empty(field: "name"))
    refused(.sendFile(Self.file(byteCount: 0), by: nil), .empty(field: "file"))
    refused(
      .sendFile(Self.file(name: String(repeating: "ö", count: 128)), by: nil), .tooLong(field: "name", limit: 255))
    refused(
      .sendFile(Self.file(byteCount: 20_971_521), by: "k"), .tooLong(field: "file", limit: 20_971_520))
    conversation.policy.limits.filesMaximum = 2
    conversation.policy.limits.filesBytesMaximum = 1_000
    try conversation.when(.sendFile(Self.file(byteCount: 900), by: nil), at: 2)
    refused(.sendFile(Self.file(byteCount: 101), by: nil), .limitReached("fileBytes"))
    try conversation.when(.sendFile(Self.file(byteCount: 100), by: "k"), at: 2)
    refused(.sendFile(Self.file(byteCount: 1), by: nil), .limitReached("files"))
    conversation.policy.limits = ChatLimits()
    conversation.policy.limits.transcriptEventsMaximum = 4
    refused(.sendFile(Self.file(), by: nil), .limitReached("transcriptEvents"))
    try conversation.when(.agentClose(agentID: "k"), at: 3)
    refused(.sendFile(Self.file(), by: nil), .ended)
    refused(.sendFile(Self.file(), by: "k"), .ended)
    var absent = Conversation()
    #expect(throws: ChatRejection.unknownService) { try absent.when(.sendFile(Self.file(), by: nil), at: 1) }
  }

  @Test("erasure takes what they are called and where they are; that one was sent stays")
  func erased() throws {
    var conversation = try Conversation.online()
    try conversation.when(.sendFile(Self.file("MARK-1", name: "MARK.pdf"), by: nil), at: 2)
    try conversation.when(.sendFile(Self.file("MARK-2", name: "MARK.png"), by: "k"), at: 2)
    try conversation.when(.erase, at: 3)
    let chat = conversation.chat
    #expect(!String(decoding: chat.stateBytes, as: UTF8.self).contains("MARK"))
    let lines = chat.events(after: 2)
    #expect(lines.map(\.type) == [.file, .file] && lines.map(\.text) == ["[erased]", "[erased]"])
    #expect(lines.allSatisfy { $0.file == nil } && chat.file("MARK-1") == nil)
    #expect(try ChatSession(stateBytes: chat.stateBytes) == chat)
    #expect(try conversation.replayedFromRestatement() == chat)
    // Their room is free again, and nothing of what comes now is erased.
    try conversation.when(.sendFile(Self.file(), by: nil), at: 4)
    #expect(conversation.chat.file("f-1") == Self.file())
    #expect(try ChatSession(stateBytes: conversation.chat.stateBytes) == conversation.chat)
  }

  @Test("what they add to the state is frozen")
  func frozen() throws {
    let state = [
      "0802",  // lifecycle
      "8a011e" + "0a0107" + "120100" + "22050a01781002",  // a file of a stranger's
      "e2030e" + "0a0166" + "12016e" + "1a0174" + "2002" + "2a0175",  // the file
      "ea0107" + "e00304" + "e803ac02",  // how many there are, and how large
      "e00301",  // the app knows files
    ].joined()
    let chat = try ChatSession(stateBytes: Self.bytes(state))
    #expect(chat.stateBytes == Self.bytes(state))
    #expect(
      chat.events(after: 0).first?.file == ChatFile(id: "f", name: "n", contentType: "t", byteCount: 1, url: "u"))
    #expect(chat.events(after: 0).first?.text == "u" && chat.takesFiles)
    // One file more than lines, and one less.
    for wrong in [
      state.replacing("8a011e0a0107", with: "8a011e0a0106"), state.replacing("8a011e0a0107", with: "8a011f0a020707"),
    ] {
      #expect(throws: PayloadError.self) { try ChatSession(stateBytes: Self.bytes(wrong)) }
    }
  }

  private static func bytes(_ hex: String) -> [UInt8] {
    stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
  }
}
