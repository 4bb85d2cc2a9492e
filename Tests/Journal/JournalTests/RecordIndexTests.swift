import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Journal
@testable import JournalFormat

@Suite("Record index")
struct RecordIndexTests {
  private static func index(_ storage: any JournalStorage) -> RecordIndex {
    RecordIndex(directory: TestJournal.directory, storage: storage)
  }

  /// A record is found by its key, and by its tag.
  private static let terms: RecordIndex.Terms = { record, key in
    record.isRedacted
      ? [] : [key.hash(space: 1, record.keyText), key.hash(space: 2, String(record.tag)), key.hash(space: 3, "all")]
  }

  /// Makes parts until there is nothing left to do.
  /// - Returns: how many.
  @discardableResult
  private static func extend(
    _ index: RecordIndex, upTo position: UInt64 = .max - 1, recordsMinimum: UInt64 = 1, pairsMaximum: Int = 300
  ) throws -> Int {
    var count = 0
    while try index.extend(
      upTo: position, recordsMinimum: recordsMinimum, pairsMaximum: pairsMaximum,
      randomBytes: predictableBytes(seed: 5),
      terms: terms
    ).hasMore {
      count += 1
      try #require(count < 10_000)
    }
    return count
  }

  /// Fails unless the index says of each key what the journal says, and hands on the same records.
  private static func check(
    _ index: RecordIndex, _ storage: any JournalStorage, coveredTo: UInt64,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let view = try #require(try index.look(), sourceLocation: sourceLocation)
    #expect(view.coveredTo == coveredTo, sourceLocation: sourceLocation)
    var expected: [String: [UInt64]] = [:]
    var records: [UInt64: PendingRecord] = [:]
    try JournalReader(directory: TestJournal.directory, storage: storage).forEachRecord { record in
      guard record.position <= coveredTo, !record.isRedacted else { return }
      expected[record.keyText, default: []].append(record.position)
      records[record.position] = PendingRecord(record)
    }
    for (key, positions) in expected {
      let found = try view.positions(of: [view.key.hash(space: 1, key)])
      #expect(found == positions, sourceLocation: sourceLocation)
      var read: [UInt64] = []
      try view.read(at: found[...]) { record in
        read.append(record.position)
        #expect(records[record.position] == PendingRecord(record), sourceLocation: sourceLocation)
        return true
      }
      #expect(read == positions, sourceLocation: sourceLocation)
    }
    #expect(try view.positions(of: [view.key.hash(space: 1, "nobody")]) == [], sourceLocation: sourceLocation)
    let all = try view.positions(of: [view.key.hash(space: 3, "all")])
    #expect(all == records.keys.sorted(), sourceLocation: sourceLocation)
  }

  @Test(
    "it finds the records of a journal, wherever they lie and in whatever form", arguments: RedactTests.Form.allCases)
  func forms(form: RedactTests.Form) throws {
    let journal = try SealedJournal(300)
    // Made before they are packed and moved …
    let storage = journal.copy()
    let index = Self.index(storage)
    #expect(try index.look() == nil)
    #expect(try Self.extend(index, pairsMaximum: 60) > journal.report.segments)
    try RedactTests.bring(storage, into: form)
    try Self.check(index, storage, coveredTo: journal.report.lastPosition)
    // … and after.
    let moved = journal.copy()
    try RedactTests.bring(moved, into: form)
    try Self.extend(Self.index(moved))
    try Self.check(Self.index(moved), moved, coveredTo: journal.report.lastPosition)
    // It has all, and another process sees that.
    let before = moved.files
    #expect(try Self.extend(Self.index(moved)) == 0)
    #expect(moved.files == before)
  }

  @Test("of the segment that is being written it has what is on the disk and worth a part, and goes on behind it")
  func live() throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage, segmentByteCount: 1 << 20)
    let index = Self.index(storage)
    var written = 0
    for count in [40, 3, 90, 200] {
      try journal.write(sampleRecords(count, from: written))
      written += count
      try Self.extend(index, upTo: journal.writer.durablePoint.position, recordsMinimum: 20)
      try Self.check(index, storage, coveredTo: count < 20 ? 40 : UInt64(written))
    }
    // What is not on the disk yet, as far as the caller knows, is not in it.
    try journal.write(sampleRecords(50, from: written))
    try Self.extend(index, upTo: UInt64(written) + 20, recordsMinimum: 1)
    let covered = try #require(try index.look()).coveredTo
    #expect(covered <= UInt64(written) + 20)
    // Another process, after a roll.
    _ = try journal.writer.roll()
    try journal.writer.close()
    let other = Self.index(storage)
    try Self.extend(other)
    try Self.check(other, storage, coveredTo: UInt64(written) + 50)
    #expect(try other.look(upTo: 45)?.coveredTo ?? 0 <= 45)
  }

  @Test("what is flipped or cut is not believed, and made anew")
  func damage() throws {
    let journal = try SealedJournal(400)
    let whole = journal.copy()
    try Self.extend(Self.index(whole))
    let names = whole.files.keys.filter { $0.hasPrefix("index/") }.sorted()
    #expect(names.count >= 3)
    var generator = SeededGenerator(seed: 3)
    for round in 0..<12 {
      let storage = whole.crashed()
      let name = try #require(names.randomElement(using: &generator))
      storage.update(name) { bytes in
        if round % 3 == 0 {
          bytes.removeLast(Int.random(in: 1...bytes.count, using: &generator))
        } else {
          bytes[Int.random(in: bytes.indices, using: &generator)] ^= 1 << UInt8.random(in: 0...7, using: &generator)
        }
      }
      let index = Self.index(storage)
      try Self.expectTruth(index, storage)
      try Self.extend(index)
      try Self.expectTruth(index, storage)
      try Self.extend(index)
      try Self.check(index, storage, coveredTo: journal.report.lastPosition)
    }
  }

  /// Fails unless each key finds all of its records that the index says it knows; a doubt is an answer too.
  private static func expectTruth(_ index: RecordIndex, _ storage: any JournalStorage) throws {
    guard let view = try index.look() else { return }
    var expected: [String: [UInt64]] = [:]
    try JournalReader(directory: TestJournal.directory, storage: storage).forEachRecord { record in
      guard record.position <= view.coveredTo else { return }
      expected[record.keyText, default: []].append(record.position)
      expected["", default: []].append(record.position)
    }
    for (key, positions) in expected {
      do {
        let term = key.isEmpty ? view.key.hash(space: 3, "all") : view.key.hash(space: 1, key)
        #expect(try view.positions(of: [term]) == positions)
      } catch RecordIndexError.doubtful(let segment) {
        index.distrust(segment)
      }
    }
  }

  @Test("a segment that was redacted has an index of what is left, and none while it is redacted")
  func redaction() throws {
    let journal = try SealedJournal()
    let storage = journal.copy()
    let index = Self.index(storage)
    try Self.extend(index)
    let key = try #require(try index.look()).key
    let erased = key.hash(space: 1, SealedJournal.markedKey)
    func holdsErased() -> Bool {
      let bytes = withUnsafeBytes(of: erased.littleEndian) { Array($0) }
      return storage.files.contains { $0.key.hasPrefix("index/") && $0.value.contains(bytes) }
    }
    #expect(holdsErased())
    var removed: [UInt64] = []
    var rewritten: [UInt64] = []
    _ = try SegmentRedaction(directory: TestJournal.directory, storage: storage).redact(
      upTo: .max, matching: SealedJournal.isMarked,
      step: { step in
        if step.file.extension == "index" { removed.append(step.segmentNumber) }
        guard step.change == .rename else { return }
        rewritten.append(step.segmentNumber)
        #expect(removed.contains(step.segmentNumber))
      })
    #expect(removed == rewritten && !removed.isEmpty)
    #expect(!holdsErased())
    // What stands behind the first of them is read from the journal itself meanwhile.
    try Self.extend(index)
    #expect(!holdsErased())
    try Self.check(index, storage, coveredTo: journal.report.lastPosition)
  }

  @Test("what retention deletes goes from the index too")
  func retention() throws {
    let journal = try SealedJournal()
    let storage = journal.copy()
    let index = Self.index(storage)
    try Self.extend(index)
    let point = JournalPoint(
      position: journal.report.lastPosition, chainHash: journal.report.headHash, segmentNumber: 1,
      segmentID: SegmentID(high: 0, low: 0))
    let report = try SegmentRetention(directory: TestJournal.directory, storage: storage).apply(
      RetentionRule(.delete, totalByteCountMaximum: 3 * SealedJournal.segmentByteCount, neverBeyond: point),
      nowMilliseconds: 0)
    #expect(!report.segments.isEmpty && report.failure == nil)
    let left = storage.files.keys.filter { $0.hasSuffix(".index") }.compactMap { name in
      JournalDirectory.segmentNumber(ofIndex: String(name.dropFirst("index/".count)))
    }
    #expect(Set(left).isDisjoint(with: report.segments))
    try Self.check(index, storage, coveredTo: journal.report.lastPosition)
  }

  @Test("an index of another history, without its key, or of nothing is not believed")
  func foreign() throws {
    let journal = try SealedJournal(400)
    let storage = journal.copy()
    try Self.extend(Self.index(storage))
    // The records behind a repair's end, and what came in their place.
    let other = FaultyStorage()
    let second = try TestJournal(other, segmentByteCount: SealedJournal.segmentByteCount) {
      $0.randomBytes = predictableBytes(seed: 99)
    }
    try second.write(sampleRecords(400, seed: 8))
    _ = try second.writer.roll()
    try second.writer.close()
    other.state.withLock { state in
      state.directories.insert("index")
      for (name, bytes) in storage.files where name.hasPrefix("index/") {
        state.files[name] = FaultyStorage.Contents(bytes)
      }
    }
    let index = Self.index(other)
    #expect(try index.look() == nil)
    try Self.extend(index)
    try Self.check(index, other, coveredTo: 400)

    other.state.withLock { $0.files["index/KEY"] = nil }
    let keyless = Self.index(other)
    #expect(try keyless.look() == nil)
    try Self.extend(keyless)
    try Self.check(keyless, other, coveredTo: 400)

    try keyless.removeAll()
    #expect(!other.files.keys.contains { $0.hasPrefix("index/") })
    #expect(try keyless.look() == nil)
  }

  @Test("wherever the disk fails, it is whole in the end, and never wrong in between")
  func failures() throws {
    let journal = try SealedJournal(60)
    try SealedJournal.failEverywhere(
      journal.copy(), step: 29,
      check: { storage, isAtEnd in
        let index = Self.index(storage)
        try Self.expectTruth(index, storage)
        if isAtEnd { try Self.check(index, storage, coveredTo: journal.report.lastPosition) }
      },
      work: { try Self.extend(Self.index($0)) })
  }

  @Test("more records than are wanted are refused")
  func tooMany() throws {
    let journal = try SealedJournal(300)
    let storage = journal.copy()
    try Self.extend(Self.index(storage))
    let view = try #require(try Self.index(storage).look())
    #expect(throws: RecordIndexError.tooMany) {
      try view.positions(of: [view.key.hash(space: 3, "all")], maximum: 299)
    }
    #expect(try view.positions(of: [view.key.hash(space: 3, "all")], maximum: 300).count == 300)
  }
}

extension Array where Element == UInt8 {
  /// Whether these bytes stand somewhere in it.
  fileprivate func contains(_ bytes: [UInt8]) -> Bool {
    count >= bytes.count && (0...(count - bytes.count)).contains { self[$0..<($0 + bytes.count)].elementsEqual(bytes) }
  }
}
