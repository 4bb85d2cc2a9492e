import EventSourcing
import TestSupport
import Testing

/// Runs `body` with a reader over `bytes`, which live only that long.
func reading<Value>(
  _ bytes: [UInt8], _ body: (inout PayloadReader) throws(PayloadError) -> Value
) throws(PayloadError) -> Value {
  let result = bytes.withUnsafeBytes { raw -> Result<Value, PayloadError> in
    Result { () throws(PayloadError) in
      var reader = PayloadReader(raw)
      return try body(&reader)
    }
  }
  return try result.get()
}

func payload(_ build: (inout PayloadWriter) -> Void) -> [UInt8] {
  var writer = PayloadWriter()
  build(&writer)
  return writer.bytes
}

@Suite("Payload, written and read")
struct PayloadRoundTripTests {
  @Test("the bytes are those of Protocol Buffers")
  func wireForm() {
    let bytes = payload { writer in
      writer.unsigned(1, 150)
      writer.text(2, "testing")
      writer.integer(3, -2)
      writer.bool(16, true)
    }
    #expect(
      bytes == [0x08, 0x96, 0x01, 0x12, 0x07] + Array("testing".utf8) + [0x18, 0x03, 0x80, 0x01, 0x01])
  }

  @Test("what is absent or empty takes no room")
  func absent() {
    let bytes = payload { writer in
      writer.text(1, ifNotEmpty: "")
      writer.text(2, ifPresent: nil)
    }
    #expect(bytes.isEmpty)
    #expect(payload { $0.text(1, ifPresent: "") } == [0x0A, 0x00])
  }

  @Test(
    "numbers at the ends of their range come back",
    arguments: [0, 1, -1, 63, 64, -64, -65, 127, 128, Int64.max, .min, .max - 1, .min + 1])
  func signed(value: Int64) throws {
    let bytes = payload { writer in
      writer.signed(7, value)
      writer.unsigned(8, UInt64(bitPattern: value))
      writer.time(9, Timestamp(milliseconds: value))
    }
    try reading(bytes) { (reader: inout PayloadReader) throws(PayloadError) in
      #expect(try reader.next() == 7)
      #expect(try reader.signed() == value)
      #expect(try reader.next() == 8)
      #expect(try reader.unsigned() == UInt64(bitPattern: value))
      #expect(try reader.next() == 9)
      #expect(try reader.time() == Timestamp(milliseconds: value))
      #expect(try reader.next() == nil)
    }
  }

  @Test(
    "texts of every kind come back",
    arguments: ["", "a", "Grüße", "日本語", "👩‍👩‍👧", "a\u{0}b", "\u{FFFD}", "\u{10FFFF}"])
  func texts(text: String) throws {
    let bytes = payload { $0.text(1, text) }
    let read = try reading(bytes) { (reader: inout PayloadReader) throws(PayloadError) in
      _ = try reader.next()
      return try reader.text()
    }
    #expect(Array(read.utf8) == Array(text.utf8))
  }

  @Test("ten thousand random payloads come back", arguments: [UInt64(1), 20_260_211])
  func random(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<5_000 {
      let field = Int.random(in: 1...2_000, using: &generator)
      let number = Int64(truncatingIfNeeded: generator.next() >> UInt64.random(in: 0...63, using: &generator))
      let text = String(
        (0..<Int.random(in: 0...40, using: &generator)).map { _ in "aä日👍".randomElement(using: &generator) ?? "a" })
      let data = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      let bytes = payload { writer in
        writer.signed(field, number)
        writer.text(field + 1, text)
        writer.nested(field + 2) { inner in
          inner.data(1, data)
          inner.bool(2, number > 0)
        }
      }
      try reading(bytes) { (reader: inout PayloadReader) throws(PayloadError) in
        #expect(try reader.next() == field)
        #expect(try reader.signed() == number)
        #expect(try reader.next() == field + 1)
        #expect(try reader.text() == text)
        #expect(try reader.next() == field + 2)
        var inner = try reader.nested()
        #expect(try inner.next() == 1)
        #expect(try inner.data() == data)
        #expect(try inner.next() == 2)
        #expect(try inner.bool() == (number > 0))
        #expect(try inner.next() == nil)
        #expect(try reader.next() == nil)
      }
    }
  }

  @Test("fields that the reader does not know are skipped")
  func skipped() throws {
    let bytes = payload { writer in
      writer.unsigned(90, .max)
      writer.text(91, "from a later version")
      writer.nested(92) { $0.text(1, "deep") }
      writer.integer(1, 42)
    }
    let found = try reading(bytes) { (reader: inout PayloadReader) throws(PayloadError) -> Int? in
      var found: Int?
      while let field = try reader.next() {
        if field == 1 { found = try reader.integer() } else { try reader.skip() }
      }
      return found
    }
    #expect(found == 42)
  }

  @Test("a reused buffer starts empty")
  func reused() {
    var writer = PayloadWriter(reusing: [1, 2, 3])
    writer.bool(1, false)
    #expect(writer.bytes == [0x08, 0x00])
  }
}

@Suite("Payload, damaged or hostile")
struct HostilePayloadTests {
  private func firstFailure(_ bytes: [UInt8]) -> PayloadError? {
    do throws(PayloadError) {
      try reading(bytes) { (reader: inout PayloadReader) throws(PayloadError) in
        while try reader.next() != nil { try reader.skip() }
      }
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "each kind of damage has its error",
    arguments: [
      ([0x08], .truncated),
      ([0x08, 0x96], .truncated),
      ([0x80], .truncated),
      ([0x12, 0x07, 0x61], .truncated),
      ([0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], .truncated),
      ([0x00, 0x00], .malformed),
      ([0x02, 0x00], .malformed),
      ([0x09, 0x00], .malformed),
      ([0x0D, 0x00], .malformed),
      ([0x0F, 0x00], .malformed),
      ([0x08] + [UInt8](repeating: 0xFF, count: 9) + [0x02], .malformed),
      ([0x08] + [UInt8](repeating: 0x80, count: 10) + [0x00], .malformed),
      ([UInt8](repeating: 0xFF, count: 64), .malformed),
    ] as [([UInt8], PayloadError)])
  func damage(bytes: [UInt8], error: PayloadError) {
    #expect(firstFailure(bytes) == error)
  }

  @Test("ten bytes are the longest varint")
  func longestVarint() {
    #expect(firstFailure([0x08] + [UInt8](repeating: 0xFF, count: 9) + [0x01]) == nil)
  }

  @Test(
    "a text that is not UTF-8 is refused",
    arguments: [
      [0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
      // As long as the U+FFFD that a repair would put in its place, in a tail and in a whole word.
      [0xF0, 0x90, 0x80], Array("12345".utf8) + [0xF0, 0x90, 0x80], Array("12345678".utf8) + [0xF0, 0x90, 0x80],
    ] as [[UInt8]])
  func notUTF8(text: [UInt8]) {
    let bytes = payload { $0.data(1, text) }
    #expect(throws: PayloadError.notUTF8) {
      try reading(bytes) { (reader: inout PayloadReader) throws(PayloadError) in
        _ = try reader.next()
        return try reader.text()
      }
    }
  }

  @Test("a field read as another wire type is refused")
  func wrongType() {
    #expect(throws: PayloadError.malformed) {
      try reading(payload { $0.bool(1, true) }) { (reader: inout PayloadReader) throws(PayloadError) in
        _ = try reader.next()
        return try reader.text()
      }
    }
    #expect(throws: PayloadError.malformed) {
      try reading(payload { $0.text(1, "a") }) { (reader: inout PayloadReader) throws(PayloadError) in
        _ = try reader.next()
        return try reader.integer()
      }
    }
  }

  @Test("every prefix of a payload is read whole or refused, never past its end")
  func prefixes() {
    let bytes = payload { writer in
      writer.integer(1, 1 << 40)
      writer.text(2, "Grüße")
      writer.nested(3) { $0.text(1, "inner") }
    }
    let ends = (0...bytes.count).filter { firstFailure(Array(bytes.prefix($0))) == nil }
    #expect(ends.count == 4)
    #expect(ends.first == 0)
    #expect(ends.last == bytes.count)
  }

  @Test("random bytes never trap, whatever they are read as", arguments: [UInt64(7), 77, 777])
  func randomBytes(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var readToTheEnd = 0
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      let kinds = (0..<24).map { _ in Int.random(in: 0...6, using: &generator) }
      do throws(PayloadError) {
        try reading(bytes) { (reader: inout PayloadReader) throws(PayloadError) in
          var count = 0
          while try reader.next() != nil {
            switch kinds[count % kinds.count] {
            case 0: _ = try reader.integer()
            case 1: _ = try reader.unsigned()
            case 2: _ = try reader.bool()
            case 3: _ = try reader.text()
            case 4: _ = try reader.data()
            case 5:
              var inner = try reader.nested()
              while try inner.next() != nil { try inner.skip() }
            default: try reader.skip()
            }
            count += 1
          }
        }
        readToTheEnd += 1
      } catch {}
    }
    #expect(readToTheEnd > 0)
    #expect(readToTheEnd < 20_000)
  }
}

@Suite("Stored event")
struct StoredEventTests {
  private enum Sample: JournaledEvent {
    case counted(Int)

    var tag: EventTag { 4 }
    func encode(into writer: inout PayloadWriter) { if case .counted(let count) = self { writer.integer(1, count) } }

    init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
      guard tag == 4 else { throw .unknownTag(tag) }
      var count: Int?
      while let field = try payload.next() {
        if field == 1 { count = try payload.integer() } else { try payload.skip() }
      }
      guard let count else { throw .missingField(1) }
      self = .counted(count)
    }
  }

  @Test("an event comes back from its tag and payload")
  func roundTrip() throws {
    let stored = StoredEvent(Sample.counted(-3))
    #expect(stored == StoredEvent(tag: 4, payload: [0x08, 0x05]))
    #expect(try stored.decoded(as: Sample.self) == .counted(-3))
  }

  @Test("a tag from a later version and a field that is not there have their errors")
  func failures() {
    #expect(throws: PayloadError.unknownTag(5)) { try StoredEvent(tag: 5, payload: []).decoded(as: Sample.self) }
    #expect(throws: PayloadError.missingField(1)) { try StoredEvent(tag: 4, payload: []).decoded(as: Sample.self) }
    #expect(throws: PayloadError.truncated) { try StoredEvent(tag: 4, payload: [0x08]).decoded(as: Sample.self) }
  }
}
