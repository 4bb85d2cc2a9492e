import ChatDomain
import EventSourcing
import TestSupport
import Testing

@Suite("Chat events, as the journal holds them")
struct ChatEventPayloadTests {
  static let deadline = Timestamp(milliseconds: 1_770_798_605_123)

  /// One of each tag, in the order of the tags, and some with everything optional absent or present.
  static let events: [ChatEvent] = [
    .created(
      serviceName: "request-chat", data: [NameValuePair("tier", "gold"), NameValuePair("ü", "")], expiresAt: deadline),
    .started(
      with: ChatStart(
        chatSessionID: "0002CaBE7F0K001Q", userKey: "user", notifiesByComet: true, nickname: "Guest 7",
        subject: "Order", firstMessage: "Hello",
        pushTarget: PushTarget(type: "ios", deviceID: "d", provider: "p", language: "de", debug: true), userID: "u",
        secureKey: "s", data: [NameValuePair("a", "1")])),
    .linePosted(party: 1, type: .messageText, text: "Grüße 👋"),
    .previewTyped(text: "Gr"),
    .dataUpdated(pairs: [NameValuePair("a", ""), NameValuePair("b", "2")]),
    .agentJoined(agentID: "k", nickname: "Agent K", role: .supervisor),
    .agentLeft(party: 3),
    .chatEnded(party: 0, cause: .timeToLive),
    .expired,
    .timeToLiveExtended(until: deadline),
    .served(upTo: 300),
    .cometSubscribed(session: "c1", activeAfter: 4),
    .cometConnected(session: "c1", activeAfter: 0),
    .cometUnsubscribed(session: "c1", base: 4, written: 5),
    .cometDetached(session: "c1", base: 0, written: 5),
    .customerAbsent(session: "c1", position: 4, written: 5, cause: .lost),
    .customerReturned,
    .absenceNoted(text: "customer is not online"),
    .returnNoted(text: "customer is online"),
    .pushDelayStarted(phase: 2, positions: [5, 6, 300], deadline: deadline),
    .lineRemembered(position: 7, droppingOldest: true),
    .pushDelayCancelled(phase: 2),
    .pushRequested(number: 9, phase: 2, ordinal: 1, message: "New message from Agent", positions: [5, 6]),
    .pushHandedOver(number: 9),
    .erased(state: [0x08, 0x02, 0x12, 0x01, 0x73]),
    .positionStated(position: 4),
    .pushTargetChanged(
      to: PushTarget(
        type: "ios", deviceID: "d", provider: "p", language: "de", debug: true, subscriptionID: "sub |1")),
    .pushSettled(number: 9, outcome: .failed),
    .read(agentID: "k", upTo: 7),
    .privateNoted(agentID: "k", nickname: "Agent K", role: .supervisor, text: "psst"),
    .agentInvited(agentID: "m", inviter: "k"),
    .deskChanged(to: "help"),
    .wrappedUp(agentID: "k", disposition: "sold", note: "call back", tags: ["vip"]),
    .filePosted(
      party: 1,
      file: ChatFile(
        id: "f1", name: "a.png", contentType: "image/png", byteCount: 300, url: "https://a.test/f1")),
    .offered(ChatOffer(agentID: "k", until: deadline)),
    .offerEnded(ChatOffer(agentID: "k", until: deadline), .passed),
  ]

  static let variants: [ChatEvent] = [
    .created(serviceName: "", data: [], expiresAt: Timestamp(milliseconds: -1)),
    .started(
      with: ChatStart(
        chatSessionID: "", userKey: nil, notifiesByComet: false, nickname: "", subject: "", firstMessage: nil,
        pushTarget: nil, userID: "", secureKey: "", data: [])),
    .started(
      with: ChatStart(
        chatSessionID: "x", userKey: "", notifiesByComet: true, nickname: "n", subject: "", firstMessage: "",
        pushTarget: PushTarget(type: "", deviceID: ""), userID: "", secureKey: "", data: [])),
    .pushTargetChanged(to: nil),
    .pushTargetChanged(to: PushTarget(type: "fcm", deviceID: "t")),
    .linePosted(party: 0, type: .typingStarted, text: ""),
    .linePosted(party: 200, type: .pushURL, text: "https://example.test/?a=b"),
    .dataUpdated(pairs: []),
    .previewTyped(text: ""),
    .cometSubscribed(session: "c1", activeAfter: nil),
    .cometConnected(session: "c1", activeAfter: nil),
    .cometUnsubscribed(session: "c1", base: nil, written: 0),
    .cometDetached(session: "", base: nil, written: 0),
    .customerAbsent(session: "c1", position: 0, written: 0, cause: .disconnected),
    .customerAbsent(session: "c1", position: 3, written: 5, cause: .disconnected, basis: .stated),
    .customerAbsent(session: "c1", position: 3, written: 5, cause: .lost, basis: .confirmed),
    .chatEnded(party: 5, cause: .party),
    .wrappedUp(agentID: "k", disposition: "", note: "", tags: []),
    .filePosted(party: 0, file: ChatFile(id: "", name: "", contentType: "", byteCount: 0, url: "")),
    .started(
      with: ChatStart(
        chatSessionID: "x", userKey: nil, notifiesByComet: true, nickname: "n", subject: "", firstMessage: nil,
        pushTarget: nil, userID: "", secureKey: "", data: [], takesFiles: true)),
    .read(agentID: "", upTo: 0),
    .lineRemembered(position: 7, droppingOldest: false),
    .pushRequested(number: 1, phase: 1, ordinal: 1, message: "", positions: []),
  ]

  @Test("every event comes back from its payload", arguments: events + variants)
  func roundTrip(event: ChatEvent) throws {
    #expect(try StoredEvent(event).decoded(as: ChatEvent.self) == event)
  }

  @Test("every type of line and every role comes back")
  func enumerations() throws {
    // A file comes by an event of its own.
    for type in TranscriptEventType.allCases where type != .file {
      let event = ChatEvent.linePosted(party: 1, type: type, text: "t")
      #expect(try StoredEvent(event).decoded(as: ChatEvent.self) == event)
    }
    for outcome in ChatPushOutcome.allCases {
      let event = ChatEvent.pushSettled(number: 1, outcome: outcome)
      #expect(try StoredEvent(event).decoded(as: ChatEvent.self) == event)
    }
    for end in ChatOfferEnd.allCases {
      let event = ChatEvent.offerEnded(ChatOffer(agentID: "a", until: Self.deadline), end)
      #expect(try StoredEvent(event).decoded(as: ChatEvent.self) == event)
    }
    for role in PartyRole.allCases {
      let event = ChatEvent.agentJoined(agentID: "a", nickname: "n", role: role)
      #expect(try StoredEvent(event).decoded(as: ChatEvent.self) == event)
    }
  }

  @Test("the tags are frozen")
  func tags() {
    #expect(Self.events.map(\.tag) == Array(1...26) + [45] + Array(50...55) + Array(60...62))
  }

  @Test("the bytes are frozen", arguments: zip(events, frozenPayloads))
  func bytes(event: ChatEvent, hex: String) {
    #expect(StoredEvent(event).payload.map { hexByte($0) }.joined() == hex)
  }

  @Test("fields of a later version are skipped", arguments: events)
  func laterVersion(event: ChatEvent) throws {
    var stored = StoredEvent(event)
    var more = PayloadWriter()
    more.text(1_000, "from a later version")
    more.integer(1_001, 7)
    stored.payload = more.bytes + stored.payload + more.bytes
    #expect(try stored.decoded(as: ChatEvent.self) == event)
  }

  @Test("a payload without what every version writes is refused", arguments: events)
  func missing(event: ChatEvent) throws {
    let stored = StoredEvent(tag: event.tag, payload: [])
    switch event {
    case .expired, .customerReturned, .dataUpdated, .pushTargetChanged:
      #expect(try stored.decoded(as: ChatEvent.self).tag == event.tag)
    default: #expect(throws: PayloadError.self) { try stored.decoded(as: ChatEvent.self) }
    }
  }

  @Test("numbers out of range are refused, never trapped on")
  func outOfRange() {
    func refused(_ tag: EventTag, _ error: PayloadError, _ build: (inout PayloadWriter) -> Void) {
      var writer = PayloadWriter()
      build(&writer)
      let stored = StoredEvent(tag: tag, payload: writer.bytes)
      #expect(throws: error) { try stored.decoded(as: ChatEvent.self) }
    }
    refused(3, .outOfRange(field: 1)) { $0.integer(1, -1) }
    refused(3, .outOfRange(field: 1)) { $0.signed(1, .max) }
    refused(3, .outOfRange(field: 2)) { $0.unsigned(2, 7) }
    refused(11, .outOfRange(field: 4)) { $0.signed(4, .min) }
    refused(23, .outOfRange(field: 10)) { $0.integer(10, -4) }
    refused(8, .outOfRange(field: 12)) { writer in
      writer.integer(1, 0)
      writer.unsigned(12, 9)
    }
    refused(6, .outOfRange(field: 14)) { writer in
      writer.text(15, "a")
      writer.text(13, "n")
      writer.unsigned(14, 0)
    }
    refused(25, .missingField(20)) { _ in }
    refused(25, .missingField(1)) { $0.data(20, []) }
    refused(25, .outOfRange(field: 1)) { $0.data(20, [0x08, 0x05]) }
    refused(25, .truncated) { $0.data(20, [0x08, 0x02, 0x12, 0x02, 0x73]) }
    refused(16, .outOfRange(field: 21)) { writer in
      writer.text(5, "c")
      writer.integer(4, 0)
      writer.integer(11, 0)
      writer.unsigned(12, 1)
      writer.unsigned(21, 9)
    }
    refused(50, .outOfRange(field: 50)) { writer in
      writer.integer(8, 1)
      writer.unsigned(50, 9)
    }
    refused(60, .missingField(60)) { $0.integer(1, 0) }
    refused(60, .missingField(5)) { writer in
      writer.integer(1, 0)
      writer.nested(60) { file in
        for field in 1...3 { file.text(field, "a") }
        file.integer(4, 1)
      }
    }
    refused(60, .outOfRange(field: 4)) { writer in
      writer.integer(1, 0)
      writer.nested(60) { file in
        for field in [1, 2, 3, 5] { file.text(field, "a") }
        file.integer(4, -1)
      }
    }
    refused(61, .missingField(15)) { $0.integer(6, 0) }
    refused(62, .missingField(61)) { writer in
      writer.text(15, "a")
      writer.integer(6, 0)
    }
    refused(62, .outOfRange(field: 61)) { writer in
      writer.text(15, "a")
      writer.integer(6, 0)
      writer.unsigned(61, 7)
    }
    refused(27, .unknownTag(27)) { _ in }
    refused(0, .unknownTag(0)) { _ in }
  }

  @Test("damaged payloads are refused or read, and whatever is read can be recorded", arguments: [UInt64(3), 33, 333])
  func damaged(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var chat = try Conversation.waiting().chat
    var recorded = 0
    for _ in 0..<8_000 {
      guard let event = (Self.events + Self.variants).randomElement(using: &generator) else { return }
      var stored = StoredEvent(event)
      for _ in 0..<Int.random(in: 1...3, using: &generator) where !stored.payload.isEmpty {
        let index = Int.random(in: 0..<stored.payload.count, using: &generator)
        switch Int.random(in: 0...3, using: &generator) {
        case 0: stored.payload[index] = UInt8.random(in: 0...255, using: &generator)
        case 1: stored.payload.removeLast(stored.payload.count - index)
        case 2: stored.payload.insert(UInt8.random(in: 0...255, using: &generator), at: index)
        default: stored.tag = EventTag.random(in: 0...63, using: &generator)
        }
      }
      do throws(PayloadError) {
        let read = try stored.decoded(as: ChatEvent.self)
        chat.evolve(read, at: Timestamp(milliseconds: Int64(truncatingIfNeeded: generator.next())))
        _ = chat.react(to: read)
        _ = chat.outstandingEffects
        recorded += 1
      } catch {}
      if recorded % 50 == 0 { chat = try Conversation.waiting().chat }
    }
    #expect(recorded > 100)
  }
}

private func hexByte(_ byte: UInt8) -> String {
  let digits = String(byte, radix: 16)
  return digits.count == 1 ? "0" + digits : digits
}
