import LZ4
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Journal
@testable import JournalFormat

@Suite("Journal, packed segments")
struct PackTests {
  private static func pack(_ storage: FaultyStorage) throws -> PackingReport {
    try SegmentPacker(directory: TestJournal.directory, storage: storage).pack()
  }

  private static let firstPacked = "000000000001.packed"

  /// All that is hashed or handed on of a segment in memory.
  private static func contents(_ bytes: UnsafeRawBufferPointer) throws -> [String] {
    var scanner = try SegmentScanner(bytes)
    var decoder = FrameDecoder()
    var contents = ["\(scanner.header.id) \(scanner.header.previousHash) \(scanner.header.createdMilliseconds)"]
    while let frame = try scanner.next() {
      let header = frame.header
      contents.append(
        "\(header.firstPosition) \(header.recordCount) \(header.timeMilliseconds) \(header.durablePosition) "
          + "\(header.epoch) \(header.flags.subtracting(.restart)) \(header.plainByteCount) \(header.chainHash)")
      contents.append("\(Array(bytes[frame.bodyOffset..<(frame.bodyOffset + header.saltsByteCount)]))")
      try decoder.forEachRecord(of: frame, in: bytes) { contents.append("\(Array($0.body))") }
    }
    #expect(scanner.verdict() == .clean && scanner.isSealed)
    return contents
  }

  private static func expand(_ packed: [UInt8], hashing: Bool = true) -> Result<[UInt8], FormatError> {
    packed.withUnsafeBytes { bytes in
      Result { () throws(FormatError) in
        var segment = try PackedSegment(bytes)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: segment.header.expandedByteCount, alignment: 16)
        defer { room.deallocate() }
        try segment.expand(into: room, hashing: hashing)
        return Array(room)
      }
    }
  }

  /// A sealed segment with empty frames and two restart points or more.
  private static func segment(frames: Int = 40, unit: Int = 5) throws -> [UInt8] {
    var builder = SegmentBuilder(byteCount: frames > 100 ? 4 * 1024 * 1024 : 64 * 1024)
    for index in 0..<frames {
      try builder.add(
        sampleRecords(unit, from: index * unit), durablePosition: index % 3 == 0 ? builder.nextPosition - 1 : 0)
      if index % 10 == 9 { builder.addEmpty(seal: false) }
    }
    builder.addEmpty(seal: true)
    return builder.bytes
  }

  private static func packed(_ segment: [UInt8]) throws -> [UInt8] {
    try segment.withUnsafeBytes { bytes throws(FormatError) in
      let packed = try PackedSegmentEncoder.pack(bytes)
      return Array(packed.bytes)
    }
  }

  @Test("what was packed comes out with every record, salt, position, time and hash", arguments: [1, 40, 4000])
  func roundTrip(frames: Int) throws {
    let segment = try Self.segment(frames: frames)
    let packed = try Self.packed(segment)
    let expanded = try Self.expand(packed).get()
    let before = try segment.withUnsafeBytes { try Self.contents($0) }
    #expect(try expanded.withUnsafeBytes { try Self.contents($0) } == before)
    #expect(try expanded.withUnsafeBytes { try records(in: $0) } == sampleRecords(frames * 5))
    // And once more.
    let again = try Self.expand(try Self.packed(expanded)).get()
    #expect(try again.withUnsafeBytes { try Self.contents($0) } == before)
    // Without hashes: the same records, and the last chain hash is right.
    let quick = try Self.expand(packed, hashing: false).get()
    #expect(try quick.withUnsafeBytes { try records(in: $0, checkingHashes: false) } == sampleRecords(frames * 5))
  }

  @Test("a journal whose segments are packed reads as before, is smaller, and is not packed twice")
  func packsJournal() throws {
    let journal = try SealedJournal()
    let storage = journal.copy()
    let report = try Self.pack(storage)
    #expect(report.failure == nil)
    #expect(report.segments == (1..<UInt64(journal.report.segments)).map { $0 })
    #expect(report.byteCountAfter * 3 < report.byteCountBefore * 2)
    #expect(storage.files[firstSegment] == nil && storage.files[Self.firstPacked] != nil)
    try journal.check(storage)
    let found = try JournalReader(directory: TestJournal.directory, storage: storage).verify()
    #expect(found.packedSegments == report.segments.count && found.frames == journal.report.frames)
    #expect(found.storedByteCount < journal.report.storedByteCount)
    #expect(try Self.pack(storage).segments == [])
    // Then to the archive.
    let moved = try SegmentRetention(directory: TestJournal.directory, storage: storage)
      .apply(RetentionRule(.archive, ageMillisecondsMaximum: 0, neverBeyond: nil), nowMilliseconds: 1_700_000_000_000)
    #expect(moved.segments == report.segments)
    try journal.check(storage)
  }

  @Test("only as many as were asked for, and none beyond the position")
  func bounds() throws {
    let journal = try SealedJournal()
    let packer = SegmentPacker(directory: TestJournal.directory, storage: journal.storage)
    #expect(try packer.pack(upTo: 1).segments == [])
    #expect(try packer.pack(countMaximum: 2).segments == [1, 2])
    #expect(try packer.pack(countMaximum: 1).segments == [3])
    try journal.check(journal.storage)
  }

  @Test("a segment that is damaged is not packed")
  func damaged() throws {
    let journal = try SealedJournal()
    journal.storage.update(secondSegment) { $0[5000] ^= 1 }
    let report = try Self.pack(journal.storage)
    #expect(report.segments == [1])
    guard case .damaged(let file, _, _) = report.failure else {
      Issue.record("not damaged: \(String(describing: report.failure))")
      return
    }
    #expect(file == TestJournal.directory.appending(secondSegment))
    #expect(journal.storage.files[secondSegment] != nil)
  }

  @Test("every flipped bit of a packed file is noticed")
  func flips() throws {
    let packed = try Self.packed(try Self.segment(frames: 8, unit: 3))
    for offset in packed.indices {
      var flipped = packed
      flipped[offset] ^= 1 << UInt8(offset % 8)
      #expect(throws: FormatError.self, "offset \(offset)") { try Self.expand(flipped, hashing: false).get() }
    }
  }

  @Test("a packed file that was cut anywhere says so; in a journal it is a half copy")
  func cuts() throws {
    let packed = try Self.packed(try Self.segment(frames: 8, unit: 3))
    for length in packed.indices {
      let expected = length < 256 ? FormatError.headerIncomplete : .fileIncomplete(byteCount: packed.count)
      #expect(Self.expand(Array(packed[..<length])) == .failure(expected))
    }
    let journal = try SealedJournal()
    _ = try Self.pack(journal.storage)
    journal.storage.update("000000000002.packed") { $0.removeLast(10) }
    let size = try #require(journal.storage.files["000000000002.packed"]?.count)
    let error = JournalError.halfCopied(file: TestJournal.directory.appending("000000000002.packed"), byteCount: size)
    #expect(throws: error) { try readBack(journal.storage) }
    #expect(error.description.contains("copy it again"))
  }

  @Test("a packed file of a newer version, and one that is none")
  func foreign() throws {
    var packed = try Self.packed(try Self.segment(frames: 2))
    packed[0] = 65
    #expect(Self.expand(packed) == .failure(.foreignMagic))
    packed = try Self.packed(try Self.segment(frames: 2))
    packed[8] = 2
    Self.sealHeader(&packed)
    #expect(Self.expand(packed) == .failure(.newerVersion(2)))
  }

  private static func sealHeader(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { bytes in
      bytes.store(UnsafeRawBufferPointer(rebasing: bytes[..<252]).checksum(seed: 0), little: 252)
    }
  }

  /// Makes all checksums right again, as far as the lengths lie inside.
  private static func seal(_ bytes: inout [UInt8]) {
    sealHeader(&bytes)
    bytes.withUnsafeMutableBytes { bytes in
      let whole = UnsafeRawBufferPointer(bytes)
      var seed = whole.slice(128..<240).checksum(seed: 0)
      var start = 256
      while whole.count - start >= PackedBlock.headerByteCount {
        let field = { (offset: Int) in Int(whole.little(start + offset, as: UInt32.self)) }
        let end = start + PackedBlock.headerByteCount + field(16) + field(12) * 16 + field(24)
        guard end <= whole.count else { return }
        seed = whole.slice((start + 8)..<end).checksum(seed: seed)
        bytes.store(seed, little: start + 4)
        start = end
      }
    }
  }

  @Test("whatever stands in it with right checksums: an error or the records, never a trap", arguments: 1...400)
  func mutated(seed: UInt64) throws {
    let original = try Self.packed(try Self.segment(frames: 6, unit: 3))
    var generator = SeededGenerator(seed: seed)
    var packed = original
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      // Headers and rows more often than the rest.
      let end = Bool.random(using: &generator) ? 256 + 80 + 50 : packed.count
      packed[Int.random(in: 8..<end, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
    }
    Self.seal(&packed)
    _ = Self.expand(packed, hashing: false)
    if case .success(let expanded) = Self.expand(packed) {
      // With the hashes, only what is not hashed can differ.
      let found = try expanded.withUnsafeBytes { try records(in: $0, checkingHashes: false) }
      #expect(found == sampleRecords(18))
    }
  }

  @Test("a frame of another epoch than the segment's is refused, hashing or not", arguments: [true, false])
  func epoch(hashing: Bool) throws {
    var packed = try Self.packed(try Self.segment(frames: 2))
    // The segment's header says its epoch at 88; here its bytes 16 to 127 stand from 128 on.
    packed[128 + 88 - 16] = 7
    Self.seal(&packed)
    #expect(Self.expand(packed, hashing: hashing) == .failure(.epochDiffers(expected: 7, found: 4)))
  }

  @Test("a seal that is not the end, and an end that is no seal", arguments: [true, false])
  func misplacedSeal(hashing: Bool) throws {
    var builder = SegmentBuilder(byteCount: 64 * 1024)
    builder.addEmpty(seal: false)
    builder.addEmpty(seal: true)
    let original = try Self.packed(builder.bytes)
    // The rows of the two frames, four bytes each here: flags, no records, time, lag.
    let rows = PackedHeader.byteCount + PackedBlock.headerByteCount
    #expect(original.count == rows + 8 && original[rows] == 2 && original[rows + 4] == 6)
    for (row, flags) in [(0, 6), (1, 2)] as [(Int, UInt8)] {
      var packed = original
      packed[rows + 4 * row] = flags
      Self.seal(&packed)
      #expect(Self.expand(packed, hashing: false) == .failure(.blockDamaged))
      #expect(throws: FormatError.self) { try Self.expand(packed, hashing: hashing).get() }
    }
  }

  @Test("a length beyond its bound is not believed", arguments: [16, 24, 32, 40, 44, 264, 268, 272, 276, 280, 284])
  func hostileLength(offset: Int) throws {
    let original = try Self.packed(try Self.segment(frames: 6, unit: 3))
    for value in [0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF] as [UInt32] {
      var packed = original
      packed.withUnsafeMutableBytes { $0.store(value, little: offset) }
      Self.seal(&packed)
      let isTaken = (try? Self.expand(packed).get()) != nil
      #expect(isTaken == (packed == original), "\(value)")
    }
  }

  @Test("at whatever call the disk fails: readable, and the next run completes it")
  func failures() throws {
    let journal = try SealedJournal(200)
    try SealedJournal.failEverywhere(journal.storage) { storage, _ in
      try journal.check(storage)
    } work: {
      if let failure = try Self.pack($0).failure { throw failure }
    }
  }
}
