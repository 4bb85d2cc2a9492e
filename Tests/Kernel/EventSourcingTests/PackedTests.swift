import EventSourcing
import TestSupport
import Testing

@Suite("Payload, packed numbers")
struct PackedTests {
  private func bytes(_ build: (inout PayloadWriter) -> Void) -> [UInt8] {
    var writer = PayloadWriter()
    build(&writer)
    return writer.bytes
  }

  private func lists(_ bytes: [UInt8]) throws(PayloadError) -> [[UInt64]] {
    try bytes.withUnsafeBufferPointer { bytes throws(PayloadError) in
      var reader = PayloadReader(UnsafeRawBufferPointer(bytes))
      var lists: [[UInt64]] = []
      while try reader.next() != nil { lists.append(try reader.packed()) }
      return lists
    }
  }

  @Test("the bytes are those of Protocol Buffers")
  func layout() {
    #expect(bytes { $0.packed(4, [3, 270, 86_942]) } == [0x22, 0x06, 0x03, 0x8E, 0x02, 0x9E, 0xA7, 0x05])
    #expect(bytes { $0.packed(4, []) }.isEmpty)
  }

  @Test(
    "every length of number comes back",
    arguments: [[0], [127], [128], [.max], [0, 0, 0], (0..<64).map { 1 << $0 }, (1..<64).map { (1 << $0) - 1 }])
  func roundTrip(values: [UInt64]) throws {
    #expect(try lists(bytes { $0.packed(1, values) }) == [values])
  }

  @Test("what is cut, too long or no list is refused")
  func refused() {
    #expect(throws: PayloadError.truncated) { try lists([0x0A, 0x02, 0x01]) }
    #expect(throws: PayloadError.truncated) { try lists([0x0A, 0x01, 0x80]) }
    #expect(throws: PayloadError.malformed) { try lists([0x0A, 0x0B] + Array(repeating: 0x80, count: 10) + [1]) }
    #expect(throws: PayloadError.malformed) { try lists([0x08, 0x01]) }
  }

  @Test("random lists come back, and random bytes never trap", arguments: [UInt64(7), 77])
  func random(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let values = (0..<Int.random(in: 1...20, using: &generator)).map { _ in
        generator.next() >> UInt64.random(in: 0...63, using: &generator)
      }
      #expect(try lists(bytes { $0.packed(3, values) }) == [values])
      _ = try? lists((0..<20).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }
  }
}
