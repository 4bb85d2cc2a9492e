import JournalFormat
import SystemPackage
import Testing

@testable import Journal

@Suite("Journal, epochs")
struct EpochTests {
  /// Writes in one epoch after the other; each gets its own segments.
  private static func journal(_ epochs: UInt32...) throws -> FaultyStorage {
    let storage = FaultyStorage()
    for (index, epoch) in epochs.enumerated() {
      let journal = try TestJournal(storage, segmentByteCount: 16 * 1024, epoch: epoch)
      try journal.write(sampleRecords(5, from: index * 5))
      try journal.writer.close()
    }
    return storage
  }

  private static func epochs(_ storage: FaultyStorage) throws -> [(segment: UInt64, epoch: UInt32)] {
    var found: [(segment: UInt64, epoch: UInt32)] = []
    try JournalReader(directory: TestJournal.directory, storage: storage).forEachFrame {
      found.append(($0.segmentNumber, $0.header.epoch))
    }
    return found
  }

  @Test("a later epoch begins a segment of its own, also behind one without records")
  func later() throws {
    let storage = try Self.journal(1, 1, 3)
    #expect(try readBack(storage) == sampleRecords(15))
    #expect(try Self.epochs(storage).allSatisfy { $0.epoch == ($0.segment == 1 ? 1 : 3) })
    let again = try TestJournal(storage, segmentByteCount: 16 * 1024, epoch: 4)
    try again.writer.close()
    let last = try TestJournal(storage, segmentByteCount: 16 * 1024, epoch: 5)
    #expect(last.replayed == sampleRecords(15))
    #expect(last.report.currentFile == TestJournal.directory.appending("000000000004.segment"))
    try last.write(sampleRecords(5, from: 15))
    try last.writer.close()
    #expect(try readBack(storage) == sampleRecords(20))
  }

  @Test("a writer of an earlier epoch is refused, and nothing is changed")
  func earlier() throws {
    let storage = try Self.journal(2)
    let file = TestJournal.directory.appending(firstSegment)
    try EpochStore(directory: TestJournal.directory, storage: storage)
      .write(JournalEpoch(role: .primary, own: 1, told: 1))
    let before = storage.files
    #expect(throws: JournalError.epochFell(file: file, from: 2, to: 1)) {
      try TestJournal(storage, segmentByteCount: 16 * 1024)
    }
    #expect(storage.files == before)
  }

  @Test("a segment whose epoch is lower than that of the one before it is refused by start and reader")
  func fallen() throws {
    let storage = try Self.journal(2, 3)
    // The first segment as if it had been written later: header and frames, with right checksums and chain.
    let forged = FaultyStorage()
    let journal = try TestJournal(forged, segmentByteCount: 16 * 1024, epoch: 4)
    try journal.write(sampleRecords(5))
    try journal.writer.close()
    let next = try TestJournal(forged, segmentByteCount: 16 * 1024, epoch: 5)
    try next.writer.close()
    let file = TestJournal.directory.appending(secondSegment)
    // Header of the second: the epoch falls below that of the first, the checksum is made right.
    forged.update(secondSegment) { bytes in
      bytes[88] = 3
      let checksum = bytes.withUnsafeBytes { SegmentHeaderChecksum.compute($0) }
      bytes.replaceSubrange(4092..<4096, with: checksum)
    }
    #expect(throws: JournalError.epochFell(file: file, from: 4, to: 3)) { try readBack(forged) }
    #expect(throws: JournalError.epochFell(file: file, from: 4, to: 3)) {
      try TestJournal(forged, segmentByteCount: 16 * 1024, epoch: 9)
    }
    #expect(try readBack(storage) == sampleRecords(10))
  }

  @Test("a frame of another epoch than its segment is damage")
  func frame() throws {
    var builder = SegmentBuilder()
    try builder.add(sampleRecords(2))
    var bytes = builder.bytes
    // Epoch in the header of the segment, whose checksum the frame's continues.
    bytes[88] = 7
    let checksum = bytes.withUnsafeBytes { SegmentHeaderChecksum.compute($0) }
    bytes.replaceSubrange(4092..<4096, with: checksum)
    let frameEnd = builder.frameEnds[0]
    let seed = checksum.enumerated().reduce(UInt32(0)) { $0 | UInt32($1.element) << UInt32($1.offset * 8) }
    let sum = bytes.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[4104..<frameEnd]).checksum(seed: seed) }
    withUnsafeBytes(of: sum.littleEndian) { bytes.replaceSubrange(4100..<4104, with: $0) }
    #expect(throws: FormatError.epochDiffers(expected: 7, found: 4)) {
      try bytes.withUnsafeBytes { try records(in: $0, checkingHashes: false) }
    }
  }
}
