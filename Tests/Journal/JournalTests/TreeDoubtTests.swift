import JournalFormat
import Synchronization
import SystemPackage
import TestSupport
import Testing
import Transparency

@testable import Journal

@Suite("Journal, a tree that is missing or doubtful")
struct TreeDoubtTests {
  /// A journal with its whole tree.
  private static func made(_ count: Int = 700) throws -> (storage: FaultyStorage, leaves: [Hash256]) {
    let journal = try SealedJournal(count)
    let storage = journal.copy()
    try TreeRig(storage).makeWhole(upTo: UInt64(count))
    return (storage, try TreeRig.leaves(storage))
  }

  @Test("a tree whose state is flipped, cut or gone, or whose rows are cut, is made anew")
  func damage() throws {
    let (whole, leaves) = try Self.made()
    let expected = whole.files
    var generator = SeededGenerator(seed: 4)
    let stateCount = expected["tree/STATE"]?.count ?? 0
    for round in 0..<40 {
      let storage = whole.crashed()
      switch round % 4 {
      case 0:
        let bit = Int.random(in: 0..<(stateCount * 8), using: &generator)
        storage.update("tree/STATE") { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
      case 1: storage.update("tree/STATE") { $0.removeLast(Int.random(in: 1...$0.count, using: &generator)) }
      case 2: storage.update("tree/0.hashes") { $0.removeLast(Int.random(in: 1...$0.count, using: &generator)) }
      default: storage.update("tree/1.hashes") { $0.removeLast(Int.random(in: 1...$0.count, using: &generator)) }
      }
      #expect(throws: TreeError.self) { try TreeRig.verify(storage) }
      #expect(throws: TreeError.self) { try TreeRig(storage).tree.open() }
      let rig = TreeRig(storage)
      try rig.makeWhole(upTo: 700)
      #expect(storage.files == expected)
      if round % 20 == 0 { try rig.check(leaves) }
    }
  }

  @Test("the state of another journal's tree of the same size is not believed, nor is all of its tree")
  func otherJournal() throws {
    let (storage, leaves) = try Self.made()
    let other = FaultyStorage()
    let second = try TestJournal(other, segmentByteCount: SealedJournal.segmentByteCount) {
      $0.randomBytes = predictableBytes(seed: 99)
    }
    try second.write(sampleRecords(700, seed: 8))
    try second.writer.close()
    try TreeRig(other).makeWhole(upTo: 700)
    for names in [["tree/STATE"], ["tree/STATE", "tree/0.hashes", "tree/1.hashes"]] {
      let mixed = storage.crashed()
      for name in names {
        let bytes = try #require(other.files[name])
        mixed.update(name) { $0 = bytes }
      }
      #expect(throws: TreeError.otherJournal("/journal/tree/STATE", size: 700)) { try TreeRig.verify(mixed) }
      let rig = TreeRig(mixed)
      try rig.makeWhole(upTo: 700)
      try rig.check(leaves)
      #expect(mixed.files == storage.files)
    }
  }

  @Test("another log's tile, and a single hash, are named with the first position that differs")
  func wrongTiles() throws {
    let (storage, _) = try Self.made()
    let row: FilePath = "/journal/tree/0.hashes"
    let foreign = storage.crashed()
    foreign.update("tree/0.hashes") { bytes in for place in 8192..<16384 { bytes[place] ^= 0x55 } }
    let second = try #require(TileAddress(.hashes(level: 0), index: 1, in: 700))
    #expect(throws: TreeError.otherLog(row, second, position: 257)) { try TreeRig.verify(foreign) }
    for place in [0, 5, 255, 256, 300, 511, 699] {
      let flipped = storage.crashed()
      flipped.update("tree/0.hashes") { $0[place * 32 + place % 32] ^= 1 }
      let tile = try #require(TileAddress(.hashes(level: 0), index: UInt64(place / 256), in: 700))
      #expect(throws: TreeError.hashDiffers(row, tile, position: UInt64(place + 1))) { try TreeRig.verify(flipped) }
    }
    let above = storage.crashed()
    above.update("tree/1.hashes") { $0[33] ^= 1 }
    let tile = try #require(TileAddress(.hashes(level: 1), index: 0, in: 700))
    #expect(throws: TreeError.hashDiffers("/journal/tree/1.hashes", tile, position: 257)) {
      try TreeRig.verify(above)
    }
  }

  @Test("a cut row, a flipped state and a newer one have their own words")
  func ownWords() throws {
    let (storage, _) = try Self.made()
    let cut = storage.crashed()
    cut.update("tree/0.hashes") { $0.removeLast(700 * 32 - 9000) }
    let tile = try #require(TileAddress(.hashes(level: 0), index: 1, in: 700))
    #expect(throws: TreeError.cutTile("/journal/tree/0.hashes", tile, byteCount: 9000)) { try TreeRig.verify(cut) }
    let flipped = storage.crashed()
    flipped.update("tree/STATE") { $0[30] ^= 1 }
    #expect(throws: TreeError.stateDamaged("/journal/tree/STATE")) { try TreeRig.verify(flipped) }
    let newer = storage.crashed()
    newer.update("tree/STATE") { bytes in
      bytes[8] = 2
      let crc = bytes.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[..<($0.count - 4)]).checksum(seed: 0) }
      bytes.replaceSubrange((bytes.count - 4)..., with: withUnsafeBytes(of: crc.littleEndian) { Array($0) })
    }
    #expect(throws: TreeError.newerVersion(file: "/journal/tree/STATE", version: 2)) { try TreeRig.verify(newer) }
    let root = storage.crashed()
    root.update("tree/STATE") { bytes in
      bytes[80] ^= 1
      let crc = bytes.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[..<($0.count - 4)]).checksum(seed: 0) }
      bytes.replaceSubrange((bytes.count - 4)..., with: withUnsafeBytes(of: crc.littleEndian) { Array($0) })
    }
    #expect(throws: TreeError.rootDiffers("/journal/tree/STATE", size: 700)) { try TreeRig.verify(root) }
    #expect(throws: TreeError.notMade) { try TreeRig.verify(SealedJournal(20).copy()) }
  }

  @Test("a proof from a damaged row is not handed on, and the tree is made anew")
  func damagedProof() throws {
    let (storage, leaves) = try Self.made()
    let rig = TreeRig(storage)
    try rig.makeWhole(upTo: 700)
    storage.update("tree/0.hashes") { $0[10 * 32] ^= 1 }
    // As long as nobody sees the hash, proofs hold.
    _ = try rig.tree.inclusion(of: 300, in: 301)
    for size in [UInt64(200), 700] {
      #expect(throws: TreeError.doubtful) { try rig.tree.inclusion(of: 11, in: size) }
    }
    #expect(throws: TreeError.doubtful) { try rig.tree.head(at: 11) }
    #expect(throws: TreeError.doubtful) { try rig.tree.consistency(from: 11, to: 12) }
    try rig.makeWhole(upTo: 700)
    try rig.check(leaves)
  }

  @Test("a journal that was cut back has its tree made anew")
  func cutBack() throws {
    let (whole, _) = try Self.made()
    let storage = whole.crashed()
    let last = try #require(storage.files.keys.filter { $0.hasSuffix(".segment") }.sorted().dropLast().last)
    storage.state.withLock { state in
      for name in state.files.keys where name.hasSuffix(".segment") && name >= last { state.files[name] = nil }
    }
    let leaves = try TreeRig.leaves(storage)
    #expect(throws: TreeError.otherJournal("/journal/tree/STATE", size: 700)) { try TreeRig.verify(storage) }
    let rig = TreeRig(storage)
    try rig.makeWhole(upTo: UInt64(leaves.count))
    try rig.check(leaves)
    try TreeRig.verify(storage)
  }

  @Test("wherever the disk fails, it is whole in the end, and what was kept is right")
  func failures() throws {
    let journal = try SealedJournal(100)
    let leaves = try TreeRig.leaves(journal.storage)
    let heads = TreeRig.heads(leaves)
    try SealedJournal.failEverywhere(
      journal.copy(),
      check: { storage, isAtEnd in
        let rig = TreeRig(storage)
        do {
          try rig.tree.open()
          #expect(try rig.tree.head() == heads[Int(rig.tree.size)])
          try TreeRig.verify(storage)
        } catch TreeError.notMade {
          #expect(!isAtEnd)
        }
      },
      work: { storage in
        let rig = TreeRig(storage)
        while try rig.tree.extend(upTo: 100).size < 100 { try rig.tree.store() }
        try rig.tree.store()
      })
  }
}
