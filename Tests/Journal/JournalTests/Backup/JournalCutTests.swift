import JournalFormat
import SystemPackage
import Testing

@testable import Journal

@Suite("Journal, ended earlier for a backup")
struct JournalCutTests {
  /// Records in frames of five, in segments of 16 KiB.
  private static func journal(_ count: Int) throws -> FaultyStorage {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage, segmentByteCount: 16 * 1024)
    try journal.write(sampleRecords(count))
    try journal.writer.close()
    return storage
  }

  private static func cut(_ storage: FaultyStorage) -> JournalCut {
    JournalCut(directory: TestJournal.directory, storage: storage)
  }

  @Test(
    "ends behind the last whole frame before the first record that does not stay",
    arguments: [
      (bound: UInt64(5), end: UInt64(5)), (9, 5), (10, 10), (501, 500), (999, 995), (1000, 1000), (5000, 1000),
    ])
  func positions(bound: UInt64, end: UInt64) throws {
    let storage = try Self.journal(1000)
    let before = try readBack(storage)
    let place = try #require(try Self.cut(storage).find { position, _ in position <= bound })
    #expect(place.position == end && place.endPosition == 1000 && place.redactedCount == 0)
    #expect(try Self.cut(storage).isStartable(at: place))
    try Self.cut(storage).carryOut(place)
    #expect(try readBack(storage) == Array(before.prefix(Int(end))))
    // It goes on where it ends.
    let journal = try TestJournal(storage, segmentByteCount: 16 * 1024)
    #expect(journal.replayed == Array(before.prefix(Int(end))))
    try journal.write(sampleRecords(3, seed: 9))
    try journal.writer.close()
    #expect(try readBack(storage).count == Int(end) + 3)
  }

  @Test("nothing stays of a journal whose first frame does not")
  func nothing() throws {
    let storage = try Self.journal(20)
    #expect(try Self.cut(storage).find { position, _ in position <= 4 } == nil)
    #expect(try Self.cut(storage).find { _, time in time < 0 } == nil)
    #expect(try readBack(storage).count == 20)
  }

  @Test("by time it ends before the first record that is later, whatever follows that")
  func time() throws {
    let storage = try Self.journal(100)
    let times = try readBack(storage).map(\.timeMilliseconds)
    let bound = times[42]
    let first = try #require(times.firstIndex { $0 > bound })
    let place = try #require(try Self.cut(storage).find { _, time in time <= bound })
    #expect(place.position == UInt64(first / 5 * 5))
  }

  @Test("without its beginning it needs a snapshot that stays")
  func beginning() throws {
    let storage = try Self.journal(1000)
    try storage.remove(TestJournal.directory.appending(firstSegment))
    let place = try #require(try Self.cut(storage).find { position, _ in position <= 900 })
    #expect(try !Self.cut(storage).isStartable(at: place))
  }

  @Test("its end is behind the last whole frame, and it holds each point that it once ended at, and no other")
  func end() throws {
    let storage = FaultyStorage()
    let reader = JournalReader(directory: TestJournal.directory, storage: storage)
    let journal = try TestJournal(storage, segmentByteCount: 16 * 1024)
    var points: [JournalPoint] = []
    for part in 0..<40 {
      try journal.write(sampleRecords(25, from: part * 25))
      let end = try #require(try reader.end())
      #expect(end.position == UInt64(part + 1) * 25)
      points.append(
        JournalPoint(
          position: end.position, chainHash: end.chainHash, segmentNumber: end.segment, segmentID: end.segmentID))
    }
    try journal.writer.close()
    for point in points {
      #expect(try reader.holds(point))
      var other = point
      other.position += 1
      #expect(try !reader.holds(other))
      other = point
      other.chainHash = .zero
      #expect(try !reader.holds(other))
      other = point
      other.segmentID = SegmentID(high: 1, low: 2)
      #expect(try !reader.holds(other))
    }
  }

  @Test("a directory that is being restored is neither written nor promoted; when it is whole it begins an epoch")
  func epoch() throws {
    let storage = try Self.journal(20)
    let store = EpochStore(directory: TestJournal.directory, storage: storage)
    #expect(throws: JournalError.configuration("/journal is not being restored")) { try store.finishRestore() }
    try store.write(JournalEpoch(role: .backup, own: 3, told: 9))
    let error = JournalError.notRestored(directory: TestJournal.directory)
    #expect(throws: error) { try store.epochToWrite() }
    #expect(throws: error) { try store.promote() }
    #expect(throws: error) { try store.heard(of: 10) }
    #expect(throws: error) { _ = try TestJournal(storage, segmentByteCount: 16 * 1024) }
    #expect(try store.finishRestore { _ in 4 } == JournalEpoch(role: .primary, own: 14, told: 14))
    try TestJournal(storage, segmentByteCount: 16 * 1024).writer.close()
  }
}
