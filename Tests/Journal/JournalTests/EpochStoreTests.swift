import Foundation
import JournalFormat
import SystemPackage
import Testing

@testable import Journal

@Suite("Journal, the file that says who writes it")
struct EpochStoreTests {
  private static func store(_ storage: FaultyStorage) -> EpochStore {
    EpochStore(directory: TestJournal.directory, storage: storage)
  }

  private static let file = TestJournal.directory.appending("EPOCH")

  /// A journal with records, last written in `epoch`.
  private static func journal(epoch: UInt32? = nil) throws -> FaultyStorage {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage, segmentByteCount: 16 * 1024, epoch: epoch)
    try journal.write(sampleRecords(5))
    try journal.writer.close()
    return storage
  }

  @Test("is read as it was written, and takes the place of the one before")
  func roundTrip() throws {
    let storage = FaultyStorage()
    let store = Self.store(storage)
    #expect(try store.read() == nil)
    for role in JournalEpoch.Role.allCases {
      let epoch = JournalEpoch(role: role, own: 7, told: .max)
      try store.write(epoch)
      #expect(try store.read() == epoch)
    }
    #expect(storage.files.keys.sorted() == ["EPOCH"])
    #expect(storage.files["EPOCH"]?.count == 32)
  }

  @Test("the sample of version 1 is read, and written again byte for byte")
  func golden() throws {
    let sample = GoldenTests.directory.deletingLastPathComponent().appending(path: "epoch-1")
    let epoch = try #require(try EpochStore(directory: FilePath(sample.path)).read())
    #expect(epoch == JournalEpoch(role: .standby, own: 3, told: 5))
    #expect(epoch.encoded() == Array(try Data(contentsOf: sample.appending(path: "EPOCH"))))
  }

  @Test("every flipped bit and every cut is noticed, and no writer begins")
  func damaged() throws {
    let storage = try Self.journal(epoch: 2)
    let bytes = try #require(storage.files["EPOCH"])
    let error = JournalError.epochDamaged(Self.file)
    for bit in 0..<(bytes.count * 8) {
      storage.update("EPOCH") { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
      #expect(throws: error) { try Self.store(storage).read() }
      storage.update("EPOCH") { $0 = bytes }
    }
    for count in Array(0..<bytes.count) + [bytes.count + 1] {
      storage.update("EPOCH") { $0 = Array((bytes + [0]).prefix(count)) }
      #expect(throws: error) { try Self.store(storage).read() }
    }
    let before = storage.files
    #expect(throws: error) { try TestJournal(storage) }
    #expect(storage.files == before)
  }

  /// A number in the file that its writer would not have written, with a right checksum.
  @Test(
    "what nobody writes is not believed", arguments: [(16, 0), (16, 4), (20, 0), (20, 6), (24, 4)] as [(Int, UInt8)])
  func forged(offset: Int, value: UInt8) throws {
    var bytes = JournalEpoch(role: .primary, own: 5, told: 5).encoded()
    bytes[offset] = value
    let checksum = bytes.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[..<28]).checksum(seed: 0) }
    withUnsafeBytes(of: checksum.littleEndian) { bytes.replaceSubrange(28..., with: $0) }
    #expect(throws: FormatError.headerDamaged) { try bytes.withUnsafeBytes { try JournalEpoch.decode($0) } }
  }

  @Test("one of a newer version is named as such")
  func newer() throws {
    var bytes = JournalEpoch(role: .primary, own: 5, told: 5).encoded()
    bytes[8] = 2
    let checksum = bytes.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[..<28]).checksum(seed: 0) }
    withUnsafeBytes(of: checksum.littleEndian) { bytes.replaceSubrange(28..., with: $0) }
    let storage = FaultyStorage(files: ["EPOCH": bytes])
    #expect(throws: JournalError.newerVersion(file: Self.file, version: 2)) { try Self.store(storage).read() }
  }

  @Test("a failure at any call leaves the old one or the new one", arguments: 0..<6)
  func failures(call: Int) throws {
    let storage = FaultyStorage()
    let (old, new) = (JournalEpoch(role: .primary, own: 1, told: 1), JournalEpoch(role: .primary, own: 1, told: 2))
    try Self.store(storage).write(old)
    storage.set { $0.failCallAfter = call }
    try? Self.store(storage).write(new)
    let found = try Self.store(storage.crashed()).read()
    #expect(found == old || found == new)
  }

  @Test("without the file a journal goes on in the epoch of its last segment, and none is made")
  func absent() throws {
    let storage = FaultyStorage()
    let first = try TestJournal(storage)
    #expect(first.writer.epoch == 1)
    try first.writer.close()
    #expect(storage.files["EPOCH"] == nil)

    let later = FaultyStorage(files: try Self.journal(epoch: 4).files.filter { $0.key != "EPOCH" })
    let journal = try TestJournal(later, segmentByteCount: 16 * 1024)
    #expect(journal.writer.epoch == 4)
    #expect(journal.replayed == sampleRecords(5))
    try journal.writer.close()
    #expect(later.files["EPOCH"] == nil)
  }

  @Test("a standby's directory, and that of a primary that was relieved, are not written, and nothing is changed")
  func refused() throws {
    let refusals: [(JournalEpoch, JournalError)] = [
      (JournalEpoch(role: .standby, own: 2, told: 2), .followsAnother(directory: TestJournal.directory)),
      (JournalEpoch(role: .standby, own: 2, told: 3), .followsAnother(directory: TestJournal.directory)),
      (
        JournalEpoch(role: .primary, own: 2, told: 3),
        .relieved(directory: TestJournal.directory, epoch: 2, by: 3)
      ),
    ]
    for (epoch, error) in refusals {
      let storage = try Self.journal(epoch: 2)
      try Self.store(storage).write(epoch)
      // A torn end, which a start would cut off.
      storage.update(firstSegment) { $0[$0.count - 1] = 1 }
      let before = storage.files
      #expect(throws: error) { try TestJournal(storage, segmentByteCount: 16 * 1024) }
      #expect(storage.files == before)
      // The lock was given back, and readers read on.
      try storage.lock(TestJournal.directory.appending("LOCK")).release()
      #expect(try readBack(storage) == sampleRecords(5))
    }
  }

  @Test(
    "a promotion begins an epoch above all that is known",
    arguments: [
      (nil, 1, 2), (nil, 3, 4), (JournalEpoch(role: .standby, own: 3, told: 3), 3, 4),
      // What was received last is of the epoch before the one that it followed, or of one behind it.
      (JournalEpoch(role: .standby, own: 4, told: 4), 3, 5), (JournalEpoch(role: .standby, own: 2, told: 2), 3, 4),
      (JournalEpoch(role: .standby, own: 3, told: 9), 3, 10), (JournalEpoch(role: .primary, own: 3, told: 3), 3, 4),
      (JournalEpoch(role: .primary, own: 3, told: 8), 3, 9),
    ] as [(JournalEpoch?, UInt32, UInt32)])
  func promotion(known: JournalEpoch?, journal: UInt32, next: UInt32) throws {
    let storage = try Self.journal(epoch: journal)
    if let known {
      try Self.store(storage).write(known)
    } else {
      try storage.remove(Self.file)
    }
    let (old, new) = try Self.store(storage).promote { _ in 0 }
    #expect(old == known ?? JournalEpoch(role: .primary, own: journal, told: journal))
    #expect(new == JournalEpoch(role: .primary, own: next, told: next))
    #expect(try Self.store(storage).read() == new)
    let again = try TestJournal(storage, segmentByteCount: 16 * 1024)
    #expect(again.writer.epoch == next)
    #expect(again.replayed == sampleRecords(5))
    #expect(again.report.currentFile == TestJournal.directory.appending(secondSegment))
    try again.write(sampleRecords(5, from: 5))
    try again.writer.close()
    #expect(try readBack(storage) == sampleRecords(10))
  }

  @Test(
    "a promotion passes over some epochs, so that another one of the same journal hardly begins the same",
    arguments: [(3, 256), (.max - 256, 256), (.max - 255, 255), (.max - 1, 1)] as [(UInt32, UInt32)])
  func passedOver(told: UInt32, choices: UInt32) throws {
    for isLast in [false, true] {
      let storage = try Self.journal(epoch: 2)
      try Self.store(storage).write(JournalEpoch(role: .standby, own: 2, told: told))
      var range: Range<UInt32>?
      let next = told + (isLast ? choices : 1)
      let (_, new) = try Self.store(storage).promote {
        range = $0
        return isLast ? $0.upperBound - 1 : $0.lowerBound
      }
      #expect(range == 0..<choices)
      #expect(new == JournalEpoch(role: .primary, own: next, told: next))
    }
  }

  @Test("by itself, a promotion does not always pass over the same number")
  func chance() throws {
    let whole = try Self.journal(epoch: 2)
    let epochs = try (0..<64).map { _ in try Self.store(whole.crashed()).promote().new.own }
    #expect(Set(epochs).count > 1 && epochs.allSatisfy { (3..<(3 + JournalEpoch.passedOverMaximum)).contains($0) })
  }

  @Test("nobody is promoted beside a writer, without a journal, or above the last epoch; nothing is changed then")
  func noPromotion() throws {
    let empty = FaultyStorage(files: ["LOCK": []])
    #expect(throws: JournalError.missingSegment(TestJournal.directory.appending(firstSegment))) {
      try Self.store(empty).promote()
    }
    #expect(empty.files == ["LOCK": []])

    let storage = try Self.journal(epoch: 2)
    let journal = try TestJournal(storage, segmentByteCount: 16 * 1024)
    let before = storage.segmentFiles
    #expect(throws: JournalError.locked(directory: TestJournal.directory)) { try Self.store(storage).promote() }
    #expect(storage.segmentFiles == before)
    try journal.writer.close()

    try Self.store(storage).write(JournalEpoch(role: .primary, own: 2, told: .max))
    let last = storage.files
    #expect(throws: JournalError.configuration("there is no epoch above 4294967295")) {
      try Self.store(storage).promote()
    }
    #expect(storage.files == last)
  }

  @Test("a promotion that fails at any call is none, or complete", arguments: [false, true])
  func promotionFails(isCutShort: Bool) throws {
    let whole = try Self.journal(epoch: 2)
    let old = JournalEpoch(role: .standby, own: 2, told: 2)
    try Self.store(whole).write(old)
    var call = 0
    while true {
      let storage = whole.crashed()
      let limit = call
      storage.set {
        $0.failCallAfter = limit
        $0.failsOneCallOnly = !isCutShort
      }
      let isDone = (try? Self.store(storage).promote { _ in 0 }) != nil
      let found = try Self.store(storage.crashed()).read()
      #expect(found == old || found == JournalEpoch(role: .primary, own: 3, told: 3))
      if isDone { break }
      call += 1
    }
    #expect(call > 8)
  }

  @Test("only a higher epoch is remembered, and it relieves the journal", arguments: [nil, 3] as [UInt32?])
  func heard(epoch: UInt32?) throws {
    let storage = try Self.journal(epoch: epoch)
    let own = epoch ?? 1
    let before = storage.files
    for known in 0...own {
      #expect(try Self.store(storage).heard(of: known) == JournalEpoch(role: .primary, own: own, told: own))
    }
    #expect(storage.files == before)
    #expect(try Self.store(storage).heard(of: own + 2) == JournalEpoch(role: .primary, own: own, told: own + 2))
    #expect(try Self.store(storage).heard(of: own + 1).told == own + 2)
    #expect(throws: JournalError.relieved(directory: TestJournal.directory, epoch: own, by: own + 2)) {
      try TestJournal(storage.crashed(), segmentByteCount: 16 * 1024)
    }
  }
  @Test(
    "an epoch is believed up to a bound above the own one, whatever was heard before, and nothing is changed beyond",
    arguments: [1, 3, 100_000, .max - JournalEpoch.leapMaximum, .max - 1] as [UInt32])
  func incredible(own: UInt32) throws {
    let storage = FaultyStorage()
    let store = Self.store(storage)
    let (highest, isBounded) = own.addingReportingOverflow(JournalEpoch.leapMaximum)
    try store.write(JournalEpoch(role: .primary, own: own, told: own))
    let last = isBounded ? .max : highest
    #expect(try store.heard(of: last).told == last)
    guard last < .max else { return }
    for epoch in [last + 1, .max] {
      #expect(throws: JournalError.self) { try store.heard(of: epoch) }
    }
    #expect(try store.read() == JournalEpoch(role: .primary, own: own, told: last))
  }
}
