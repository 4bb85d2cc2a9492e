import JournalFormat
import Synchronization
import SystemPackage
import Testing
import Transparency

@testable import Journal

@Suite("Journal, the tree over its records")
struct TreeTests {
  @Test("made of a journal in any form it is the tree of its leaves", arguments: RedactTests.Form.allCases)
  func forms(form: RedactTests.Form) throws {
    let journal = try SealedJournal()
    let leaves = try TreeRig.leaves(journal.storage)
    #expect(leaves.count == 700)
    let storage = journal.copy()
    try RedactTests.bring(storage, into: form)
    let rig = TreeRig(storage)
    #expect(throws: TreeError.notMade) { try rig.tree.head() }
    // One segment at a time.
    #expect(try rig.makeWhole(upTo: 700) > 3)
    try rig.check(leaves)
    try TreeRig.verify(storage)
    // Another process has nothing to make, and changes nothing.
    let before = storage.files
    let other = TreeRig(storage)
    try other.tree.open()
    try other.check(leaves)
    #expect(try other.makeWhole(upTo: 700) == 1)
    #expect(storage.files == before)
  }

  @Test("packing, archive and redaction leave it as it is", arguments: RedactTests.Form.allCases)
  func upkeep(form: RedactTests.Form) throws {
    let journal = try SealedJournal()
    let leaves = try TreeRig.leaves(journal.storage)
    let storage = journal.copy()
    let rig = TreeRig(storage)
    try rig.makeWhole(upTo: 700)
    let before = storage.files.filter { $0.key.hasPrefix("tree/") }
    try RedactTests.bring(storage, into: form)
    _ = try SegmentRedaction(directory: TestJournal.directory, storage: storage)
      .redact(upTo: .max, matching: SealedJournal.isMarked)
    #expect(storage.files.filter { $0.key.hasPrefix("tree/") } == before)
    #expect(try TreeRig.leaves(storage) == leaves)
    try rig.check(leaves)
    try TreeRig.verify(storage)
    // Made anew of what is left it is the same, byte for byte.
    let again = TreeRig(storage)
    again.tree.distrust()
    try again.makeWhole(upTo: 700)
    try again.check(leaves)
    let made = storage.files.filter { $0.key.hasPrefix("tree/") }
    #expect(made.filter { $0.key != "tree/STATE" } == before.filter { $0.key != "tree/STATE" })
    try TreeRig.verify(storage)
  }

  @Test("it takes what the writer hands over, and reads what was dropped", arguments: [40 * 32, 3 * 32, 8 << 20])
  func handedOver(byteCountMaximum: Int) throws {
    let storage = FaultyStorage()
    let rig = TreeRig(storage)
    let handover = LeafHandover(byteCountMaximum: byteCountMaximum)
    let journal = try TestJournal(storage, segmentByteCount: 16 * 1024) { $0.leaves = handover }
    var written = 0
    for (turn, count) in [3, 50, 1, 200, 7, 90].enumerated() {
      try journal.write(sampleRecords(count, from: written), unit: 1 + turn)
      written += count
      if let stretch = handover.take(after: UInt64(written - count)) {
        #expect(stretch.entries.count == count * 32 && stretch.point == journal.writer.durablePoint)
      } else {
        #expect(count * 32 > byteCountMaximum || byteCountMaximum < 8 << 20)
      }
      try rig.makeWhole(upTo: UInt64(written))
      try rig.check(TreeRig.leaves(storage))
    }
    try journal.writer.close()
    try TreeRig.verify(storage)
  }

  @Test("beside a writer it is as far as the disk, by what is handed over alone")
  func beside() throws {
    let storage = FaultyStorage()
    let rig = TreeRig(storage)
    let journal = try TestJournal(storage, segmentByteCount: 16 * 1024) { $0.leaves = rig.tree.leaves }
    var written: UInt64 = 0
    for _ in 0..<40 {
      let position = try journal.writer.append(sampleRecords(11, from: Int(written)), lazy: true)
      // What nobody knows to be on the disk is not in it.
      #expect(try rig.tree.extend(upTo: written).size == written)
      try journal.writer.waitUntilDurable(position)
      written = position
      let reads = storage.state.withLock { $0.faults.callCount }
      #expect(try rig.tree.extend(upTo: written).size == written)
      // Rows are written, and no segment is read.
      #expect(storage.state.withLock { $0.faults.callCount } - reads < 8 || written == 11)
    }
    let leaves = try TreeRig.leaves(storage)
    try rig.check(leaves)
    // Nothing was kept: a crash has it made again, and a start goes on.
    let crashed = TreeRig(storage.crashed())
    #expect(throws: TreeError.notMade) { try crashed.tree.open() }
    try crashed.makeWhole(upTo: written)
    try crashed.check(leaves)
    try journal.writer.close()
  }

  @Test("a start goes on with what was kept, whatever stands behind it")
  func goesOn() throws {
    let journal = try SealedJournal()
    let leaves = try TreeRig.leaves(journal.storage)
    let storage = journal.copy()
    let rig = TreeRig(storage)
    // So far, and kept; and a segment more, which is not.
    while try rig.tree.extend(upTo: 700).size < 300 {}
    try rig.tree.store()
    let kept = rig.tree.size
    _ = try rig.tree.extend(upTo: 700)
    storage.update("tree/0.hashes") { bytes in
      for place in (Int(kept) * 32)..<bytes.count where place % 3 == 0 { bytes[place] = 0xaa }
    }
    let again = TreeRig(storage)
    try again.tree.open()
    #expect(again.tree.size == kept)
    try again.makeWhole(upTo: 700)
    try again.check(leaves)
    try TreeRig.verify(storage)
  }

  @Test("an entry bundle has the leaves as the chain has them, also of what was redacted")
  func entries() throws {
    let journal = try SealedJournal()
    let storage = journal.copy()
    let rig = TreeRig(storage)
    try rig.makeWhole(upTo: 700)
    _ = try SegmentRedaction(directory: TestJournal.directory, storage: storage)
      .redact(upTo: .max, matching: SealedJournal.isMarked)
    for (index, width) in [(UInt64(0), 256), (1, 256), (2, 188), (2, 3)] {
      let bytes = try rig.tree.bytes(of: #require(TileAddress(.entries, index: index, width: width)))
      let hashes = try rig.tree.bytes(of: #require(TileAddress(.hashes(level: 0), index: index, width: width)))
      #expect(bytes.count == width * 34)
      for entry in 0..<width {
        let start = entry * 34
        #expect(Array(bytes[start..<(start + 2)]) == [0, 32])
        let leaf = try #require(Array(bytes[(start + 2)..<(start + 34)]).withUnsafeBytes { Hash256($0) })
        #expect(MerkleTree.leaf(leaf).bytes == Array(hashes[(entry * 32)..<(entry * 32 + 32)]))
      }
    }
    #expect(throws: TreeError.beyondEnd(size: 700)) {
      try rig.tree.bytes(of: #require(TileAddress(.entries, index: 2, width: 189)))
    }
  }

  @Test("of a journal without records it has nothing, and what comes first is in it")
  func empty() throws {
    let storage = FaultyStorage()
    let rig = TreeRig(storage)
    #expect(try rig.tree.extend(upTo: 0).size == 0)
    let journal = try TestJournal(storage, segmentByteCount: 16 * 1024)
    #expect(try rig.tree.extend(upTo: 0).size == 0)
    #expect(try rig.tree.head() == .empty)
    #expect(throws: TreeError.beyondEnd(size: 0)) { try rig.tree.inclusion(of: 0, in: 0) }
    try journal.write(sampleRecords(1))
    try rig.makeWhole(upTo: 1)
    try rig.check(TreeRig.leaves(storage))
    try journal.writer.close()
  }

  @Test("a record's evidence is what its leaf is the hash of")
  func evidence() throws {
    let journal = try SealedJournal()
    let storage = journal.copy()
    _ = try SegmentRedaction(directory: TestJournal.directory, storage: storage)
      .redact(upTo: .max, matching: SealedJournal.isMarked)
    var count: UInt64 = 120
    try JournalReader(directory: TestJournal.directory, storage: storage).readEvidence(from: 121) { record in
      count += 1
      #expect(record.position == count)
      let isMarked = journal.positions().contains(count)
      #expect((record.content == nil) == isMarked)
      if let content = record.content {
        let leaf = content.salt.withUnsafeBytes { salt in
          content.body.withUnsafeBytes { ChainHasher.leaf(salt: salt, body: $0) }
        }
        #expect(leaf == record.leaf && content.salt.count == 16)
      }
      return count < 400
    }
    #expect(count == 400)
  }
}
