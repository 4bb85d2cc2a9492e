import TestSupport
import Testing

@testable import JournalFormat

@Suite("Record index, its bytes")
struct RecordIndexFormatTests {
  /// The vectors of the authors of SipHash-2-4: key 00 01 … 0f, input 00 01 ….
  @Test(
    "terms are hashed by SipHash-2-4",
    arguments: [
      (0, 0x726f_db47_dd0e_0e31), (1, 0x74f8_39c5_93dc_67fd), (7, 0xab02_00f5_8b01_d137), (8, 0x93f5_f579_9a93_2462),
      (15, 0xa129_ca61_49be_45e5),
    ] as [(Int, UInt64)])
  func sipHash(count: Int, expected: UInt64) {
    let key = RecordIndexKey(low: 0x0706_0504_0302_0100, high: 0x0f0e_0d0c_0b0a_0908)
    #expect((0..<count).map { UInt8($0) }.withUnsafeBytes { key.hash($0) } == expected)
  }

  @Test("a term of another space, or under another key, is another one")
  func spaces() {
    let (key, other) = (RecordIndexKey(low: 1, high: 2), RecordIndexKey(low: 1, high: 3))
    #expect(key.hash(space: 1, "mia") == key.hash(space: 1, "mia"))
    #expect(key.hash(space: 1, "mia") != key.hash(space: 2, "mia"))
    #expect(key.hash(space: 1, "mia") != other.hash(space: 1, "mia"))
    #expect(key.check != other.check)
  }

  @Test("the key's file is read as it was written, and with any bit flipped not at all")
  func keyFile() {
    let key = RecordIndexKey(low: 0x1234_5678_9abc_def0, high: 42)
    let bytes = key.encoded()
    #expect(bytes.withUnsafeBytes { RecordIndexKey.decode($0) } == key)
    for bit in 0..<(bytes.count * 8) {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(flipped.withUnsafeBytes { RecordIndexKey.decode($0) } == nil, "bit \(bit)")
    }
    for count in 0..<bytes.count {
      #expect(bytes[..<count].withUnsafeBytes { RecordIndexKey.decode($0) } == nil)
    }
  }

  // MARK: Parts

  private static let seed: UInt32 = 77

  /// A part over random pairs, and what each term has.
  private static func part(
    _ generator: inout SeededGenerator, pairs count: Int, terms: Int
  ) -> (bytes: [UInt8], positions: [UInt64: Set<UInt64>]) {
    let first = UInt64.random(in: 1...1_000_000, using: &generator)
    var encoder = RecordIndexPartEncoder(firstPosition: first, starts: StartDetector(), isPacked: false)
    let records = Int.random(in: 1...max(1, count), using: &generator)
    encoder.add(Self.frame(first, records), segmentNumber: 3)
    let known = (0..<terms).map { _ in generator.next() }
    var positions: [UInt64: Set<UInt64>] = [:]
    for _ in 0..<count {
      guard let term = known.randomElement(using: &generator) else { break }
      let position = first + UInt64.random(in: 0..<UInt64(records), using: &generator)
      encoder.add(term, of: position)
      positions[term, default: []].insert(position)
    }
    return (encoder.encoded(seed: seed), positions)
  }

  private static func frame(_ first: UInt64, _ records: Int) -> ScannedFrame {
    ScannedFrame(
      header: FrameHeader(
        bodyByteCount: records * 32, plainByteCount: records * 16, recordCount: records, codec: .raw, flags: .restart,
        firstPosition: first, timeMilliseconds: 5, durablePosition: first - 1, durableOffset: 0, epoch: 1,
        chainHash: .zero),
      offset: 4096)
  }

  private static func decode(_ bytes: [UInt8]) -> RecordIndexPart? {
    bytes.withUnsafeBytes { bytes in
      guard let rows = RecordIndexPart.rowsByteCount(head: bytes), rows <= bytes.count else { return nil }
      return RecordIndexPart.decode(bytes.slice(0..<rows), seed: seed)?.part
    }
  }

  private static func positions(of term: UInt64, in part: RecordIndexPart, _ bytes: [UInt8]) -> [UInt64]? {
    guard let block = part.block(of: term) else { return [] }
    return bytes[block].withUnsafeBytes { part.positions(of: term, in: $0) }
  }

  @Test("each term finds its records and no other does, as in a table", arguments: 1...40)
  func lookUp(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let count = [0, 1, 7, 300, 5_000, 40_000][Int(seed % 6)]
    let (bytes, expected) = Self.part(&generator, pairs: count, terms: max(1, count / Int(1 + seed % 9)))
    let part = try #require(Self.decode(bytes))
    #expect(part.byteCount == bytes.count)
    for (term, positions) in expected { #expect(Self.positions(of: term, in: part, bytes) == positions.sorted()) }
    for term in [0, .max] + expected.keys.prefix(50).flatMap({ [$0 &- 1, $0 &+ 1] }) where expected[term] == nil {
      #expect(Self.positions(of: term, in: part, bytes) == [])
    }
  }

  @Test("a term that all records have is found in one block, however long")
  func everywhere() throws {
    var encoder = RecordIndexPartEncoder(firstPosition: 5, starts: StartDetector(), isPacked: true)
    encoder.add(Self.frame(5, 60_000), segmentNumber: 1)
    for position in UInt64(5)..<60_005 {
      encoder.add(7, of: position)
      encoder.add(position &* 0x9E37_79B9_7F4A_7C15, of: position)
    }
    let bytes = encoder.encoded(seed: Self.seed)
    let part = try #require(Self.decode(bytes))
    #expect(Self.positions(of: 7, in: part, bytes) == Array(5..<60_005))
    #expect(part.restartPoints.isEmpty)
  }

  @Test("no flipped bit, and no cut, makes it say something else")
  func damage() throws {
    var generator = SeededGenerator(seed: 4)
    let (bytes, expected) = Self.part(&generator, pairs: 2_000, terms: 300)
    for _ in 0..<300 {
      var broken = bytes
      let bit = Int.random(in: 0..<(bytes.count * 8), using: &generator)
      broken[bit / 8] ^= 1 << UInt8(bit % 8)
      guard let part = Self.decode(broken) else { continue }
      for (term, positions) in expected {
        // It says that it does not know, or what it said.
        let found = Self.positions(of: term, in: part, broken)
        #expect(found == nil || found == positions.sorted(), "bit \(bit)")
      }
    }
    for count in 0..<RecordIndexPart.headByteCount { #expect(Self.decode(Array(bytes[..<count])) == nil) }
  }

  @Test("it is believed only behind the part that it was written behind")
  func order() {
    var generator = SeededGenerator(seed: 9)
    let (bytes, _) = Self.part(&generator, pairs: 10, terms: 3)
    bytes.withUnsafeBytes { bytes in
      let rows = RecordIndexPart.rowsByteCount(head: bytes) ?? 0
      #expect(RecordIndexPart.decode(bytes.slice(0..<rows), seed: Self.seed) != nil)
      #expect(RecordIndexPart.decode(bytes.slice(0..<rows), seed: Self.seed + 1) == nil)
    }
  }

  @Test("what is known of starts of the server goes on behind a part")
  func starts() throws {
    var detector = StartDetector()
    for index in 0..<3 {
      var frame = Self.frame(UInt64(1 + index * 10), 10).header
      if index > 0 { frame.flags = [] }
      _ = detector.frame(frame, segmentNumber: 4)
    }
    var encoder = RecordIndexPartEncoder(firstPosition: 31, starts: detector, isPacked: false)
    let bytes = encoder.encoded(seed: Self.seed)
    let part = try #require(Self.decode(bytes))
    #expect(part.starts == detector)
    var read = part.starts
    var next = Self.frame(31, 5).header
    next.timeMilliseconds = 9_000
    let silence = read.frame(next, segmentNumber: 4)
    #expect(silence?.position == 31 && silence?.from == 5 && silence?.to == 9_000)
  }
}
