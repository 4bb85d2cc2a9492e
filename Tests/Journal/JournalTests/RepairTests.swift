import JournalFormat
import Synchronization
import SystemPackage
import Testing

@testable import Journal

@Suite("Journal, repair")
struct RepairTests {
  private static let segmentByteCount = 16 * 1024
  private static let directory = TestJournal.directory

  private static func written(_ count: Int) throws -> FaultyStorage {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage, segmentByteCount: segmentByteCount)
    try journal.write(sampleRecords(count))
    try journal.writer.close()
    return storage
  }

  private static func repair(_ storage: FaultyStorage) -> JournalRepair {
    JournalRepair(directory: directory, storage: storage)
  }

  private static func frames(_ storage: FaultyStorage) throws -> [FrameInfo] {
    var frames: [FrameInfo] = []
    try JournalReader(directory: directory, storage: storage).forEachFrame { frames.append($0) }
    return frames
  }

  /// Starts on it, writes more, and reads everything back.
  private static func goOn(_ storage: FaultyStorage, with kept: Int) throws {
    let journal = try TestJournal(storage, segmentByteCount: segmentByteCount)
    #expect(journal.replayed == Array(sampleRecords(600)[..<kept]))
    try journal.write(sampleRecords(20, from: 900))
    try journal.writer.close()
    #expect(try readBack(storage) == sampleRecords(600)[..<kept] + sampleRecords(20, from: 900))
  }

  @Test("a whole journal, and one with a torn end, are not touched")
  func intact() throws {
    let storage = try Self.written(300)
    let number = try #require(try Self.frames(storage).last).segmentNumber
    storage.update("00000000000\(number).segment") { $0[$0.count - 1] = 7 }
    let before = storage.files
    #expect(try Self.repair(storage).examine() == nil)
    #expect(try Self.repair(storage).truncate() == nil)
    #expect(storage.files == before)
  }

  @Test("a journal that was cut short ends behind its last whole frame, and the rest is kept aside")
  func cutShort() throws {
    let storage = try Self.written(50)
    let frames = try Self.frames(storage)
    let cut = frames[4].offset + 30
    storage.update(firstSegment) { $0.removeSubrange(cut...) }
    let rest = Array(try #require(storage.files[firstSegment])[frames[4].offset...])
    let before = storage.files
    let finding = try #require(try Self.repair(storage).examine())
    #expect(storage.files == before)
    #expect(
      finding.error
        == .cutShort(file: Self.directory.appending(firstSegment), byteCount: cut, whole: Self.segmentByteCount))
    #expect(finding.lastPosition == frames[4].header.firstPosition - 1)
    let outcome = try #require(try Self.repair(storage).truncate())
    #expect(outcome.finding == finding)
    let side = "\(firstSegment).\(frames[4].offset).cut"
    #expect(outcome.kept == [Self.directory.appending(side)])
    #expect(storage.files[side].map { rest.starts(with: $0) } == true)
    #expect(storage.files[firstSegment]?.count == Self.segmentByteCount)
    try Self.goOn(storage, with: Int(finding.lastPosition))
  }

  @Test("damage in the middle: later segments and snapshots behind the end are set aside as they are")
  func damaged() throws {
    let storage = try Self.written(600)
    let frames = try Self.frames(storage)
    let numbers = try #require(frames.last).segmentNumber
    try #require(numbers >= 4)
    let broken = try #require(frames.first { $0.segmentNumber == 2 && $0.offset > 8_000 })
    let early = try #require(frames.last { $0.segmentNumber == 1 && !$0.header.isEmpty })
    let store = SnapshotStore(directory: Self.directory, storage: storage)
    for frame in [early, try #require(frames.last { !$0.header.isEmpty })] {
      let point = JournalPoint(
        position: frame.header.endPosition - 1, chainHash: frame.header.chainHash, segmentNumber: frame.segmentNumber,
        segmentID: frame.segmentID)
      _ = try store.begin(at: point, createdMilliseconds: 0).finish()
    }
    storage.update(secondSegment) { $0[broken.offset + 90] ^= 1 }
    let last = try #require(storage.files["00000000000\(numbers).segment"])
    #expect(throws: JournalError.self) { try TestJournal(storage, segmentByteCount: Self.segmentByteCount) }
    let finding = try #require(try Self.repair(storage).truncate()).finding
    #expect(finding.cut?.offset == broken.offset)
    #expect(finding.setAside.count == Int(numbers) - 2 + 1)
    #expect(storage.files["00000000000\(numbers).segment.0.cut"] == last)
    #expect(try store.all().map(\.position) == [early.header.endPosition - 1])
    #expect(storage.files.keys.contains { $0.hasSuffix(".snapshot.0.cut") })
    try Self.goOn(storage, with: Int(broken.header.firstPosition) - 1)
  }

  @Test("what cannot be cut inside is set aside as a whole: without a header, or behind a gap")
  func wholeSegments() throws {
    for gap in [false, true] {
      let storage = try Self.written(600)
      let end = try #require(try Self.frames(storage).last { $0.segmentNumber == 2 }).header.endPosition - 1
      if gap {
        storage.state.withLock { $0.files["000000000003.segment"] = nil }
      } else {
        storage.update("000000000003.segment") { $0[40] ^= 1 }
      }
      let finding = try #require(try Self.repair(storage).truncate()).finding
      #expect(finding.cut == nil && finding.lastPosition == end)
      try Self.goOn(storage, with: Int(end))
    }
  }

  @Test("nothing is left of a journal whose first segment has no header: that is refused; so is one in use")
  func refused() throws {
    let storage = try Self.written(50)
    storage.update(firstSegment) { $0[40] ^= 1 }
    let before = storage.files
    #expect(throws: JournalError.self) { try Self.repair(storage).truncate() }
    #expect(storage.files == before)
    let used = try Self.written(50)
    let lock = try used.lock(Self.directory.appending("LOCK"))
    #expect(throws: JournalError.locked(directory: Self.directory)) { try Self.repair(used).truncate() }
    lock.release()
  }

  @Test("interrupted at any call, it can be begun again and loses nothing more")
  func interrupted() throws {
    let whole = try Self.written(300)
    let frames = try Self.frames(whole)
    let broken = try #require(frames.first { $0.segmentNumber == 1 && $0.offset > 8_000 })
    whole.update(firstSegment) { $0[broken.offset + 90] ^= 1 }
    var call = 1
    while true {
      let storage = whole.crashed()
      let limit = call
      storage.set { $0.failCallAfter = limit }
      let isDone = (try? Self.repair(storage).truncate()) != nil
      let again = storage.crashed()
      if try Self.repair(again).examine() != nil { _ = try Self.repair(again).truncate() }
      try Self.goOn(again, with: Int(broken.header.firstPosition) - 1)
      if isDone { break }
      call += 4
    }
    #expect(call > 20)
  }
}
