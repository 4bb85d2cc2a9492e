import Journal
import Testing

@testable import JournalFormat

@Suite("Journal, the end of a segment")
struct TornTailTests {
  /// 64 KiB with frames of different sizes, each written after the one before was on the disk.
  private static func journal(byteCount: Int, unit: Int, confirmingEach: Int = 5) throws -> ([UInt8], [Int]) {
    var builder = SegmentBuilder(byteCount: byteCount)
    var count = 0
    var frames = 0
    while builder.room > unit * 220 + 1000 {
      let unitCount = 1 + (frames * 7) % unit
      try builder.add(sampleRecords(unitCount, from: count))
      count += unitCount
      frames += 1
      if frames % confirmingEach == 0 { builder.addEmpty(seal: false) }
    }
    return (builder.bytes, builder.frameEnds)
  }

  @Test("every cut length of a 64 KiB journal recovers to the last complete frame")
  func everyCutLength() throws {
    let (bytes, ends) = try Self.journal(byteCount: 64 * 1024, unit: 40)
    let logEnd = try #require(ends.last)
    #expect(logEnd > 50 * 1024)
    bytes.withUnsafeBytes { whole in
      var wrong: [Int] = []
      for length in 0...whole.count {
        let cut = UnsafeRawBufferPointer(rebasing: whole[..<length])
        let expected = ends.last { $0 <= length } ?? FormatLimits.segmentHeaderByteCount
        let isRight: Bool
        do {
          var scanner = try SegmentScanner(cut)
          while try scanner.next() != nil {}
          // A frame that was cut leaves its first bytes behind, which are never zero.
          let isClean = expected == length || length >= logEnd
          let range = scanner.offset..<cut.endOfLastNonzero
          isRight = scanner.offset == expected && scanner.verdict() == (isClean ? .clean : .torn(range))
        } catch {
          isRight = length < FormatLimits.segmentHeaderByteCount && error as? FormatError == .headerIncomplete
        }
        if !isRight { wrong.append(length) }
      }
      #expect(wrong == [])
    }
  }

  @Test("every flipped bit of a 16 KiB journal is reported or cut off, and no frame with it is believed")
  func everyFlippedBit() throws {
    var (bytes, ends) = try Self.journal(byteCount: 16 * 1024, unit: 9)
    let logEnd = try #require(ends.last)
    // The last frame that a later one covers: from there on a flip cannot be told from a torn write.
    let covered = ends[ends.count - 2]
    var wrong: [Int] = []
    bytes.withUnsafeMutableBytes { whole in
      for bit in 0..<(whole.count * 8) {
        whole[bit / 8] ^= UInt8(1) << UInt8(bit % 8)
        if !Self.isNoticed(UnsafeRawBufferPointer(whole), at: bit / 8, covered: covered) { wrong.append(bit) }
        whole[bit / 8] ^= UInt8(1) << UInt8(bit % 8)
      }
    }
    #expect(wrong == [])
    #expect(logEnd > 12 * 1024)
  }

  private static func isNoticed(_ bytes: UnsafeRawBufferPointer, at offset: Int, covered: Int) -> Bool {
    do {
      var scanner = try SegmentScanner(bytes)
      while try scanner.next() != nil {}
      guard offset >= FormatLimits.segmentHeaderByteCount, scanner.offset <= offset else { return false }
      switch scanner.verdict() {
      case .clean: return false
      case .damaged: return offset < covered
      case .torn(let range): return offset >= covered && range.contains(offset)
      }
    } catch {
      return offset < FormatLimits.segmentHeaderByteCount
    }
  }

  @Test("two frames of one write, the first torn: cut, for nobody was told of either")
  func tornWithinOneWrite() throws {
    var builder = SegmentBuilder()
    try builder.add(sampleRecords(5))
    let start = builder.offset
    try builder.add(sampleRecords(5, from: 5), durableOffset: start, durablePosition: 5)
    let middle = builder.offset
    try builder.add(sampleRecords(5, from: 10), durableOffset: start, durablePosition: 5)
    var bytes = builder.bytes
    for index in (start + 10)..<(middle - 10) { bytes[index] = 0 }
    bytes.withUnsafeBytes { bytes in
      #expect(Self.end(bytes) == .torn(start..<builder.offset))
    }
  }

  @Test("a frame that was written after the sync of a broken one shows the damage")
  func damageBeforeTheTail() throws {
    var builder = SegmentBuilder()
    try builder.add(sampleRecords(5))
    let start = builder.offset
    try builder.add(sampleRecords(5, from: 5))
    let evidence = builder.offset
    builder.addEmpty(seal: false)
    var bytes = builder.bytes
    bytes[start + 100] ^= 1
    bytes.withUnsafeBytes { #expect(Self.end($0) == .damaged(evidence: evidence)) }
  }

  @Test("a frame inside a message is not taken for one")
  func forgedFrame() throws {
    var forger = SegmentBuilder(seed: 99)
    try forger.add(sampleRecords(3))
    let forged = Array(forger.bytes[4096..<forger.offset])
    var builder = SegmentBuilder()
    let start = builder.offset
    var unit = sampleRecords(1)
    unit[0].payload = forged
    try builder.add(unit)
    var bytes = builder.bytes
    bytes[start + 20] ^= 1
    bytes.withUnsafeBytes { #expect(Self.end($0) == .torn(start..<builder.offset)) }
  }

  private static func end(_ bytes: UnsafeRawBufferPointer) -> SegmentScanner.Verdict? {
    guard var scanner = try? SegmentScanner(bytes) else { return nil }
    while (try? scanner.next()) != nil {}
    return scanner.verdict()
  }
}
