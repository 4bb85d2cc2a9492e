import JournalFormat
import SystemPackage
import Testing

@testable import Journal

@Suite("A copy that is promoted")
struct CopyPromotionTests {
  private static let standby = JournalEpoch(role: .standby, own: 1, told: 1)

  private static func promote(_ storage: FaultyStorage) throws -> JournalEpoch {
    try EpochStore(directory: TestJournal.directory, storage: storage).promote { _ in 0 }.new
  }

  @Test("ends behind its last whole frame, also where a loss of power left a later one without an earlier one")
  func tornOutOfOrder() throws {
    let source = try CopySource.make()
    let ends = try source.frameEnds(of: 3)
    let storage = FaultyStorage(files: source.files)
    storage.update("000000000003.segment") { file in for index in ends[2]..<ends[3] { file[index] = 0 } }
    try EpochStore(directory: TestJournal.directory, storage: storage).write(Self.standby)
    #expect(try Self.promote(storage) == JournalEpoch(role: .primary, own: 2, told: 2))
    let journal = try TestJournal(storage, segmentByteCount: 16 * 1024)
    #expect(journal.replayed.count < CopySource.recordCount)
    #expect(journal.replayed == Array(sampleRecords(CopySource.recordCount).prefix(journal.replayed.count)))
    try journal.write(sampleRecords(5))
    try journal.writer.close()
    #expect(try readBack(storage).count == journal.replayed.count + 5)
  }

  @Test("sets aside snapshots, and edges of the tree, of what it has not come to; a primary keeps its own")
  func snapshotsBeyondTheEnd() throws {
    let source = try CopySource.make()
    let end = UInt64(CopySource.recordCount)
    let names = [end - 1, end, end + 1].flatMap { position in
      [SnapshotFile(position: position, in: "").path.string, TreeEdges.name(position)]
    }
    for role in [JournalEpoch.Role.standby, .primary] {
      let storage = FaultyStorage(files: source.files)
      for name in names { storage.put(Array(name.utf8), "snapshots/\(name)") }
      try EpochStore(directory: TestJournal.directory, storage: storage).write(
        JournalEpoch(role: role, own: 1, told: 1))
      _ = try Self.promote(storage)
      for (index, name) in names.enumerated() {
        let isAside = role == .standby && index >= 4
        #expect(storage.files["snapshots/\(name)"] == (isAside ? nil : Array(name.utf8)))
        #expect(storage.files["aside-promotion/snapshots/\(name)"] == (isAside ? Array(name.utf8) : nil))
      }
    }
  }

  @Test("is the new copy, if that was whole when the follower was killed")
  func exchange() throws {
    let source = try CopySource.make()
    let storage = FaultyStorage()
    storage.put([0], "000000000001.segment")
    for (name, bytes) in source.files { storage.put(bytes, "copy/\(name)") }
    try EpochStore(directory: TestJournal.directory, storage: storage).write(Self.standby)
    try CopyExchange(directory: TestJournal.directory, storage: storage).begin(at: 17)
    _ = try Self.promote(storage)
    #expect(storage.segmentFiles == source.files)
    #expect(storage.files["aside-17/000000000001.segment"] == [0])
  }

  @Test("is none as long as the first copy is not whole")
  func halfMade() throws {
    let source = try CopySource.make()
    let storage = FaultyStorage()
    for (name, bytes) in source.files { storage.put(bytes, "copy/\(name)") }
    try EpochStore(directory: TestJournal.directory, storage: storage).write(Self.standby)
    #expect(throws: JournalError.missingSegment(TestJournal.directory.appending(firstSegment))) {
      try Self.promote(storage)
    }
  }
}
