import Foundation
import JournalFormat
import SystemPackage
import Testing

@testable import Journal

@Suite("Journal, a former primary made a copy of the one that took over")
struct RejoinTests {
  private static let directory = TestJournal.directory
  private static let segmentByteCount = 16 * 1024

  /// - Parameter seed: of the ids and salts: those that the two write by themselves differ.
  private static func open(_ storage: FaultyStorage, seed: UInt64 = 11) throws -> TestJournal {
    try TestJournal(storage, segmentByteCount: segmentByteCount) { $0.randomBytes = predictableBytes(seed: seed) }
  }

  private static func write(_ storage: FaultyStorage, _ records: [PendingRecord], seed: UInt64) throws {
    let journal = try open(storage, seed: seed)
    try journal.write(records)
    try journal.writer.close()
  }

  /// A primary that was killed after `common` records had come to its standby, and has written `own` more; and that
  /// standby, promoted, with `others` of its own.
  private static func parted(
    common: Int, own: Int, others: Int
  ) throws -> (former: FaultyStorage, next: FaultyStorage) {
    let former = FaultyStorage()
    let journal = try open(former)
    try journal.write(sampleRecords(common))
    let next = former.crashed()
    if own > 0 { try journal.write(sampleRecords(own, seed: 5, from: common)) }
    try journal.writer.close()
    _ = try EpochStore(directory: directory, storage: next).promote { _ in 0 }
    if others > 0 { try write(next, sampleRecords(others, seed: 6, from: common), seed: 22) }
    return (former, next)
  }

  @Test("the tree of records that are set aside goes with them, and indexes are made anew")
  func derived() throws {
    let (former, next) = try Self.parted(common: 20, own: 5, others: 5)
    for name in ["tree/STATE", "tree/0.hashes", "index/000000000001.index"] { former.put([1], at: directory(name)) }
    let kept = try Self.rejoin(former, next).kept
    #expect(!former.files.keys.contains { $0.hasPrefix("tree/") || $0.hasPrefix("index/") })
    let aside = try #require(kept.first?.lastComponent?.string)
    for name in ["STATE", "0.hashes"] { #expect(former.files["\(aside)/tree/\(name)"] == [1]) }

    // What has nothing of its own keeps them.
    let (copy, other) = try Self.parted(common: 20, own: 0, others: 5)
    try Self.dropClose(copy)
    copy.put([1], at: directory("tree/STATE"))
    _ = try Self.rejoin(copy, other)
    #expect(copy.files["tree/STATE"] == [1])
  }

  private func directory(_ name: String) -> FilePath { Self.directory.pushing(FilePath(name)) }

  private static func rejoin(
    _ former: FaultyStorage, _ next: FaultyStorage
  ) throws -> (finding: JournalRejoin.Finding, kept: [FilePath]) {
    // One disk for both: the other's files below a directory of their own.
    for (name, bytes) in next.files { former.put(bytes, at: FilePath("/other/\(name)")) }
    let other = try OtherJournal(directory: "/other", storage: former)
    let rejoin = try JournalRejoin(directory: directory, storage: former)
    defer { rejoin.release() }
    let segment = try rejoin.lastCommonSegment(with: other)
    let finding = try rejoin.examine(segment, of: other, in: "/other")
    return (finding, try rejoin.carryOut(finding, label: "now"))
  }

  private static func epoch(_ storage: FaultyStorage) throws -> JournalEpoch? {
    try EpochStore(directory: directory, storage: storage).read()
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let common: Int
    let own: Int
    let others: Int
  }

  @Test(
    "what only the former one has is set aside and can be read, and what is left is a beginning of the other",
    arguments: [
      Case(testDescription: "in one segment", common: 20, own: 10, others: 10),
      Case(testDescription: "the other has only begun its epoch", common: 20, own: 10, others: 0),
      Case(testDescription: "over several segments", common: 300, own: 600, others: 900),
      Case(testDescription: "from the first record on", common: 0, own: 10, others: 10),
    ])
  func parts(_ sample: Case) throws {
    let (former, next) = try Self.parted(common: sample.common, own: sample.own, others: sample.others)
    let all = sampleRecords(sample.common) + sampleRecords(sample.own, seed: 5, from: sample.common)
    #expect(try readBack(former) == all)
    let (finding, kept) = try Self.rejoin(former, next)
    #expect(finding.epoch == 2)
    #expect(finding.lastPosition == UInt64(sample.common))
    #expect(finding.lastAside == UInt64(all.count))
    #expect(kept == [Self.directory.appending("aside-now")])
    #expect(try readBack(former) == sampleRecords(sample.common))
    #expect(try Self.epoch(former) == JournalEpoch(role: .standby, own: 2, told: 2))
    #expect(throws: JournalError.followsAnother(directory: Self.directory)) { try Self.open(former) }
    // The whole parted segment, and those behind it, read like a journal.
    let aside = try readBack(former, directory: kept[0])
    #expect(aside == Array(all.suffix(aside.count)) && aside.count >= sample.own)
    // Every byte that is left is the other's.
    for (name, bytes) in former.files where name.hasSuffix(".segment") && !name.contains("/") {
      let other = try #require(next.files[name])
      let end = bytes.lastIndex { $0 != 0 } ?? 0
      #expect(bytes.count == other.count && bytes[...end] == other[...end])
    }
  }

  @Test("one that is only behind keeps all it has, and what was torn at its end goes", arguments: [0, 7])
  func behind(torn: Int) throws {
    let (former, next) = try Self.parted(common: 20, own: 0, others: 40)
    let cut = try Self.dropClose(former)
    former.update(firstSegment) { bytes in
      for offset in cut..<(cut + torn) { bytes[offset] = 0xEE }
    }
    let (finding, kept) = try Self.rejoin(former, next)
    #expect(finding.lastPosition == 20 && finding.lastAside == nil)
    #expect(finding.isCopy == (torn == 0))
    #expect(kept.isEmpty == (torn == 0))
    #expect(try readBack(former) == sampleRecords(20))
    #expect(former.files[firstSegment]?[cut...].allSatisfy { $0 == 0 } == true)
    #expect(try Self.epoch(former)?.role == .standby)
  }

  /// Takes the confirming frame of its close away: as a kill leaves a journal.
  /// - Returns: where it began.
  @discardableResult
  private static func dropClose(_ storage: FaultyStorage) throws -> Int {
    let cut = try #require(try frames(storage).last).offset
    storage.update(firstSegment) { bytes in
      for offset in cut..<bytes.count { bytes[offset] = 0 }
    }
    return cut
  }

  private static func frames(_ storage: FaultyStorage) throws -> [FrameInfo] {
    var frames: [FrameInfo] = []
    try JournalReader(directory: directory, storage: storage).forEachFrame { frames.append($0) }
    return frames
  }

  @Test("it may be the standby of another that was promoted, and the other's segment may be packed")
  func packed() throws {
    let (former, next) = try Self.parted(common: 300, own: 10, others: 900)
    try EpochStore(directory: Self.directory, storage: former)
      .write(JournalEpoch(role: .standby, own: 1, told: 1))
    _ = try SegmentPacker(directory: Self.directory, storage: next).pack(countMaximum: 100)
    let (finding, _) = try Self.rejoin(former, next)
    #expect(finding.lastPosition == 300 && finding.lastAside == 310)
    #expect(try readBack(former) == sampleRecords(300))
  }

  @Test("snapshots, and edges of the tree, that may know more go too", arguments: [0, 10])
  func snapshots(own: Int) throws {
    let (former, next) = try Self.parted(common: 20, own: own, others: 5)
    // What they hold is not looked at.
    for position in [10, 20, 25] as [UInt64] {
      let digits = String(repeating: "0", count: 18) + String(position)
      former.put([1], at: FilePath("/journal/snapshots/\(digits).snapshot"))
      former.put([1], at: FilePath("/journal/snapshots/\(digits).edge"))
    }
    _ = try Self.rejoin(former, next)
    let left = former.files.keys.filter { $0.hasPrefix("snapshots/") }.map { String($0.dropFirst(28)) }.sorted()
    // Of two that begin before the end, the newer may have been made while more was written.
    let newer = own > 0 ? [] : ["20.snapshot"]
    #expect(left == (["10.edge", "10.snapshot", "20.edge"] + newer).sorted())
  }

  @Test("interrupted at any call, no server starts on it, and it can be begun again")
  func interrupted() throws {
    let (whole, next) = try Self.parted(common: 300, own: 600, others: 100)
    for (name, bytes) in next.files { whole.put(bytes, at: FilePath("/other/\(name)")) }
    let all = sampleRecords(300) + sampleRecords(600, seed: 5, from: 300)
    var call = 0
    while true {
      let storage = whole.crashed()
      let other = try OtherJournal(directory: "/other", storage: storage)
      let rejoin = try JournalRejoin(directory: Self.directory, storage: storage)
      let finding = try rejoin.examine(try rejoin.lastCommonSegment(with: other), of: other, in: "/other")
      let limit = call
      storage.set { $0.failCallAfter = limit }
      let isDone = (try? rejoin.carryOut(finding, label: "now")) != nil
      let again = storage.crashed()
      if let epoch = try Self.epoch(again) {
        let refusal = JournalError.relieved(directory: Self.directory, epoch: 1, by: 2)
        #expect(throws: epoch.role == .standby ? .followsAnother(directory: Self.directory) : refusal) {
          try Self.open(again)
        }
      } else {
        #expect(try readBack(again) == all)
      }
      if isDone { break }
      if try Self.epoch(again)?.role != .standby { _ = try Self.rejoin(again, next) }
      #expect(try readBack(again) == sampleRecords(300))
      // Whatever was set aside in the first run or the second: every byte of it is there.
      let aside = Set(again.files.filter { $0.key.hasPrefix("aside-") }.map { $0.key.split(separator: "/").last })
      #expect(aside.count >= 2)
      call += 3
    }
    #expect(call > 20)
  }

  @Test("refused without a change: another journal, one that has not taken over, a writer, no journal")
  func refused() throws {
    let (former, next) = try Self.parted(common: 20, own: 5, others: 5)
    let foreign = FaultyStorage()
    try Self.write(foreign, sampleRecords(5), seed: 33)
    _ = try EpochStore(directory: Self.directory, storage: foreign).promote { _ in 0 }
    let before = former.files
    let known = former.crashed()
    #expect(throws: RejoinError.otherJournal(directory: Self.directory)) { try Self.rejoin(known, foreign) }
    #expect(throws: RejoinError.notLater(directory: Self.directory, epoch: 1, other: 1)) {
      try Self.rejoin(former.crashed(), former)
    }
    #expect(known.files.filter { !$0.key.hasPrefix("/other") } == before)
    let writer = try Self.open(former)
    #expect(throws: JournalError.locked(directory: Self.directory)) { try Self.rejoin(former, next) }
    try writer.writer.close()
    #expect(throws: JournalError.missingSegment(Self.directory.appending(firstSegment))) {
      try JournalRejoin(directory: Self.directory, storage: FaultyStorage(files: ["x": []]))
    }
  }

  @Test("two that were promoted into one epoch and written are told apart, and the one that stays is promoted again")
  func sameEpoch() throws {
    let (former, next) = try Self.parted(common: 20, own: 0, others: 5)
    // Promoted, and not written: it has nothing that could differ.
    _ = try EpochStore(directory: Self.directory, storage: former).promote { _ in 0 }
    let written = former.crashed()
    #expect(throws: RejoinError.notLater(directory: Self.directory, epoch: 2, other: 2)) {
      try Self.rejoin(former.crashed(), next)
    }
    try Self.write(written, sampleRecords(7, seed: 5, from: 20), seed: 44)
    #expect(throws: RejoinError.sameEpoch(directory: Self.directory, epoch: 2)) {
      try Self.rejoin(written.crashed(), next)
    }
    _ = try EpochStore(directory: Self.directory, storage: next).promote { _ in 0 }
    let (finding, _) = try Self.rejoin(written, next)
    #expect(finding.epoch == 3 && finding.lastPosition == 20 && finding.lastAside == 27)
    #expect(try readBack(written) == sampleRecords(20))
  }

  @Test("an erasure deletes what was set aside")
  func erased() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "rejoin-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: url) }
    let (former, next) = try Self.parted(common: 20, own: 10, others: 5)
    let storage = DiskStorage()
    for (folder, files) in [("journal", former.files), ("other", next.files)] {
      try FileManager.default.createDirectory(at: url.appending(path: folder), withIntermediateDirectories: true)
      for (name, bytes) in files { try Data(bytes).write(to: url.appending(path: "\(folder)/\(name)")) }
    }
    let snapshots = url.appending(path: "journal/snapshots")
    try FileManager.default.createDirectory(at: snapshots, withIntermediateDirectories: true)
    try Data([1]).write(to: snapshots.appending(path: "00000000000000000030.snapshot"))
    let (journal, path) = (FilePath(url.path).appending("journal"), FilePath(url.path).appending("other"))
    let other = try OtherJournal(directory: path)
    let rejoin = try JournalRejoin(directory: journal)
    let finding = try rejoin.examine(try rejoin.lastCommonSegment(with: other), of: other, in: path)
    let kept = try rejoin.carryOut(finding, label: "now")
    rejoin.release()
    #expect(kept == [journal.appending("aside-now")])
    #expect(try storage.list(kept[0]).sorted() == [firstSegment, "snapshots"])
    #expect(try SegmentRedaction(directory: journal).removeCutFiles() == 2)
    #expect(try storage.list(kept[0]) == ["snapshots"])
    #expect(try storage.list(kept[0].appending("snapshots")) == [])
  }
}
