import EventSourcing
import Foundation
import PushDomain
import Testing

@Suite("Push events in the journal")
struct CodecTests {
  static let full = PushMessage(
    producer: "412-ä", number: 3, tag: "chat.newagentmessage", alert: "Grüße", content: Array(#"{"a":"б"}"#.utf8),
    compactContent: Array("{}".utf8), service: "request-chat",
    target: PushAddress(
      type: "fcm", deviceID: "token", provider: "shop", language: "ru-RU", debug: true, authorization: "dTpw"),
    attemptsMaximum: 5, expiry: Timestamp(milliseconds: -1), collapseKey: "k", priority: .normal, isNowOrNever: true,
    display: display, form: .members, owner: "anna", registeredAt: Timestamp(milliseconds: 5))
  static let display = {
    var display = PushDisplay()
    (display.title, display.subtitle, display.body, display.badge) = ("t", "s", "b", 0)
    (display.sound, display.image, display.threadID, display.category) = ("d", "https://i", "th", "c")
    (display.interruptionLevel, display.pushType) = ("passive", "voip")
    (display.isContentAvailable, display.isMutableContent) = (true, true)
    return display
  }()
  static let displayed = PushMessage(
    producer: "p", number: 1, tag: "t", alert: "", content: [], service: "s",
    target: PushAddress(type: "ios", deviceID: "d"), display: PushDisplay())
  static let id = PushID(producer: "p", number: Int.max)
  static let outcomes: [FinalPushOutcome] = [
    .delivered, .refused(reason: "no"), .failed(reason: "down"), .expired, .collapsed, .overflowed,
    .unregistered(reason: "410"), .erased,
  ]
  static let events: [PushEvent] =
    [
      .enqueued(full), .enqueued(.sample(1)), .retryScheduled(id, attempt: 2, until: .epoch, reason: "down"),
      .retryScheduled(id, attempt: 2, until: Timestamp(milliseconds: 1_770_000_000_000), reason: ""),
      .pauseEnded(producer: "p"), .unregistered(reason: ""), .registered, .producerForgotten("p"),
      .erased([], state: PushQueue().stateBytes), .enqueued(displayed),
      .attemptBegan(id, attempt: 1), .attemptReturned(id, attempt: 3, reason: "GOAWAY"),
      .attemptReturned(id, attempt: 3, reason: ""), .deadLetterRetried(id), .deadLetterDropped(id),
      .settled(id, .delivered, attempts: 1, answer: "projects/1/messages/2"),
      .settled(id, .failed(reason: "500"), attempts: 3, answer: "", isDeadLetter: true),
      .erased([ErasedPush(id, attempts: 2), ErasedPush(id, attempts: 0)], state: [0x08, 0x04, 0x12, 0x01, 0x78]),
    ] + outcomes.map { .settled(id, $0, attempts: 4) } + outcomes.map { .declined(id, $0) }

  @Test("every event comes back as it went in", arguments: events)
  func roundTrip(event: PushEvent) throws {
    #expect(try StoredEvent(event).decoded(as: PushEvent.self) == event)
    #expect(try JSONDecoder().decode(PushEvent.self, from: JSONEncoder().encode(event)) == event)
  }

  @Test("fields of a later version are skipped", arguments: events)
  func unknownFields(event: PushEvent) throws {
    var stored = StoredEvent(event)
    var later = PayloadWriter()
    later.text(40, "new")
    later.integer(41, 7)
    stored.payload += later.bytes
    #expect(try stored.decoded(as: PushEvent.self) == event)
  }

  @Test("a payload that was cut fails and never traps", arguments: events)
  func cut(event: PushEvent) {
    let stored = StoredEvent(event)
    for length in 0..<stored.payload.count {
      let part = StoredEvent(tag: stored.tag, payload: Array(stored.payload.prefix(length)))
      #expect((try? part.decoded(as: PushEvent.self)) != event)
    }
  }

  @Test("an attempt that could not be counted up is refused", arguments: [Int.max, -1])
  func attemptOutOfRange(attempt: Int) {
    let id = PushID(producer: "p", number: 1)
    for event in [
      PushEvent.retryScheduled(id, attempt: attempt, until: .epoch, reason: ""),
      .attemptBegan(id, attempt: attempt), .attemptReturned(id, attempt: attempt, reason: ""),
    ] {
      #expect(throws: PayloadError.outOfRange(field: 3)) { try StoredEvent(event).decoded(as: PushEvent.self) }
    }
  }

  @Test(
    "the stored bytes are frozen",
    arguments: [
      (
        .settled(PushID(producer: "p", number: 2), .failed(reason: "x"), attempts: 3), 3,
        "0a01701004 1a05 0803120178 2006"
      ),
      (.declined(PushID(producer: "p", number: 2), .expired), 2, "0a01701004 1a02 0804"),
      (.settled(PushID(producer: "p", number: 2), .erased, attempts: 0), 3, "0a01701004 1a02 0808 2000"),
      (
        .erased(
          [
            ErasedPush(PushID(producer: "p", number: 2), attempts: 3),
            ErasedPush(PushID(producer: "p", number: 3), attempts: 0),
          ], state: [0x08, 0x04]), 9, "0a07 0a01701004 1806 0a05 0a01701006 1202 0804"
      ),
      (
        .retryScheduled(PushID(producer: "p", number: 2), attempt: 1, until: Timestamp(milliseconds: 64), reason: "x"),
        4,
        "0a01701004 1802 208001 2a0178"
      ),
      (
        .settled(PushID(producer: "p", number: 2), .delivered, attempts: 1, answer: "i"), 3,
        "0a01701004 1a020801 2002 2a0169"
      ),
      (
        .settled(PushID(producer: "p", number: 2), .failed(reason: "x"), attempts: 1, isDeadLetter: true), 3,
        "0a01701004 1a05 0803120178 2002 3001"
      ),
      (.attemptBegan(PushID(producer: "p", number: 2), attempt: 3), 10, "0a01701004 1806"),
      (.attemptReturned(PushID(producer: "p", number: 2), attempt: 3, reason: "x"), 11, "0a01701004 1806 2a0178"),
      (.deadLetterRetried(PushID(producer: "p", number: 2)), 12, "0a01701004"),
      (.deadLetterDropped(PushID(producer: "p", number: 2)), 13, "0a01701004"),
      (.pauseEnded(producer: "p"), 5, "0a0170"),
      (.unregistered(reason: "p"), 6, "0a0170"),
      (.registered, 7, ""),
      (.producerForgotten("p"), 8, "0a0170"),
      (
        .enqueued(
          PushMessage(
            producer: "p", number: 2, tag: "t", alert: "a", content: [0x7B, 0x7D], compactContent: [0x7B], service: "s",
            target: PushAddress(
              type: "y", deviceID: "d", provider: "v", language: "l", debug: true, authorization: "z"),
            attemptsMaximum: 3, expiry: Timestamp(milliseconds: 1), collapseKey: "k", priority: .normal)), 1,
        "0a0170 1004 1a0174 220161 2a027b7d 32017b 3a0173 4211 0a0179 120164 1a0176 22016c 2801 32017a 4806 5002 5a016b "
          + "6001"
      ),
      (
        .enqueued(
          PushMessage(
            producer: "p", number: 2, tag: "t", alert: "", content: [], service: "s",
            target: PushAddress(type: "y", deviceID: "d"), isNowOrNever: true, display: display, form: .members,
            owner: "o", registeredAt: Timestamp(milliseconds: 1))), 1,
        "0a0170 1004 1a0174 2200 2a00 3a0173 4206 0a0179 120164 4806 6002 6801 7233 0a0174 120173 1a0162 2000 2a0164 "
          + "320968747470733a2f2f69 3a027468 420163 4a0770617373697665 5001 5801 6204766f6970 7802 8201016f 880102"
      ),
    ] as [(PushEvent, EventTag, String)])
  func golden(event: PushEvent, tag: EventTag, hexadecimal: String) {
    let stored = StoredEvent(event)
    #expect(stored.tag == tag)
    let bytes = stored.payload.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    #expect(bytes == hexadecimal.replacing(" ", with: ""))
  }

  @Test("a tag or a code that this version does not know is an error")
  func unknownCodes() {
    #expect(throws: PayloadError.unknownTag(99)) { try StoredEvent(tag: 99, payload: []).decoded(as: PushEvent.self) }
    var writer = PayloadWriter()
    writer.text(1, "p")
    writer.integer(2, 1)
    writer.nested(3) { $0.unsigned(1, 99) }
    #expect(throws: PayloadError.outOfRange(field: 1)) {
      try StoredEvent(tag: 3, payload: writer.bytes).decoded(as: PushEvent.self)
    }
  }

  @Test(
    "an erasure without a state that can be read is refused",
    arguments: [
      ([], .missingField(2)), ([0x12, 0x00], .missingField(1)), ([0x12, 0x02, 0x08, 0x01], .outOfRange(field: 1)),
      ([0x12, 0x03, 0x08, 0x02, 0x12], .truncated), ([0x0A, 0x00, 0x12, 0x02, 0x08, 0x00], .missingField(1)),
    ] as [([UInt8], PayloadError)])
  func refusedErasure(payload: [UInt8], error: PayloadError) {
    #expect(throws: error) { try StoredEvent(tag: 9, payload: payload).decoded(as: PushEvent.self) }
  }

  @Test("the journal's tools print contents as text")
  func dump() throws {
    let text = String(decoding: try JSONEncoder().encode(PushEvent.enqueued(Self.full)), as: UTF8.self)
    #expect(text.contains(#""content":"{\"a\":\"б\"}""#))
  }

  @Test(
    "descriptions hold neither texts nor tokens", arguments: ["abcdefgh-SECRET-ijklmnop", "SECRET", ""])
  func descriptions(deviceID: String) {
    let shown = "fcm:…"
    let address = PushAddress(type: "fcm", deviceID: deviceID, authorization: "SECRET")
    #expect("\(address)" == shown)
    let message = PushMessage(
      producer: "SECRET", number: 4, tag: "t", alert: "SECRET", content: Array("SECRET".utf8), service: "s",
      target: address)
    #expect("\(message)" == "push 4 (t) to \(shown)")
  }
}
