import CallbackDomain
import EventSourcing
import Testing

@Suite("Callback events, as the journal holds them")
struct CallbackPayloadTests {
  /// Everything that a request can hold.
  static let request: CallbackRequest = {
    var request = CallbackRig.request(
      .userOriginated, .chat, waits: true, confirms: true, code: true,
      device: CallbackDevice(type: "ios", deviceID: "device-77", provider: "apns", language: "de", debug: true),
      desired: 600)
    request.fields.append(NameValuePair("müde", ""))
    request.isUserKeyMade = true
    request.slot = CallbackRig.time(600)
    request.accessCode = "4711"
    request.accessNumber = "+4930555010"
    request.priority = -2
    request.language = "de"
    return request
  }()

  private static let later = CallbackRig.time(7_200)

  /// One of each, in the order of the tags.
  static let events: [CallbackEvent] = [
    .created(request, expiresAt: later, dueAt: CallbackRig.time(480)),
    .cameDue,
    .agentReserved(agentID: "a", until: later),
    .confirmationAsked(attempt: 3, until: later, push: CallbackPush(5, .confirm, until: 40)),
    .routed(.agentReady, push: CallbackPush(6, .startChat)),
    .snoozed(until: later),
    .snoozeEnded,
    .agentAccepted(agentID: "a", until: later),
    .agentReleased(agentID: "a", .timeout),
    .connected(agentID: "a"),
    .completed(.cancelled, note: "why", keptUntil: later),
    .rescheduled(
      CallbackSchedule(desiredTime: later, slot: later), expiresAt: later, dueAt: CallbackRig.time(7_080)),
    .fieldsChanged([NameValuePair("a", "1"), NameValuePair("b", "")]),
    .pushHandedOver(number: 9),
    .forgotten,
    .erased(state: [0x08, 0x05]),
    .alarmPutOff,
    .keyIssued("key"),
  ]

  private static let variants: [CallbackEvent] = [
    .created(CallbackRequest(serviceName: "", userKey: ""), expiresAt: later, dueAt: nil),
    .agentReserved(agentID: "", until: nil), .agentAccepted(agentID: "a", until: nil),
    .confirmationAsked(attempt: 1, until: Timestamp(milliseconds: .min), push: nil), .routed(.immediate, push: nil),
    .completed(.error, note: "", keptUntil: Timestamp(milliseconds: .max)),
    .rescheduled(CallbackSchedule(desiredTime: nil, slot: nil), expiresAt: later, dueAt: nil), .fieldsChanged([]),
  ]

  @Test("every event comes back from its payload", arguments: events + variants)
  func roundTrip(event: CallbackEvent) throws {
    #expect(try StoredEvent(event).decoded(as: CallbackEvent.self) == event)
  }

  @Test("every code of every enumeration comes back")
  func enumerations() throws {
    var events: [CallbackEvent] = []
    events += (UInt8(1)...5).compactMap { CallbackRouting(rawValue: $0) }.map { .routed($0, push: nil) }
    events += (UInt8(1)...3).compactMap { CallbackRelease(rawValue: $0) }.map { .agentReleased(agentID: "a", $0) }
    events += CallbackReason.allCases.map { .completed($0, note: "", keptUntil: Self.later) }
    events += CallbackDialog.allCases.map { .routed(.confirmed, push: CallbackPush(1, $0)) }
    for direction in CallDirection.allCases {
      for media in CallbackMedia.allCases {
        events.append(.created(CallbackRig.request(direction, media), expiresAt: Self.later, dueAt: nil))
      }
    }
    #expect(events.count == 5 + 3 + 9 + 6 + 4)
    for event in events { #expect(try StoredEvent(event).decoded(as: CallbackEvent.self) == event) }
  }

  @Test("the tags are frozen, and one of them restates all")
  func tags() {
    #expect(Self.events.map(\.tag) == Array(1...18))
    #expect(frozenCallbackPayloads.count == 18 && frozenCallbackStates.count == Stage.allCases.count)
    #expect((0...20).filter { CallbackEvent.isRestatement($0) } == [16])
  }

  @Test("the bytes are frozen", arguments: zip(events, frozenCallbackPayloads))
  func bytes(event: CallbackEvent, hex: String) {
    #expect(StoredEvent(event).payload.hex == hex)
  }

  @Test("fields of a later version are skipped", arguments: events)
  func laterVersion(event: CallbackEvent) throws {
    var stored = StoredEvent(event)
    var more = PayloadWriter()
    more.text(1_000, "from a later version")
    more.integer(1_001, 7)
    stored.payload = more.bytes + stored.payload + more.bytes
    #expect(try stored.decoded(as: CallbackEvent.self) == event)
  }

  @Test("a payload without what every version writes is refused", arguments: events)
  func missing(event: CallbackEvent) throws {
    let stored = StoredEvent(tag: event.tag, payload: [])
    switch event {
    case .cameDue, .snoozeEnded, .fieldsChanged, .forgotten, .alarmPutOff:
      #expect(try stored.decoded(as: CallbackEvent.self).tag == event.tag)
    default:
      #expect { try stored.decoded(as: CallbackEvent.self) } throws: {
        if case PayloadError.missingField? = $0 as? PayloadError { true } else { false }
      }
    }
  }

  @Test("a payload cut anywhere is refused or lacks something, never trapped on", arguments: events)
  func cut(event: CallbackEvent) {
    let stored = StoredEvent(event)
    for length in stored.payload.indices {
      let rest = StoredEvent(tag: stored.tag, payload: Array(stored.payload[..<length]))
      #expect((try? rest.decoded(as: CallbackEvent.self)) != event)
    }
  }

  @Test("numbers out of range are refused, never trapped on")
  func outOfRange() {
    func refused(_ tag: EventTag, _ error: PayloadError, _ build: (inout PayloadWriter) -> Void) {
      var writer = PayloadWriter()
      build(&writer)
      let stored = StoredEvent(tag: tag, payload: writer.bytes)
      #expect(throws: error) { try stored.decoded(as: CallbackEvent.self) }
    }
    for code in [UInt64(0), 6, 256, .max] { refused(5, .outOfRange(field: 8)) { $0.unsigned(8, code) } }
    for code in [UInt64(0), 4, 257] { refused(9, .outOfRange(field: 8)) { $0.unsigned(8, code) } }
    for code in [UInt64(0), 10] { refused(11, .outOfRange(field: 8)) { $0.unsigned(8, code) } }
    for count in [-1, Int.min, .max] { refused(14, .outOfRange(field: 6)) { $0.integer(6, count) } }
    refused(5, .outOfRange(field: 2)) { $0.nested(7) { $0.unsigned(2, 7) } }
    refused(1, .outOfRange(field: 3)) { $0.nested(1) { $0.unsigned(3, 3) } }
    refused(1, .missingField(1)) { $0.nested(1) { $0.nested(7) { $0.text(2, "v") } } }
    refused(1, .missingField(2)) { $0.nested(1) { $0.nested(9) { $0.text(1, "ios") } } }
    refused(16, .missingField(1)) { $0.data(13, []) }
    refused(16, .outOfRange(field: 1)) { $0.data(13, [0x08, 0x06]) }
    refused(16, .truncated) { $0.data(13, [0x08, 0x05, 0x22, 0x03, 0x73]) }
    refused(0, .unknownTag(0)) { _ in }
    refused(19, .unknownTag(19)) { _ in }
  }
}

extension [UInt8] {
  var hex: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }

  init(hex: String) {
    let digits = hex.compactMap(\.hexDigitValue)
    self = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
  }
}
