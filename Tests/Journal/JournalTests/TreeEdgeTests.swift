import JournalFormat
import Synchronization
import SystemPackage
import Testing
import Transparency

@testable import Journal

@Suite("Journal, a tree whose beginning was deleted")
struct TreeEdgeTests {
  /// A journal of 600 records with its whole tree and the edges of some points; then segments before `point` go.
  private struct Deleted {
    let storage: FaultyStorage
    let leaves: [Hash256]
    let point: JournalPoint
    let oldest: UInt64

    init() throws {
      storage = FaultyStorage()
      let rig = TreeRig(storage)
      let journal = try TestJournal(storage, segmentByteCount: 16 * 1024) { $0.leaves = rig.tree.leaves }
      let store = SnapshotStore(directory: TestJournal.directory, storage: storage)
      var points: [JournalPoint] = []
      for part in 0..<6 {
        try journal.write(sampleRecords(100, from: part * 100), unit: 3)
        points.append(journal.writer.durablePoint)
        try rig.makeWhole(upTo: points[part].position)
        _ = try store.begin(at: points[part], createdMilliseconds: 1).finish()
        try store.prune()
        try rig.tree.keepEdge(at: points[part])
      }
      try journal.writer.close()
      leaves = try TreeRig.leaves(storage)
      point = points[4]
      let report = try SegmentRetention(directory: TestJournal.directory, storage: storage).apply(
        RetentionRule(.delete, ageMillisecondsMaximum: 0, neverBeyond: point), nowMilliseconds: 1_700_000_000_000)
      #expect(report.failure == nil && !report.segments.isEmpty)
      var first: UInt64 = 0
      try JournalReader(directory: TestJournal.directory, storage: storage).readEvidence(from: 1) { record in
        first = record.position
        return false
      }
      oldest = first
      #expect(oldest > 1 && oldest <= point.position + 1)
    }

    func isEdge(_ name: String) -> Bool { name.hasSuffix(".edge") }
  }

  @Test("retention leaves the tree as it is: all is proven, the gone records' hashes too")
  func retention() throws {
    let deleted = try Deleted()
    let rig = TreeRig(deleted.storage)
    try rig.makeWhole(upTo: 600)
    try rig.check(deleted.leaves)
    try TreeRig.verify(deleted.storage)
    // What was an entry of a record that is gone is gone.
    #expect(throws: TreeError.beforeBeginning(size: 256)) {
      try rig.tree.bytes(of: #require(TileAddress(.entries, index: 0)))
    }
    // A hash before the journal's beginning is checked by the row above it.
    let wrong = deleted.storage.crashed()
    wrong.update("tree/0.hashes") { $0[7] ^= 1 }
    #expect(throws: TreeError.self) { try TreeRig.verify(wrong) }
  }

  @Test("edges stay with the snapshots, the newest ones also without")
  func pruned() throws {
    let deleted = try Deleted()
    let edges = { deleted.storage.files.keys.filter { deleted.isEdge($0) }.sorted() }
    #expect(edges().map { TreeEdges.position(ofName: String($0.dropFirst(10))) }.suffix(2) == [500, 600])
    #expect(edges().count <= 3)
    let store = SnapshotStore(directory: TestJournal.directory, storage: deleted.storage)
    try store.removeAll(except: nil)
    try store.prune()
    #expect(edges().count == 2)
    #expect(try store.all().isEmpty)
  }

  @Test("a lost tree goes on from the oldest edge that the journal reaches")
  func lost() throws {
    let deleted = try Deleted()
    let storage = deleted.storage.crashed()
    storage.state.withLock { state in
      for name in state.files.keys where name.hasPrefix("tree/") { state.files[name] = nil }
    }
    let rig = TreeRig(storage)
    try rig.makeWhole(upTo: 600)
    try rig.check(deleted.leaves, from: 500)
    try TreeRig.verify(storage)
    #expect(throws: TreeError.beforeBeginning(size: 500)) { try rig.tree.inclusion(of: 3, in: 600) }
    #expect(throws: TreeError.beforeBeginning(size: 500)) { try rig.tree.head(at: 300) }
    // Another start goes on with that.
    let before = storage.files
    let again = TreeRig(storage)
    #expect(try again.makeWhole(upTo: 600) == 1)
    try again.check(deleted.leaves, from: 500)
    #expect(storage.files == before)
  }

  @Test("with its rows gone it goes on from its own edge, if no snapshot has one")
  func ownEdge() throws {
    let deleted = try Deleted()
    let storage = deleted.storage.crashed()
    storage.state.withLock { state in
      for name in state.files.keys where name.hasSuffix(".hashes") || deleted.isEdge(name) { state.files[name] = nil }
    }
    let rig = TreeRig(storage)
    #expect(try rig.tree.extend(upTo: 600).size == 600)
    #expect(try rig.tree.head() == TreeRig.heads(deleted.leaves).last)
    #expect(throws: TreeError.beforeBeginning(size: 600)) { try rig.tree.inclusion(of: 599, in: 600) }
    let journal = try TestJournal(storage, segmentByteCount: 16 * 1024) {
      $0.startingPoint = deleted.point
      $0.leaves = rig.tree.leaves
    }
    try journal.write(sampleRecords(300, from: 600), unit: 7)
    try journal.writer.close()
    try rig.makeWhole(upTo: 900)
    let leaves = deleted.leaves + (try TreeRig.leaves(storage)).suffix(300)
    try rig.check(leaves, from: 600)
    try TreeRig.verify(storage)
  }

  @Test("without any edge it is lost, and says so")
  func withoutEdges() throws {
    let deleted = try Deleted()
    let storage = deleted.storage.crashed()
    storage.state.withLock { state in
      for name in state.files.keys where name.hasPrefix("tree/") || deleted.isEdge(name) { state.files[name] = nil }
    }
    let rig = TreeRig(storage)
    #expect(throws: TreeError.lost(oldest: deleted.oldest)) { try rig.tree.extend(upTo: 600) }
    #expect(throws: TreeError.lost(oldest: deleted.oldest)) { try rig.tree.head() }
    #expect(rig.tree.failure == .lost(oldest: deleted.oldest))
    // An edge that is put back helps at once; one that was changed does not.
    let name = try #require(deleted.storage.files.keys.filter { deleted.isEdge($0) }.max())
    let bytes = try #require(deleted.storage.files[name])
    storage.state.withLock { state in
      state.directories.insert("tree")
      state.files[name] = FaultyStorage.Contents(bytes.dropLast() + [bytes[bytes.count - 1] ^ 1])
    }
    #expect(throws: TreeError.lost(oldest: deleted.oldest)) { try rig.tree.extend(upTo: 600) }
    storage.update(name) { $0 = bytes }
    try rig.makeWhole(upTo: 600)
    #expect(try rig.tree.head() == TreeRig.heads(deleted.leaves).last)
  }

  @Test("an edge of another journal is not used")
  func foreignEdge() throws {
    let (one, other) = (try Deleted(), try Deleted())
    let storage = one.storage.crashed()
    storage.state.withLock { state in
      for name in state.files.keys where name.hasPrefix("tree/") { state.files[name] = nil }
      for (name, bytes) in other.storage.files where other.isEdge(name) {
        state.files[name] = FaultyStorage.Contents(bytes)
      }
    }
    for name in storage.files.keys.filter({ one.isEdge($0) }) {
      storage.update(name) { bytes in
        // The id of a segment that this journal has not got.
        bytes[33] ^= 1
        let crc = bytes.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[..<($0.count - 4)]).checksum(seed: 0) }
        bytes.replaceSubrange((bytes.count - 4)..., with: withUnsafeBytes(of: crc.littleEndian) { Array($0) })
      }
    }
    #expect(throws: TreeError.lost(oldest: one.oldest)) { try TreeRig(storage).tree.extend(upTo: 600) }
  }
}
