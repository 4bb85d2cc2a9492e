import Journal
import TestSupport
import Testing

@testable import JournalFormat

@Suite("Journal format 1")
struct FormatTests {
  @Test("a segment header comes back as it went")
  func headerRoundTrip() throws {
    let header = SegmentHeader(
      segmentByteCount: 65536, number: 9, id: SegmentID(high: 1, low: .max), previousID: SegmentID(high: 3, low: 4),
      firstPosition: 77, createdMilliseconds: -5, nodeID: .max, epoch: .max,
      previousHash: Hash256(a: 1, b: 2, c: 3, d: 4))
    let (page, seed) = header.encoded()
    let decoded = try page.withUnsafeBytes { try SegmentHeader.decode($0) }
    #expect(decoded.header == header)
    #expect(decoded.seed == seed)
  }

  @Test("records come back as they went, whatever their size", arguments: 1...20)
  func recordsRoundTrip(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var builder = SegmentBuilder(byteCount: 1024 * 1024, seed: seed)
    var all: [PendingRecord] = []
    while builder.room > 128 * 1024 {
      var unit = sampleRecords(Int.random(in: 1...60, using: &generator), seed: seed, from: all.count)
      let edge = Int.random(in: 0..<unit.count, using: &generator)
      unit[edge].payload = (0..<Int.random(in: 0...20_000, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      unit[edge].sequence = .max
      unit[edge].timeMilliseconds = [Int64.min, .max, 0, -1].randomElement(using: &generator) ?? 0
      unit[edge].key = String(repeating: "k", count: Int.random(in: 0...1024, using: &generator))
      try builder.add(unit)
      all += unit
    }
    let found = try builder.bytes.withUnsafeBytes { try records(in: $0) }
    #expect(found == all)
  }

  @Test("frames after a restart point refer back, and 256 KiB later a new restart point stands")
  func restartPoints() throws {
    var builder = SegmentBuilder(byteCount: 4 * 1024 * 1024)
    var count = 0
    while builder.room > 2 * 1024 * 1024 {
      try builder.add(sampleRecords(200, from: count))
      count += 200
    }
    try builder.bytes.withUnsafeBytes { bytes in
      var scanner = try SegmentScanner(bytes)
      var plain = Int.max
      var restarts = 0
      while let frame = try scanner.next() {
        #expect(frame.header.flags.contains(.restart) == (plain >= FormatLimits.restartByteCount))
        if frame.header.flags.contains(.restart) {
          plain = 0
          restarts += 1
        }
        plain += frame.header.plainByteCount
      }
      #expect(restarts > 2)
    }
  }

  @Test("a reader may enter at any restart point")
  func entersAtRestartPoint() throws {
    var builder = SegmentBuilder(byteCount: 4 * 1024 * 1024)
    var count = 0
    while builder.room > 2 * 1024 * 1024 {
      try builder.add(sampleRecords(200, from: count))
      count += 200
    }
    try builder.bytes.withUnsafeBytes { bytes in
      var scanner = try SegmentScanner(bytes)
      var frames: [ScannedFrame] = []
      while let frame = try scanner.next() { frames.append(frame) }
      let entry = try #require(frames.lastIndex { $0.header.flags.contains(.restart) })
      #expect(entry > 0)
      var decoder = FrameDecoder()
      var positions: [UInt64] = []
      for frame in frames[entry...] {
        try decoder.forEachRecord(of: frame, in: bytes) { positions.append($0.position) }
      }
      #expect(positions == Array(frames[entry].header.firstPosition...UInt64(count)))
      var late = FrameDecoder()
      #expect(throws: FormatError.restartPointMissing) { try late.forEachRecord(of: frames[1], in: bytes) { _ in } }
    }
  }

  @Test("a small event in a chat takes less than half its bytes beside its salt")
  func compactness() throws {
    var builder = SegmentBuilder()
    try builder.add(sampleRecords(100))
    let before = builder.offset
    let unit = sampleRecords(64, from: 100)
    try builder.add(unit)
    let plain = unit.reduce(0) { $0 + $1.payload.count + $1.key.utf8.count }
    #expect(builder.offset - before < plain / 2 + 64 * 16 + FrameHeader.byteCount + 64 * 10)
  }

  @Test("CRC-32C is the published one, in both ways of computing it")
  func checksum() {
    // RFC 3720, B.4.
    #expect(Array("123456789".utf8).withUnsafeBytes { $0.checksum(seed: 0) } == 0xE306_9283)
    #expect([UInt8](repeating: 0, count: 32).withUnsafeBytes { $0.checksum(seed: 0) } == 0x8A91_36AA)
    #expect([UInt8](repeating: 0xFF, count: 32).withUnsafeBytes { $0.checksum(seed: 0) } == 0x62A8_AB43)
    var generator = SeededGenerator(seed: 5)
    for length in 0...100 {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
      bytes.withUnsafeBytes { #expect($0.checksum(seed: 9) == $0.checksumByTable(seed: 9)) }
    }
  }

  @Test("the end of what is not zero is found at every length")
  func endOfLastNonzero() {
    for length in 0...70 {
      var bytes = [UInt8](repeating: 0, count: 70)
      if length > 0 { bytes[length - 1] = 1 }
      #expect(bytes.withUnsafeBytes { $0.endOfLastNonzero } == length)
    }
  }

  @Test("varints take the room that is counted for them", arguments: [0, 1, 127, 128, 16383, 16384, 1 << 35, .max])
  func varint(value: UInt64) {
    withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { bytes in
      guard let base = bytes.baseAddress else { return }
      let end = Varint.write(value, to: base)
      #expect(end - base == Varint.byteCount(value))
      var offset = 0
      #expect(Varint.read(UnsafeRawPointer(base), &offset, end: end - base) == value)
      #expect(offset == end - base)
      offset = 0
      #expect(Varint.read(UnsafeRawPointer(base), &offset, end: end - base - 1) == nil)
    }
  }

  @Test("a varint of eleven bytes, or beyond 64 bits, is refused", arguments: [11, 10])
  func overlongVarint(count: Int) {
    let bytes = [UInt8](repeating: 0xFF, count: count - 1) + [count == 10 ? 0x02 : 0x01]
    var offset = 0
    let value = bytes.withUnsafeBytes { buffer in buffer.baseAddress.flatMap { Varint.read($0, &offset, end: count) } }
    #expect(value == nil)
  }
}
