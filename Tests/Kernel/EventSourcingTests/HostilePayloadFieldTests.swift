import EventSourcing
import TestSupport
import Testing

@Suite("Payload fields, damaged or hostile")
struct HostilePayloadFieldTests {
  @Test("damage anywhere is found before any value is read")
  func damage() {
    let whole = payload { writer in
      writer.put(Field.text, "a")
      writer.put(Field.slow, "b")
    }
    for (bytes, expected) in [
      ([0x0A], .truncated), ([0x0A, 0x02, 0x61], .truncated), ([0x08, 0x80], .truncated), ([0x00, 0x00], .malformed),
      ([0x0D], .malformed),
    ] as [([UInt8], PayloadError)] {
      #expect(failure(whole + bytes) { _ in } == expected)
    }
  }

  @Test("a value that its kind does not have is refused, with the field's number")
  func outOfRange() {
    func refused(
      _ expected: PayloadError, _ bytes: [UInt8], _ body: (PayloadFields) throws -> Void,
      location: SourceLocation = #_sourceLocation
    ) {
      #expect(failure(bytes, body) == expected, sourceLocation: location)
    }
    refused(.outOfRange(field: 8), payload { $0.integer(8, -1) }) { _ = try $0[Field.count] }
    refused(.outOfRange(field: 8), payload { $0.integer(8, .max) }) { _ = try $0[Field.count] }
    refused(.outOfRange(field: 9), payload { $0.integer(9, -1) }) { _ = try $0[Field.ordinal] }
    refused(.outOfRange(field: 9), payload { $0.integer(9, 1 << 31) }) { _ = try $0[Field.ordinal] }
    refused(.outOfRange(field: 10), payload { $0.unsigned(10, 2) }) { _ = try $0[Field.color] }
    // Its low byte would be one.
    refused(.outOfRange(field: 10), payload { $0.unsigned(10, 257) }) { _ = try $0.required(Field.color) }
    refused(.outOfRange(field: 11), payload { $0.unsigned(11, 2) }) { _ = try $0[Field.word] }
    refused(.outOfRange(field: 14), payload { $0.packed(14, [1 << 31]) }) { _ = try $0.all(Field.ordinals) }
    refused(.outOfRange(field: 15), payload { $0.packed(15, [1, 2]) }) { _ = try $0.all(Field.colors) }
    refused(.malformed, payload { $0.bool(1, true) }) { _ = try $0[Field.text] }
    refused(.malformed, payload { $0.text(9, "") }) { _ = try $0.all(Field.ordinal) }
    refused(.malformed, payload { $0.bool(4_000, true) }) { _ = try $0[Field.slow] }
    refused(.notUTF8, payload { $0.data(4_000, [0xFF]) }) { _ = try $0[Field.slow] }
    refused(.missingField(1), payload { $0.data(12, []) }) { _ = try $0[Field.part] }
  }

  @Test("fields that nobody asks for are skipped, whatever they hold")
  func skipped() throws {
    let bytes = payload { writer in
      writer.data(1, [0xFF])
      writer.integer(9, -1)
      writer.put(Field.time, .epoch)
      writer.text(5_000, "from a later version")
    }
    #expect(try fields(bytes) { read throws(PayloadError) in try read[Field.time] } == .epoch)
  }

  @Test("random bytes never trap, and what is found is what a walk finds", arguments: [UInt64(7), 77, 777])
  func randomBytes(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var found = 0
    // Keys of the fields 1, 2 and 32, small lengths, and anything.
    let likely: [UInt8] = [0x08, 0x0A, 0x10, 0x80, 0x02, 0x01]
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
        (likely + [UInt8.random(in: 0...255, using: &generator)]).randomElement(using: &generator) ?? 0
      }
      let number = [1, 2, 32].randomElement(using: &generator) ?? 1
      let field = PayloadField<UInt64>(number)
      let walked = Result { () throws(PayloadError) in try walk(bytes, number) }
      let read = Result { () throws(PayloadError) in
        try fields(bytes) { read throws(PayloadError) in
          let all = try read.all(field)
          #expect(try read[field] == all.last)
          return all
        }
      }
      switch (walked, read) {
      case (.success(let walked), .success(let read)):
        #expect(walked == read)
        found += walked.count
      case (.failure, .failure): break
      default: Issue.record("\(bytes): \(walked), \(read)")
      }
    }
    #expect(found > 100)
  }

  private func walk(_ bytes: [UInt8], _ number: Int) throws(PayloadError) -> [UInt64] {
    try reading(bytes) { (reader: inout PayloadReader) throws(PayloadError) in
      var values: [UInt64] = []
      while let field = try reader.next() {
        if field == number { values.append(try reader.unsigned()) } else { try reader.skip() }
      }
      return values
    }
  }
}
