import EventSourcing
import SupportDomain
import TestSupport
import Testing

@Suite("Support events and states, as the journal holds them")
struct CodecTests {
  @Test("each comes back from its bytes", arguments: CodecSample.events + CodecSample.variants + CodecSample.states)
  func roundTrip(sample: CodecSample) throws {
    #expect(try sample.isItself(sample.bytes))
    #expect(sample.survives(sample.bytes))
  }

  @Test("the bytes are frozen", arguments: zip(CodecSample.events + CodecSample.states, frozenSupport))
  func frozen(sample: CodecSample, hex: String) {
    #expect(sample.bytes.hex == hex)
  }

  @Test("the tags are frozen, and one of each kind restates all")
  func tags() {
    #expect(CodecSample.requestEvents.map(\.tag) == Array(1...11))
    #expect(CodecSample.userEvents.map(\.tag) == Array(1...9))
    #expect(CodecSample.appEvents.map(\.tag) == Array(1...4))
    #expect((0...20).filter { SupportRequestEvent.isRestatement($0) } == [9])
    #expect((0...20).filter { SupportUserEvent.isRestatement($0) } == [7])
    #expect((0...20).filter { SupportAppEvent.isRestatement($0) } == [4])
    #expect(frozenSupport.count == CodecSample.events.count + CodecSample.states.count)
  }

  @Test("fields of a later version are skipped", arguments: CodecSample.events + CodecSample.states)
  func laterVersion(sample: CodecSample) throws {
    var more = PayloadWriter()
    more.text(1_000, "from a later version")
    more.integer(1_001, 7)
    #expect(try sample.isItself(more.bytes + sample.bytes + more.bytes))
  }

  @Test("so are those of a later version's parts")
  func laterParts() throws {
    let stored = StoredEvent(tag: 4) { writer in
      writer.integer(10, 2)
      writer.nested(5) { duty in
        duty.text(99, "new")
        duty.integer(1, 8)
        duty.integer(2, 2)
        duty.nested(3) { part in
          part.unsigned(1, 1)
          part.packed(2, [1])
          part.packed(2, [2])
          part.nested(98) { $0.integer(1, 1) }
        }
      }
    }
    let part = SupportPartDraft(integration: .webhook, devices: [1, 2], language: nil)
    #expect(
      try stored.decoded(as: SupportRequestEvent.self)
        == .notificationPlanned(comment: 2, duties: [.notify(8, 2, part)]))
  }

  @Test("cut anywhere, it is refused or lacks something", arguments: CodecSample.events + CodecSample.full)
  func cut(sample: CodecSample) {
    for length in sample.bytes.indices {
      let rest = Array(sample.bytes[..<length])
      #expect((try? sample.isItself(rest)) != true && sample.survives(rest))
    }
  }

  @Test("damaged anyhow, it is refused or stays what it is", arguments: CodecSample.events + CodecSample.states)
  func damaged(sample: CodecSample) {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<2_000 where !sample.bytes.isEmpty {
      var bytes = sample.bytes
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      #expect(sample.survives(bytes), "\(bytes.hex)")
    }
  }

  struct Refusal: Sendable {
    let tag: EventTag
    let error: PayloadError
    var build: @Sendable (inout PayloadWriter) -> Void = { _ in }
  }

  static let requestRefusals: [Refusal] =
    [(1, 1), (2, 2), (4, 10), (5, 10), (6, 10), (7, 10), (8, 14), (9, 15)].map { tag, field in
      Refusal(tag: tag, error: .missingField(field))
    }
    + [-1, .min, .max, Int.max / 2].flatMap { number in
      [
        Refusal(tag: 8, error: .outOfRange(field: 14)) { $0.integer(14, number) },
        Refusal(tag: 7, error: .outOfRange(field: 13)) { $0.integer(13, number) },
        Refusal(tag: 7, error: .outOfRange(field: 10)) { $0.integer(10, number) },
        Refusal(tag: 2, error: .outOfRange(field: 1)) { $0.nested(2) { $0.integer(1, number) } },
        Refusal(tag: 4, error: .outOfRange(field: 1)) { $0.nested(5) { duty(number, &$0) } },
        Refusal(tag: 9, error: .outOfRange(field: 15)) { $0.data(15, [0x10, 1] + bytes { $0.integer(15, number) }) },
        Refusal(tag: 9, error: .outOfRange(field: 10)) { $0.data(15, [0x10, 1] + bytes { $0.integer(10, number) }) },
      ]
    }
    + [0, 7, 256, .max].map { code in
      Refusal(tag: 3, error: .outOfRange(field: 7)) { $0.unsigned(7, code) }
    } + [
      Refusal(tag: 5, error: .outOfRange(field: 11)) {
        $0.integer(10, 1)
        $0.unsigned(11, 4)
      },
      Refusal(tag: 5, error: .outOfRange(field: 12)) { $0.packed(12, [1, .max]) },
      Refusal(tag: 5, error: .truncated) { $0.data(12, [0x80]) },
      Refusal(tag: 5, error: .missingField(11)) { $0.integer(10, 1) },
      Refusal(tag: 6, error: .missingField(13)) { $0.integer(10, 1) },
      Refusal(tag: 4, error: .missingField(2)) { $0.nested(5) { $0.integer(1, 1) } },
      Refusal(tag: 4, error: .missingField(1)) { $0.nested(5) { $0.unsigned(4, 1) } },
      Refusal(tag: 4, error: .outOfRange(field: 4)) { $0.nested(5) { $0.unsigned(4, 4) } },
      Refusal(tag: 4, error: .outOfRange(field: 1)) { $0.nested(5) { $0.nested(3) { $0.unsigned(1, 4) } } },
      Refusal(tag: 1, error: .outOfRange(field: 2)) { $0.nested(1) { terms(channel: 6, subject: [], &$0) } },
      Refusal(tag: 1, error: .notUTF8) { $0.nested(1) { terms(channel: 1, subject: [0xFF], &$0) } },
      Refusal(tag: 2, error: .missingField(4)) {
        $0.nested(2) { $0.nested(6) { file in for field in 1...3 { file.text(field, "") } } }
      },
      Refusal(tag: 9, error: .missingField(2)) { $0.data(15, []) },
      Refusal(tag: 9, error: .missingField(2)) {
        $0.data(15, [0x10, 1] + bytes { $0.nested(13) { $0.integer(1, 1) } })
      },
      Refusal(tag: 0, error: .unknownTag(0)), Refusal(tag: 12, error: .unknownTag(12)),
    ]

  private static func duty(_ number: Int, _ writer: inout PayloadWriter) {
    writer.integer(1, number)
    writer.integer(2, 1)
  }

  private static func terms(channel: UInt64, subject: [UInt8], _ writer: inout PayloadWriter) {
    writer.signed(1, 7)
    writer.unsigned(2, channel)
    writer.data(4, subject)
  }

  static func bytes(_ build: (inout PayloadWriter) -> Void) -> [UInt8] {
    var writer = PayloadWriter()
    build(&writer)
    return writer.bytes
  }

  @Test("what a request cannot hold is refused, never trapped on", arguments: requestRefusals)
  func request(refusal: Refusal) {
    let stored = StoredEvent(tag: refusal.tag, refusal.build)
    #expect(throws: refusal.error) { try stored.decoded(as: SupportRequestEvent.self) }
  }

  static let userRefusals: [Refusal] =
    [(1, 1), (2, 1), (3, 2), (4, 4), (5, 5), (6, 5), (7, 8)].map { tag, field in
      Refusal(tag: tag, error: .missingField(field))
    } + [
      Refusal(tag: 1, error: .outOfRange(field: 1)) { $0.nested(1) { $0.unsigned(1, 5) } },
      Refusal(tag: 1, error: .missingField(3)) { $0.nested(1) { $0.unsigned(1, 1) } },
      Refusal(tag: 1, error: .missingField(2)) { $0.nested(1) { $0.unsigned(1, 2) } },
      Refusal(tag: 4, error: .outOfRange(field: 1)) { $0.nested(4) { $0.integer(1, -1) } },
      Refusal(tag: 4, error: .outOfRange(field: 3)) { $0.data(4, device(platform: 3, address: 1)) },
      Refusal(tag: 4, error: .outOfRange(field: 4)) { $0.data(4, device(platform: 1, address: 0)) },
      Refusal(tag: 4, error: .missingField(10)) { $0.data(4, device(platform: 1, address: 1)) },
      Refusal(tag: 6, error: .outOfRange(field: 7)) {
        $0.integer(5, 1)
        $0.unsigned(7, 7)
      },
      Refusal(tag: 6, error: .outOfRange(field: 5)) { $0.integer(5, .max) },
      Refusal(tag: 7, error: .outOfRange(field: 4)) { $0.data(8, bytes { $0.integer(4, -1) }) },
      Refusal(tag: 8, error: .missingField(9)), Refusal(tag: 9, error: .missingField(9)),
      Refusal(tag: 10, error: .unknownTag(10)),
    ]

  /// A device that has ended nobody knows when.
  private static func device(platform: UInt64, address: UInt64) -> [UInt8] {
    bytes { device in
      device.integer(1, 1)
      device.text(2, "a")
      device.unsigned(3, platform)
      device.unsigned(4, address)
      device.text(5, "de")
      device.text(6, "mobile")
      device.time(7, .epoch)
      device.time(8, .epoch)
      device.unsigned(9, 1)
    }
  }

  @Test("what a user cannot hold is refused, never trapped on", arguments: userRefusals)
  func user(refusal: Refusal) {
    let stored = StoredEvent(tag: refusal.tag, refusal.build)
    #expect(throws: refusal.error) { try stored.decoded(as: SupportUserEvent.self) }
  }

  static let appRefusals: [Refusal] =
    [(1, 1), (2, 2), (3, 4), (4, 5)].map { tag, field in Refusal(tag: tag, error: .missingField(field)) } + [
      Refusal(tag: 1, error: .outOfRange(field: 1)) { $0.unsigned(1, 4) },
      Refusal(tag: 2, error: .missingField(1)) { $0.nested(2) { $0.text(4, "ops") } },
      Refusal(tag: 4, error: .missingField(2)) { $0.data(5, bytes { $0.nested(3) { $0.text(1, "https://host") } }) },
      Refusal(tag: 5, error: .unknownTag(5)),
    ]

  @Test("what an app cannot hold is refused, never trapped on", arguments: appRefusals)
  func app(refusal: Refusal) {
    let stored = StoredEvent(tag: refusal.tag, refusal.build)
    #expect(throws: refusal.error) { try stored.decoded(as: SupportAppEvent.self) }
  }
}

extension [UInt8] {
  var hex: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
