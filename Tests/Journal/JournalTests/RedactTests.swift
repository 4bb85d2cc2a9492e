import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Journal
@testable import JournalFormat

@Suite("Journal, redaction of files")
struct RedactTests {
  /// Where the segments lie and in which form when they are redacted.
  enum Form: CaseIterable { case live, packed, archived, archivedPacked, mixed }

  private static func redaction(_ storage: FaultyStorage) -> SegmentRedaction {
    SegmentRedaction(directory: TestJournal.directory, storage: storage)
  }

  static func bring(_ storage: FaultyStorage, into form: Form) throws {
    let packer = SegmentPacker(directory: TestJournal.directory, storage: storage)
    let retention = SegmentRetention(directory: TestJournal.directory, storage: storage)
    let rule = RetentionRule(.archive, ageMillisecondsMaximum: 0, neverBeyond: nil)
    if form == .packed || form == .archivedPacked { #expect(try packer.pack().failure == nil) }
    if form == .archived || form == .archivedPacked {
      #expect(try retention.apply(rule, nowMilliseconds: 1_700_000_000_000).failure == nil)
    }
    if form == .mixed {
      #expect(try packer.pack(countMaximum: 1).failure == nil)
      let some = RetentionRule(
        .archive, totalByteCountMaximum: 4 * SealedJournal.segmentByteCount, neverBeyond: nil)
      #expect(try retention.apply(some, nowMilliseconds: 1_700_000_000_000).failure == nil)
      #expect(try packer.pack(countMaximum: 1).failure == nil)
    }
  }

  /// Fails if a text stands in any segment, unpacked or not.
  static func expectGone(_ text: [UInt8], from storage: FaultyStorage) throws {
    let directory = JournalDirectory(path: TestJournal.directory, storage: storage)
    var image = SegmentImage()
    for place in try directory.places() {
      var isThere = false
      _ = try directory.examine(place, &image) { record in
        if Array(record.body).contains(text) || record.keyText == SealedJournal.markedKey { isThere = true }
      }
      #expect(!isThere, "\(place.path)")
    }
    for (name, bytes) in storage.files { #expect(!bytes.contains(text), "\(name)") }
  }

  @Test("one customer's records are gone, all others, positions and hashes stay", arguments: Form.allCases)
  func oneCustomer(form: Form) throws {
    let journal = try SealedJournal()
    let storage = journal.copy()
    try Self.bring(storage, into: form)
    let names = Set(storage.files.keys)
    let report = try Self.redaction(storage).redact(upTo: .max, matching: SealedJournal.isMarked)
    let marked = journal.positions()
    #expect(report.records == UInt64(marked.count))
    #expect(report.segments == journal.report.segments - 1)
    try journal.check(storage, redacted: marked)
    try Self.expectGone(SealedJournal.mark, from: storage)
    #expect(Set(storage.files.keys) == names)
    // Once more: nothing to do, and nothing is written.
    let after = storage.files
    let again = try Self.redaction(storage).redact(upTo: .max, matching: SealedJournal.isMarked)
    #expect(again.records == 0 && again.segments == 0)
    #expect(storage.files == after)
  }

  @Test("none: nothing is written", arguments: Form.allCases)
  func none(form: Form) throws {
    let journal = try SealedJournal(300)
    let storage = journal.copy()
    try Self.bring(storage, into: form)
    let before = storage.files
    let report = try Self.redaction(storage).redact(upTo: .max) { _ in false }
    #expect(report.records == 0 && report.segments == 0 && report.examinedSegments == journal.report.segments)
    #expect(storage.files == before)
  }

  @Test("all records: longer segments, the same chain, and a second selection on top", arguments: Form.allCases)
  func all(form: Form) throws {
    let journal = try SealedJournal()
    let storage = journal.copy()
    try Self.bring(storage, into: form)
    #expect(try Self.redaction(storage).redact(upTo: .max, matching: SealedJournal.isMarked).records > 0)
    let report = try Self.redaction(storage).redact(upTo: .max) { _ in true }
    #expect(report.records == journal.report.records - UInt64(journal.positions().count))
    try journal.check(storage, redacted: journal.positions { _ in true })
    #expect(storage.files.filter { $0.key.hasSuffix(".segment") }.allSatisfy { $0.value.count % 4096 == 0 })
  }

  @Test("the first and the last record of a journal, of a frame, and those before a position")
  func edges() throws {
    let journal = try SealedJournal()
    let last = journal.report.lastPosition
    for wanted in [[1], [last], [2, 3], [last - 1], [1, last]] as [Set<UInt64>] {
      let storage = journal.copy()
      #expect(try Self.redaction(storage).redact(upTo: .max) { wanted.contains($0.position) }.records > 0)
      try journal.check(storage, redacted: wanted)
    }
    let storage = journal.copy()
    #expect(try Self.redaction(storage).redact(upTo: 100) { _ in true }.records == 100)
    try journal.check(storage, redacted: Set(1...100))
  }

  @Test("a segment that is still written is refused, if it has such records")
  func inUse() throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage)
    try journal.write(sampleRecords(20))
    let file = TestJournal.directory.appending(firstSegment)
    #expect(throws: JournalError.segmentInUse(file)) { try Self.redaction(storage).redact(upTo: 20) { _ in true } }
    #expect(try Self.redaction(storage).redact(upTo: 20) { _ in false }.records == 0)
    let point = try journal.writer.roll()
    #expect(try Self.redaction(storage).redact(upTo: point.position) { _ in true }.records == 20)
    try journal.write(sampleRecords(5, from: 20))
    try journal.writer.close()
    let again = try TestJournal(storage)
    #expect(again.replayed.count == 25)
    try again.writer.close()
  }

  @Test("a damaged segment is named and left as it is; those before it are done")
  func damaged() throws {
    let journal = try SealedJournal()
    journal.storage.update(secondSegment) { $0[5000] ^= 1 }
    let before = journal.storage.files[secondSegment]
    #expect(throws: JournalError.self) {
      try Self.redaction(journal.storage).redact(upTo: .max, matching: SealedJournal.isMarked)
    }
    #expect(journal.storage.files[secondSegment] == before)
    #expect(journal.storage.files[firstSegment] != nil)
  }

  @Test("the largest frame of the smallest records grows beyond what a writer may write, and is read")
  func largestFrame() throws {
    var builder = SegmentBuilder(byteCount: 4 * 1024 * 1024)
    let records = (0..<32_000).map {
      PendingRecord(kind: 1, key: "", sequence: UInt64($0 % 100), timeMilliseconds: 0, tag: 1, payload: [])
    }
    // Two units in one frame.
    try builder.add(records, and: records)
    builder.addEmpty(seal: true)
    let segment = builder.bytes
    let redacted = try segment.withUnsafeBytes { bytes throws(FormatError) in
      let redacted = try RedactedSegment.replacing(bytes) { _ in true }
      #expect(redacted.recordCount == 64_000)
      return Array(redacted.bytes)
    }
    try redacted.withUnsafeBytes { bytes in
      var scanner = try SegmentScanner(bytes)
      let frame = try #require(try scanner.next())
      #expect(frame.header.plainByteCount > FormatLimits.framePlainByteCountMaximum)
      var decoder = FrameDecoder()
      var count = 0
      try decoder.forEachRecord(of: frame, in: bytes, previousHash: .zero) { count += $0.isRedacted ? 1 : 0 }
      #expect(count == 64_000)
    }
    // And packed.
    try redacted.withUnsafeBytes { bytes in
      let packed = try PackedSegmentEncoder.pack(bytes)
      var segment = try PackedSegment(packed.bytes)
      let room = UnsafeMutableRawBufferPointer.allocate(byteCount: segment.header.expandedByteCount, alignment: 16)
      defer { room.deallocate() }
      try segment.expand(into: room, hashing: true)
    }
  }

  @Test("steps are announced before they are taken, and an error thrown there stops")
  func steps() throws {
    let journal = try SealedJournal(300)
    var steps: [SegmentStep] = []
    _ = try Self.redaction(journal.copy()).redact(upTo: .max, matching: SealedJournal.isMarked) { steps.append($0) }
    #expect(steps.map(\.change) == (1..<journal.report.segments).flatMap { _ in [.write, .rename] })
    let storage = journal.copy()
    #expect(throws: JournalError.closed) {
      try Self.redaction(storage).redact(upTo: .max, matching: SealedJournal.isMarked) { step throws(JournalError) in
        if step.segmentNumber == 2 { throw .closed }
      }
    }
    #expect(storage.files[secondSegment] == journal.storage.files[secondSegment])
    #expect(storage.files[firstSegment] != journal.storage.files[firstSegment])
  }

  @Test("what was cut off a segment goes")
  func cutFiles() throws {
    let journal = try SealedJournal(50)
    journal.storage.state.withLock { state in
      for name in ["\(firstSegment).8192.cut", "\(firstSegment).8192-2.cut"] {
        state.files[name] = FaultyStorage.Contents(SealedJournal.mark)
      }
    }
    #expect(try Self.redaction(journal.storage).removeCutFiles() == 2)
    #expect(journal.storage.files.keys.contains { $0.hasSuffix(".cut") } == false)
    #expect(try Self.redaction(journal.storage).removeCutFiles() == 0)
  }

  @Test(
    "at whatever call the disk fails: each segment before or after, and the next run completes it",
    arguments: [Form.live, .archivedPacked])
  func failures(form: Form) throws {
    let journal = try SealedJournal(200)
    try Self.bring(journal.storage, into: form)
    let marked = journal.positions()
    try SealedJournal.failEverywhere(journal.storage) { storage, isAtEnd in
      if isAtEnd { return try journal.check(storage, redacted: marked) }
      var found: Set<UInt64> = []
      let reader = JournalReader(directory: TestJournal.directory, storage: storage)
      try reader.walk(checkingHashes: true, record: { if $0.isRedacted { found.insert($0.position) } })
      #expect(found.isSubset(of: marked))
      try journal.check(storage, redacted: found)
    } work: {
      _ = try Self.redaction($0).redact(upTo: .max, matching: SealedJournal.isMarked)
    }
  }

  @Test("readers see every record, redacted or not, while it is done")
  func beside() throws {
    let journal = try SealedJournal(300)
    let storage = journal.copy()
    _ = try Self.redaction(storage).redact(upTo: .max, matching: SealedJournal.isMarked) { _ in
      let report = try? JournalReader(directory: TestJournal.directory, storage: storage).verify()
      #expect(report?.headHash == journal.report.headHash && report?.records == journal.report.records)
    }
  }
}
