import EventSourcing
import Testing

@Suite("Payload fields, written and read")
struct PayloadFieldTests {
  @Test("each kind is written as its bare bytes")
  func bytes() {
    let bare = payload { writer in
      writer.text(1, "ü")
      writer.bool(2, false)
      writer.integer(3, -5)
      writer.signed(4, .min)
      writer.unsigned(5, .max)
      writer.time(6, Timestamp(milliseconds: -1))
      writer.data(7, [0, 255])
      writer.integer(8, 70)
      writer.integer(9, 71)
      writer.unsigned(10, 200)
      writer.unsigned(11, 300)
      writer.data(12, [0x0A, 0x01, 0x61])
      writer.packed(13, [.max, 0])
      writer.packed(14, [1, 2])
      writer.packed(15, [200, 1])
      writer.data(16, [0x08, 0x02])
      writer.integer(32, 1)
    }
    let written = payload { writer in
      writer.put(Field.text, "ü")
      writer.put(Field.flag, false)
      writer.put(Field.whole, -5)
      writer.put(Field.signed, .min)
      writer.put(Field.unsigned, .max)
      writer.put(Field.time, Timestamp(milliseconds: -1))
      writer.put(Field.data, [0, 255])
      writer.put(Field.count, 70)
      writer.put(Field.ordinal, 71)
      writer.put(Field.color, .blue)
      writer.put(Field.word, .yes)
      writer.put(Field.part, Part("a"))
      writer.put(Field.numbers, [.max, 0])
      writer.put(Field.ordinals, [1, 2])
      writer.put(Field.colors, [.blue, .red])
      writer.put(Field.nested) { $0.put(PayloadField<Int>(1), 1) }
      writer.put(Field.firstSlow, 1)
    }
    #expect(written == bare)
  }

  @Test("each kind comes back")
  func values() throws {
    let bytes = payload { writer in
      writer.put(Field.text, "ü")
      writer.put(Field.flag, true)
      writer.put(Field.whole, .min)
      writer.put(Field.signed, .max)
      writer.put(Field.unsigned, .max)
      writer.put(Field.time, Timestamp(milliseconds: -1))
      writer.put(Field.data, [0, 255])
      writer.put(Field.count, Int.max / 2 - 1)
      writer.put(Field.ordinal, Int(Int32.max))
      writer.put(Field.color, .blue)
      writer.put(Field.word, .yes)
      writer.put(Field.part, Part("a", [Part("b"), Part("c", [Part("")])]))
      writer.put(Field.numbers, [.max, 0])
      writer.put(Field.ordinals, [1, Int(Int32.max)])
      writer.put(Field.colors, [.blue, .red])
      writer.put(Field.nested) { $0.put(Field.whole, 8) }
      writer.put(Field.lastQuick, 31)
      writer.put(Field.firstSlow, 32)
      writer.put(Field.slow, "far")
    }
    try fields(bytes) { read throws(PayloadError) in
      #expect(try read[Field.text] == "ü")
      #expect(try read[Field.flag] == true)
      #expect(try read[Field.whole] == .min)
      #expect(try read[Field.signed] == .max)
      #expect(try read[Field.unsigned] == .max)
      #expect(try read[Field.time] == Timestamp(milliseconds: -1))
      #expect(try read[Field.data] == [0, 255])
      #expect(try read[Field.count] == Int.max / 2 - 1)
      #expect(try read[Field.ordinal] == Int(Int32.max))
      #expect(try read[Field.color] == .blue)
      #expect(try read[Field.word] == .yes)
      #expect(try read.required(Field.part) == Part("a", [Part("b"), Part("c", [Part("")])]))
      #expect(try read.all(Field.numbers) == [.max, 0])
      #expect(try read.all(Field.ordinals) == [1, Int(Int32.max)])
      #expect(try read.all(Field.colors) == [.blue, .red])
      var nested = try read[Field.nested].required(Field.nested)
      #expect(try PayloadFields(&nested)[Field.whole] == 8)
      #expect(try read[Field.lastQuick] == 31)
      #expect(try read.required(Field.firstSlow) == 32)
      #expect(try read.required(Field.slow) == "far")
    }
  }

  @Test("what is usual, empty or absent takes no room and comes back as nothing")
  func absent() throws {
    let bytes = payload { writer in
      writer.put(Field.text, ifNotEmpty: "")
      writer.put(Field.data, ifNotEmpty: [])
      writer.put(Field.flag, ifTrue: false)
      writer.put(Field.time, ifPresent: nil)
      writer.put(Field.count, 0, unless: 0)
      writer.put(Field.color, .red, unless: .red)
      writer.put(each: Field.part, [])
      writer.put(Field.numbers, [])
    }
    #expect(bytes.isEmpty)
    try fields([]) { read throws(PayloadError) in
      #expect(try read[Field.text] == nil)
      #expect(try read[Field.slow] == nil)
      #expect(try read[Field.nested] == nil)
      #expect(try read.all(Field.part).isEmpty)
      #expect(try read.all(Field.ordinals).isEmpty)
    }
    #expect(failure([]) { _ = try $0.required(Field.color) } == .missingField(10))
    #expect(failure([]) { _ = try $0.required(Field.slow) } == .missingField(4_000))
    #expect(payload { $0.put(Field.text, ifPresent: "") } == [0x0A, 0x00])
    #expect(payload { $0.put(Field.count, 1, unless: 0) } == [0x40, 0x02])
  }

  @Test("of a field that comes twice the last stands, and a list is all of them in their order")
  func repeated() throws {
    let bytes = payload { writer in
      for number in 1...3 {
        writer.put(Field.text, "\(number)")
        writer.put(Field.slow, "\(-number)")
        writer.put(Field.ordinals, [number, 0])
        writer.put(Field.nested) { $0.put(Field.whole, number) }
      }
    }
    try fields(bytes) { read throws(PayloadError) in
      #expect(try read[Field.text] == "3")
      #expect(try read[Field.slow] == "-3")
      #expect(try read.all(Field.text) == ["1", "2", "3"])
      #expect(try read.all(Field.slow) == ["-1", "-2", "-3"])
      #expect(try read.all(Field.ordinals) == [1, 0, 2, 0, 3, 0])
      var numbers: [Int?] = []
      for var message in try read.all(Field.nested) { numbers.append(try PayloadFields(&message)[Field.whole]) }
      #expect(numbers == [1, 2, 3])
    }
  }

  @Test("the lengths of messages at the borders of a byte come back", arguments: [0, 127, 128, 129, 16_383, 16_384])
  func lengths(count: Int) throws {
    let data = [UInt8](repeating: 7, count: count)
    let nested = payload { writer in
      writer.nested(1) { $0.data(9, data) }
      writer.text(2, "behind")
    }
    let inner = payload { $0.data(9, data) }
    let flat = payload { writer in
      writer.data(1, inner)
      writer.text(2, "behind")
    }
    #expect(nested == flat)
  }

  @Test("a part is bytes for itself too")
  func part() throws {
    let part = Part("a", [Part("b")])
    #expect(try Part(bytes: part.bytes) == part)
    #expect(throws: PayloadError.missingField(1)) { try Part(bytes: []) }
  }
}
