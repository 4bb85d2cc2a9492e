import Testing

@testable import Journal

@Suite("Journal, what it lies on")
struct SegmentInfoTests {
  @Test("each segment is told once, in the form in which it is read")
  func segments() throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage, segmentByteCount: 16 * 1024)
    try journal.write(sampleRecords(900))
    try journal.writer.close()
    let reader = JournalReader(directory: TestJournal.directory, storage: storage)
    let plain = try reader.segments()
    #expect(plain.count == (try reader.segmentCount()) && plain.count > 2)
    #expect(plain.map(\.number) == Array(1...UInt64(plain.count)))
    #expect(plain.allSatisfy { $0.byteCount == 16 * 1024 && !$0.isPacked && !$0.isArchived })
    _ = try SegmentPacker(directory: TestJournal.directory, storage: storage).pack()
    let packed = try reader.segments()
    #expect(packed.count == plain.count && packed[0].isPacked && !packed[packed.count - 1].isPacked)
    #expect(packed[0].byteCount < 16 * 1024)
  }
}
