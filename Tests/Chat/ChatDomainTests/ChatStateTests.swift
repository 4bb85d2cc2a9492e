import ChatDomain
import EventSourcing
import TestSupport
import Testing

@Suite("Chat, as bytes")
struct ChatStateTests {
  @Test("along random conversations the state comes back as it was, in the same bytes", arguments: UInt64(1)...12)
  func roundTrip(seed: UInt64) throws {
    var random = RandomConversation(seed: seed)
    for _ in 0..<300 {
      try random.step()
      let chat = random.conversation.chat
      let bytes = chat.stateBytes
      let restored = try ChatSession(stateBytes: bytes)
      #expect(restored == chat, "seed \(seed)")
      #expect(restored.stateBytes == bytes, "seed \(seed)")
    }
  }

  @Test("a chat that slept goes on like one that did not", arguments: UInt64(100)...112)
  func goesOn(seed: UInt64) throws {
    var awake = RandomConversation(seed: seed)
    var sleeper = awake
    for _ in 0..<300 {
      try sleeper.sleepAndWake()
      try awake.step()
      try sleeper.step()
      #expect(sleeper.turns == awake.turns, "seed \(seed)")
      #expect(
        sleeper.conversation.chat.outstandingEffects == awake.conversation.chat.outstandingEffects, "seed \(seed)")
    }
    #expect(sleeper.conversation.chat == awake.conversation.chat, "seed \(seed)")
    #expect(awake.actionCount > 20, "seed \(seed) did nothing")
  }

  @Test("the numbers of what the frozen states do not have are frozen too")
  func frozenRest() throws {
    let state = [
      "0802", "1a060a016e120176", "5001", "7a051201631801",  // lifecycle, data, notifies by Comet, party
      "8a0110" + "0a0100" + "120100" + "1a0174" + "22050a01781002",  // a line of a stranger
      "a2010d" + "0a0163" + "1001" + "1801" + "2002" + "2804" + "3006",  // link
      "c20108" + "0802" + "1001" + "3001" + "4006",  // background
      "da010e" + "0802" + "1002" + "1802" + "22060a0161120164",  // owed push with a target of its own
      "e00101",  // its user was erased
      "ea012b" + "0804" + "1001" + "1a08" + "0802" + "1004" + "1803" + "2006"  // lost since, and the last push
        + "2205" + "0a016b" + "1004" + "2a016d" + "320168"  // a read mark, an invitation, whose it is
        + "3a0e" + "0a016b" + "120173" + "1a016e" + "220174" + "2806",  // the wrap-up
    ].joined()
    #expect(try ChatSession(stateBytes: [UInt8](hex: state)).stateBytes.hex == state)
    let created = ChatEvent.created(serviceName: "s", data: [], expiresAt: .epoch, userKey: "u")
    #expect(StoredEvent(created).payload.hex == "8a0101733000b2010175")
  }

  @Test("the bytes are frozen")
  func bytes() throws {
    var conversation = try Conversation.waiting()
    #expect(conversation.chat.stateBytes.hex == frozenStates[2] + awaySince)
    try conversation.when(.pushDelayElapsed(phase: 1), at: 8)
    try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 9)
    #expect(conversation.chat.stateBytes.hex == frozenStates[3] + awaySince)
    #expect(ChatSession().stateBytes.hex == "0800")
    for hex in frozenStates { #expect(try ChatSession(stateBytes: [UInt8](hex: hex)).stateBytes.hex == hex) }
  }

  @Test("fields of a later version are skipped; a state without its lifecycle is none")
  func laterVersion() throws {
    let chat = try Conversation.pushed().chat
    var more = PayloadWriter()
    more.text(1_000, "from a later version")
    more.integer(1_001, 7)
    #expect(try ChatSession(stateBytes: more.bytes + chat.stateBytes + more.bytes) == chat)
    #expect(throws: PayloadError.missingField(1)) { try ChatSession(stateBytes: []) }
    #expect(throws: PayloadError.missingField(1)) { try ChatSession(stateBytes: more.bytes) }
    #expect(throws: PayloadError.outOfRange(field: 1)) { try ChatSession(stateBytes: [0x08, 0x05]) }
  }

  @Test("a line whose party was never given out keeps its own name and role")
  func stranger() throws {
    var chat = try Conversation.online().chat
    chat.evolve(.linePosted(party: 9, type: .messageText, text: "who?"), at: Conversation.time(3))
    chat.evolve(.linePosted(party: 9, type: .custom, text: ""), at: Conversation.time(3))
    chat.evolve(.linePosted(party: 1, type: .messageText, text: ErasurePlaceholder.text), at: Conversation.time(4))
    #expect(try ChatSession(stateBytes: chat.stateBytes) == chat)
    #expect(chat.events(after: 2).map(\.role) == [.external, .external, .agent])
  }

  @Test(
    "agent-only lines out of order, beyond the transcript or without a place are refused",
    arguments: [
      ([1, 4], true), ([3, 5], true), ([4, 3], false), ([3, 3], false), ([0, 1], false), ([1, 6], false),
      ([UInt64.max, 1], false), ([1], false), ([], false), ([1, 2, 3], false),
    ] as [([UInt64], Bool)])
  func places(places: [UInt64], isGood: Bool) throws {
    // Three lines that all see; a later field of the same number takes the place of the first.
    var writer = PayloadWriter()
    try Conversation.waiting().chat.encodeState(into: &writer)
    writer.nested(18) { columns in
      columns.packed(1, [0x26, 0x26])
      columns.packed(2, [2, 2])
      columns.text(3, "a")
      columns.text(3, "b")
      columns.packed(5, places)
    }
    if isGood {
      #expect(try ChatSession(stateBytes: writer.bytes).lineCount == 5)
    } else {
      #expect(throws: PayloadError.outOfRange(field: 18)) { try ChatSession(stateBytes: writer.bytes) }
    }
  }

  @Test("damaged states are refused or read, and whatever is read can go on", arguments: [UInt64(5), 55, 555])
  func damaged(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var conversation = try Conversation.pushed()
    try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 9)
    let states = [try Conversation.waiting().chat.stateBytes, conversation.chat.stateBytes]
    var read = 0
    for _ in 0..<6_000 {
      guard var bytes = states.randomElement(using: &generator) else { return }
      for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0...2, using: &generator) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes.removeLast(bytes.count - index)
        default: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
        }
      }
      do throws(PayloadError) {
        var chat = try ChatSession(stateBytes: bytes)
        #expect(try ChatSession(stateBytes: chat.stateBytes) == chat)
        for start in 0..<6 { _ = chat.agentLines(after: start) }
        _ = (chat.agentLines(afterPosition: 2), chat.outstandingEffects, chat.rest, chat.clientState)
        let actions: [ChatAction] = [
          .erase, Conversation.say("More"), .cometConnected(session: "c2", delivered: 1), .pushDelayElapsed(phase: 1),
        ]
        for action in actions {
          let command = ChatCommand(action, policy: ChatPolicy(pushDelay: .zero))
          for event in (try? chat.decide(command, now: Conversation.time(20))) ?? [] {
            chat.evolve(event, at: Conversation.time(20))
            _ = chat.react(to: event)
          }
        }
        read += 1
      } catch {}
    }
    #expect(read > 100)
  }

  @Test("a chat is awake while it owes pushes; else it sleeps until the first of its timers")
  func rest() throws {
    #expect(ChatSession().rest == .asleep(until: nil))
    let end = Conversation.time(86_400)
    #expect(try Conversation.online().chat.rest == .asleep(until: end))
    var conversation = try Conversation.waiting()
    #expect(conversation.chat.rest == .asleep(until: Conversation.time(8)))
    try conversation.when(.pushDelayElapsed(phase: 1), at: 8)
    #expect(conversation.chat.rest == .wakeful)
    try conversation.when(.pushHandedOver(number: 1), at: 9)
    #expect(conversation.chat.rest == .asleep(until: end))
    try conversation.when(.customerLeave, at: 10)
    #expect(conversation.chat.rest == .asleep(until: end))
    try conversation.when(.timeToLiveElapsed, at: 90_000)
    #expect(conversation.chat.rest == .asleep(until: nil))
  }

  @Test("a line takes at most six bytes besides its text: no more than its event and that event's time")
  func size() throws {
    var conversation = try Conversation.online()
    let before = (state: conversation.chat.stateBytes.count, journal: conversation.journal.count)
    var texts = 0
    for line in 0..<100 {
      let text = "Text number \(line)"
      texts += text.utf8.count
      try conversation.when(line % 2 == 0 ? .customerSend(text: text) : Conversation.say(text), at: Double(line) * 7.25)
    }
    #expect(conversation.chat.stateBytes.count - before.state - texts <= 100 * 6)
    let events = conversation.journal[before.journal...].reduce(0) { $0 + $1.event.payload.count }
    #expect(conversation.chat.stateBytes.count - before.state <= events + 100 * 2)
  }
}

/// What the first version and the second wrote for `ChatStateTests.bytes`. Never change one: snapshots and journals hold these bytes.
/// What later versions add to the frozen states: since when the customer is away.
private let awaySince = "ea010708b0aa93bd8967"

private let frozenStates = [
  "0802120c726571756573742d636861742080ba93bd89672890fbc58f8a6730908b93bd89673802421030303032436142453746304b30"
    + "3031514a06757365722d3750015a054f7264657262170a0a637573746f6d6874747012096465766963652d37376a01757201737a0b12"
    + "074775657374203718017a0e0a016b12074167656e74204b1802820101018a01160a03234340120a908b93bd8967d00fa01f1a034f6e"
    + "659201260a01261206b0aa93bd89671a16637573746f6d6572206973206e6f74206f6e6c696e652a0103980102a80101b00104b80104"
    + "c2010e0802100218908894bd8967220103c80102",
  "0802120c726571756573742d6368617420e09794bd89672890fbc58f8a6730908b93bd89673802421030303032436142453746304b30"
    + "3031514a06757365722d3750015a054f7264657262170a0a637573746f6d6874747012096465766963652d37376a01757201737a0b12"
    + "074775657374203718017a0e0a016b12074167656e74204b1802820101018a01160a03234340120a908b93bd8967d00fa01f1a034f6e"
    + "659201260a01261206b0aa93bd89671a16637573746f6d6572206973206e6f74206f6e6c696e652a0103980102a201060a0263321001"
    + "a80101b00104b80104c20106080210032802c80102d00102da01280802100218022a164e6577206d6573736167652066726f6d204167"
    + "656e743201003a034f6e654006",
  // With what the base position rests on.
  "0802120c726571756573742d636861742080ba93bd89672890fbc58f8a6730908b93bd89673802421030303032436142453746304b30"
    + "3031514a06757365722d3750015a054f7264657262170a0a637573746f6d6874747012096465766963652d37376a01757201737a0b12"
    + "074775657374203718017a0e0a016b12074167656e74204b1802820101018a01160a03234340120a908b93bd8967d00fa01f1a034f6e"
    + "659201260a01261206b0aa93bd89671a16637573746f6d6572206973206e6f74206f6e6c696e652a0103980102a80101b00104b80104"
    + "c201100802100218908894bd89672201033801c80102",
  "0802120c726571756573742d6368617420e09794bd89672890fbc58f8a6730908b93bd89673802421030303032436142453746304b30"
    + "3031514a06757365722d3750015a054f7264657262170a0a637573746f6d6874747012096465766963652d37376a01757201737a0b12"
    + "074775657374203718017a0e0a016b12074167656e74204b1802820101018a01160a03234340120a908b93bd8967d00fa01f1a034f6e"
    + "659201260a01261206b0aa93bd89671a16637573746f6d6572206973206e6f74206f6e6c696e652a0103980102a201060a0263321001"
    + "a80101b00104b80104c201080802100328023801c80102d00102da01280802100218022a164e6577206d6573736167652066726f6d204167"
    + "656e743201003a034f6e654006",
]

extension [UInt8] {
  fileprivate var hex: String { map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }

  fileprivate init(hex: String) {
    self = stride(from: 0, to: hex.count, by: 2).compactMap { offset in
      UInt8(hex.dropFirst(offset).prefix(2), radix: 16)
    }
  }
}
