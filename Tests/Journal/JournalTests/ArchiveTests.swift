import JournalFormat
import Synchronization
import SystemPackage
import Testing

@testable import Journal

@Suite("Journal, archive and retention")
struct ArchiveTests {
  private static let now: Int64 = 1_700_000_000_000
  private static let day: Int64 = 86_400_000

  private static func archive(_ storage: FaultyStorage, _ rule: RetentionRule) throws -> RetentionReport {
    try SegmentRetention(directory: TestJournal.directory, storage: storage).apply(rule, nowMilliseconds: now)
  }

  private static let all = RetentionRule(.archive, ageMillisecondsMaximum: 0, neverBeyond: nil)

  @Test("sealed segments go to the archive, and the journal reads as before; the archive alone reads too")
  func archivesAll() throws {
    let journal = try SealedJournal()
    let storage = journal.copy()
    let report = try Self.archive(storage, Self.all)
    #expect(report.failure == nil)
    #expect(report.segments == (1..<UInt64(journal.report.segments)).map { $0 })
    #expect(report.byteCount == report.segments.count * SealedJournal.segmentByteCount)
    #expect(storage.files["archive/\(firstSegment)"] == journal.storage.files[firstSegment])
    #expect(storage.files[firstSegment] == nil)
    try journal.check(storage)
    let alone = JournalReader(directory: TestJournal.directory.appending("archive"), storage: storage)
    #expect(try alone.verify().records == journal.report.records)
    #expect(try JournalReader(directory: TestJournal.directory, storage: storage).verify().archivedSegments > 2)
    #expect(try Self.archive(storage, Self.all).segments == [])
  }

  @Test("an archive elsewhere is made and found")
  func elsewhere() throws {
    let journal = try SealedJournal()
    let storage = journal.copy()
    let report = try SegmentRetention(directory: TestJournal.directory, archive: "/cold/store", storage: storage)
      .apply(Self.all, nowMilliseconds: Self.now)
    #expect(report.failure == nil && report.segments.count > 2)
    #expect(storage.files["/cold/store/\(firstSegment)"] != nil)
    try journal.check(storage, archive: "/cold/store")
    #expect(try JournalReader(directory: TestJournal.directory, storage: storage).verify().segments == 1)
  }

  @Test("age, total size and the oldest snapshot each hold segments back", arguments: [1, 3, 5])
  func bounds(kept: Int) throws {
    let journal = try SealedJournal()
    let count = journal.report.segments
    try #require(count > 6)
    #expect(
      try Self.archive(journal.copy(), RetentionRule(.archive, ageMillisecondsMaximum: Self.day, neverBeyond: nil))
        .segments == [])
    let bySize = RetentionRule(
      .archive, totalByteCountMaximum: kept * SealedJournal.segmentByteCount, neverBeyond: nil)
    #expect(try Self.archive(journal.copy(), bySize).segments.count == count - kept)

    var ends: [FrameInfo] = []
    try JournalReader(directory: TestJournal.directory, storage: journal.storage).forEachFrame {
      if $0.header.flags.contains(.seal) { ends.append($0) }
    }
    let end = ends[kept].header
    // A snapshot that begins at the end of a segment needs nothing of it; one that begins a record earlier does.
    for (position, expected) in [(end.firstPosition - 1, kept + 1), (end.firstPosition - 2, kept)] {
      let point = JournalPoint(
        position: position, chainHash: end.chainHash, segmentNumber: UInt64(kept + 1), segmentID: .none)
      for action in [RetentionRule.Action.archive, .delete] {
        let rule = RetentionRule(action, ageMillisecondsMaximum: 0, neverBeyond: point)
        #expect(try Self.archive(journal.copy(), rule).segments.count == expected)
      }
    }
    // Without a snapshot nothing is ever deleted.
    let reckless = RetentionRule(.delete, ageMillisecondsMaximum: 0, totalByteCountMaximum: 0, neverBeyond: nil)
    #expect(try Self.archive(journal.copy(), reckless).segments == [])
  }

  private static func point(_ position: UInt64) -> JournalPoint {
    JournalPoint(position: position, chainHash: .zero, segmentNumber: 1, segmentID: .none)
  }

  @Test("deleted segments are gone from both places; a replay from the first record says which one is missing")
  func deletes() throws {
    let journal = try SealedJournal()
    let storage = journal.copy()
    _ = try Self.archive(
      storage, RetentionRule(.archive, totalByteCountMaximum: 5 * SealedJournal.segmentByteCount, neverBeyond: nil))
    let report = try Self.archive(
      storage,
      RetentionRule(
        .delete, totalByteCountMaximum: 3 * SealedJournal.segmentByteCount, neverBeyond: Self.point(.max - 1)))
    #expect(report.failure == nil && report.segments.count == journal.report.segments - 3)
    let first = try JournalReader(directory: TestJournal.directory, storage: storage).verify().firstPosition
    #expect(first > 1)
    try journal.check(storage, from: first)
    let missing = JournalError.missingSegment(
      TestJournal.directory.appending(SegmentPlace.name(UInt64(report.segments.count), .plain)))
    #expect(throws: missing) { try TestJournal(storage, segmentByteCount: SealedJournal.segmentByteCount) }
    #expect(missing.description.contains("retention") && missing.description.contains("archive"))
  }

  @Test("a segment in both places is one; what a crash left is cleaned up by the next run")
  func twins() throws {
    let journal = try SealedJournal()
    let storage = journal.copy()
    let bytes = try #require(journal.storage.files[firstSegment])
    storage.state.withLock { state in
      state.directories.insert("archive")
      state.files["archive/\(firstSegment)"] = FaultyStorage.Contents(bytes)
      state.files["archive/\(secondSegment).archiving"] = FaultyStorage.Contents([1, 2, 3])
      state.files["\(secondSegment).redacting"] = FaultyStorage.Contents([1, 2, 3])
      state.files["000000000002.packed.packing"] = FaultyStorage.Contents([])
      state.files["redaction.intent.writing"] = FaultyStorage.Contents([])
    }
    try journal.check(storage)
    _ = try Self.archive(storage, RetentionRule(.archive, neverBeyond: nil))
    #expect(storage.files == journal.storage.files)
  }

  @Test("one at a time works on segments")
  func oneAtATime() throws {
    let journal = try SealedJournal()
    let lock = try journal.storage.lock(TestJournal.directory.appending("MAINTENANCE"))
    #expect(throws: JournalError.locked(directory: TestJournal.directory)) {
      try Self.archive(journal.storage, Self.all)
    }
    lock.release()
    #expect(try Self.archive(journal.storage, Self.all).segments.isEmpty == false)
  }

  @Test("a disk that fills up leaves everything readable, and says what was done")
  func diskFull() throws {
    let journal = try SealedJournal()
    let storage = journal.copy()
    let used = storage.files.values.reduce(0) { $0 + $1.count }
    storage.set { $0.capacity = used + SealedJournal.segmentByteCount / 2 }
    let report = try Self.archive(storage, Self.all)
    #expect(report.failure == .storageFull && report.segments == [])
    #expect(storage.files == journal.storage.files)
    storage.set { $0.capacity = .max }
    #expect(try Self.archive(storage, Self.all).failure == nil)
    try journal.check(storage)
  }

  @Test("at whatever call the disk fails: readable, and the next run completes it", arguments: [false, true])
  func failures(deletes: Bool) throws {
    let journal = try SealedJournal(200)
    try #require(journal.report.segments >= 3)
    let rule =
      deletes ? RetentionRule(.delete, ageMillisecondsMaximum: 0, neverBeyond: Self.point(.max - 1)) : Self.all
    try SealedJournal.failEverywhere(journal.storage) { storage, isAtEnd in
      let reader = JournalReader(directory: TestJournal.directory, storage: storage)
      let first = deletes ? try reader.verify().firstPosition : 1
      // The last segment has no records: once it is alone, nothing is left to compare.
      if first <= journal.report.lastPosition { try journal.check(storage, from: first) }
    } work: {
      let report = try Self.archive($0, rule)
      if let failure = report.failure { throw failure }
    }
  }

  @Test("what is moved or deleted while it is read is found all the same", arguments: [false, true])
  func beside(deletes: Bool) throws {
    let journal = try SealedJournal()
    let storage = journal.copy()
    let reader = JournalReader(directory: TestJournal.directory, storage: storage)
    var isFirst = true
    var count: UInt64 = 0
    try reader.walk(
      segment: { _ in
        guard isFirst else { return }
        isFirst = false
        let rule =
          deletes
          ? RetentionRule(
            .delete, ageMillisecondsMaximum: 0, neverBeyond: Self.point(130))
          : Self.all
        let moved = try Self.archive(storage, rule)
        let packed = try SegmentPacker(directory: TestJournal.directory, storage: storage).pack()
        #expect(moved.failure == nil && packed.failure == nil)
      }, record: { _ in count += 1 })
    #expect(count == journal.report.records)
  }
}
