import JournalFormat
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Journal

@Suite("Journal, start after a crash")
struct RecoveryTests {
  /// A journal that was killed: frames of five, nothing confirmed at the end.
  private static func killed(_ count: Int, segmentByteCount: Int = 64 * 1024) throws -> FaultyStorage {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage, segmentByteCount: segmentByteCount)
    try journal.write(sampleRecords(count))
    let crashed = storage.crashed()
    try journal.writer.close()
    return crashed
  }

  private static func frames(_ storage: FaultyStorage) throws -> [FrameInfo] {
    var frames: [FrameInfo] = []
    try JournalReader(directory: TestJournal.directory, storage: storage).forEachFrame { frames.append($0) }
    return frames
  }

  @Test("a torn last frame is cut, its bytes are kept aside, and writing goes on in its place")
  func tornTail() throws {
    let storage = try Self.killed(50)
    let last = try #require(try Self.frames(storage).last)
    let torn = last.offset + 40
    let side = "\(firstSegment).\(last.offset).cut"
    storage.update(firstSegment) { bytes in
      for index in torn..<bytes.count { bytes[index] = 0 }
    }
    let remains = Array(try #require(storage.files[firstSegment])[last.offset..<torn])
    let journal = try TestJournal(storage)
    #expect(journal.replayed == Array(sampleRecords(50)[..<45]))
    #expect(journal.report.cutFile == TestJournal.directory.appending(side))
    #expect(storage.files[side].map { remains.starts(with: $0) } == true)
    #expect(journal.report.cutByteCount == storage.files[side]?.count)
    #expect(storage.files[firstSegment]?[last.offset...].allSatisfy { $0 == 0 } == true)
    try journal.write(sampleRecords(5, from: 45))
    try journal.writer.close()
    #expect(try readBack(storage).count == 50)
  }

  @Test("damage before the tail is refused with file and offset, and nothing is changed")
  func damage() throws {
    let storage = try Self.killed(50)
    let frames = try Self.frames(storage)
    storage.update(firstSegment) { $0[frames[4].offset + 100] ^= 0x10 }
    let before = storage.files
    let path = TestJournal.directory.appending(firstSegment)
    let expected = JournalError.damaged(file: path, offset: frames[4].offset, reason: .frameDamaged)
    #expect(throws: expected) { try TestJournal(storage) }
    #expect(storage.files == before)
    #expect(expected.description.contains("carillon journal verify /journal"))
    #expect(expected.description.contains("offset \(frames[4].offset)"))
    #expect(throws: expected) { try readBack(storage) }
  }

  @Test("after a clean stop even the last records are covered: a flipped bit in them is damage")
  func confirmedTail() throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage)
    try journal.write(sampleRecords(5))
    try journal.writer.close()
    storage.update(firstSegment) { $0[4096 + 100] ^= 1 }
    #expect(throws: JournalError.self) { try TestJournal(storage) }
  }

  @Test(
    "a last file that is shorter than it was made is refused, and nothing is changed",
    arguments: [0, 3, 4095, 4096, 4500, 5000, 9000, 64 * 1024 - 1])
  func shortFile(length: Int) throws {
    let storage = try Self.killed(50)
    storage.update(firstSegment) { $0.removeSubrange(length...) }
    storage.state.withLock { $0.files["000000000001.packed.packing"] = FaultyStorage.Contents([1]) }
    let before = storage.files
    let expected = JournalError.cutShort(
      file: TestJournal.directory.appending(firstSegment), byteCount: length, whole: length < 4096 ? nil : 64 * 1024)
    #expect(throws: expected) { try TestJournal(storage) }
    #expect(throws: expected) { try readBack(storage) }
    #expect(storage.files == before)
    #expect(expected.description.contains("carillon journal repair --truncate /journal"))
  }

  @Test("flipped bits in files on the disk never change a record", arguments: 1...40)
  func flippedBits(seed: UInt64) throws {
    let storage = try Self.killed(60, segmentByteCount: 16 * 1024)
    var generator = SeededGenerator(seed: seed)
    let names = storage.files.keys.filter { $0.hasSuffix(".segment") }.sorted()
    let name = try #require(names.randomElement(using: &generator))
    storage.update(name) { bytes in
      bytes[Int.random(in: bytes.indices, using: &generator)] ^= 1 << UInt8.random(in: 0...7, using: &generator)
    }
    do {
      let journal = try TestJournal(storage, segmentByteCount: 16 * 1024)
      #expect(sampleRecords(60).starts(with: journal.replayed))
      try journal.writer.close()
    } catch is JournalError {}
  }

  enum Roll: CaseIterable { case sealedOnly, zerosUnderTheName, preallocating, preallocated }

  @Test("a crashed roll is finished", arguments: Roll.allCases)
  func crashedRoll(stage: Roll) throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage, segmentByteCount: 16 * 1024)
    var count = 0
    while storage.files[secondSegment] == nil {
      try journal.write(sampleRecords(5, from: count))
      count += 5
    }
    let crashed = storage.crashed()
    try journal.writer.close()
    // The last frame stood in the second segment, which goes back to what it was before.
    count -= 5
    crashed.state.withLock { state in
      switch stage {
      case .sealedOnly: state.files[secondSegment] = nil
      case .zerosUnderTheName: state.files[secondSegment]?.bytes = [UInt8](repeating: 0, count: 16 * 1024)
      case .preallocating:
        state.files[secondSegment] = nil
        state.files["next.preallocating"] = FaultyStorage.Contents([0, 0, 0])
      case .preallocated:
        // Header and all, but without its name.
        state.files["next.preallocating"] = state.files.removeValue(forKey: secondSegment)
      }
    }
    let again = try TestJournal(crashed, segmentByteCount: 16 * 1024)
    #expect(again.replayed.count == count)
    try again.write(sampleRecords(5, from: count))
    try again.writer.close()
    #expect(try readBack(crashed).count == count + 5)
    #expect(crashed.files[secondSegment]?.count == 16 * 1024)
  }

  @Test("files that do not belong are named, each with its own error")
  func foreignFiles() throws {
    let path = TestJournal.directory.appending(firstSegment)
    let storage = try Self.killed(5)
    let clean = storage.files
    storage.update(firstSegment) { $0.replaceSubrange(0..<8, with: Array("SQLite f".utf8)) }
    #expect(throws: JournalError.foreignFile(path)) { try TestJournal(storage) }

    let newer = FaultyStorage(files: clean)
    newer.update(firstSegment) { bytes in
      bytes[8] = 2
      let checksum = bytes.withUnsafeBytes { SegmentHeaderChecksum.compute($0) }
      bytes.replaceSubrange(4092..<4096, with: checksum)
    }
    #expect(throws: JournalError.newerVersion(file: path, version: 2)) { try TestJournal(newer) }

    let damaged = FaultyStorage(files: clean)
    damaged.update(firstSegment) { $0[70] ^= 1 }
    #expect(throws: JournalError.damaged(file: path, offset: 0, reason: .headerDamaged)) { try TestJournal(damaged) }
  }

  @Test("a missing segment is named, at the beginning and in the middle")
  func missingSegment() throws {
    let storage = try Self.killed(600, segmentByteCount: 16 * 1024)
    let clean = storage.files
    try #require(clean["000000000003.segment"] != nil)
    for name in [firstSegment, secondSegment] {
      let holed = FaultyStorage(files: clean.filter { $0.key != name })
      #expect(throws: JournalError.missingSegment(TestJournal.directory.appending(name))) {
        try TestJournal(holed, segmentByteCount: 16 * 1024)
      }
    }
  }

  @Test("a segment of another journal is noticed")
  func mixedJournals() throws {
    let storage = try Self.killed(600, segmentByteCount: 16 * 1024)
    let other = FaultyStorage()
    let journal = try TestJournal(other, segmentByteCount: 16 * 1024) { $0.randomBytes = predictableBytes(seed: 12) }
    try journal.write(sampleRecords(600))
    try journal.writer.close()
    let stranger = try #require(other.files[secondSegment])
    storage.update(secondSegment) { $0 = stranger }
    #expect(throws: JournalError.brokenSequence(TestJournal.directory.appending(secondSegment))) {
      try TestJournal(storage, segmentByteCount: 16 * 1024)
    }
  }
}
