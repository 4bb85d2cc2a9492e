import JournalFormat
import TestSupport
import Testing
import Transparency

@Suite("Proofs from tiles")
struct TileProverTests {
  private static let entries = ReferenceTree.entries(300)
  private static let leaves = entries.map { MerkleTree.leaf($0) }
  private static let tiles = MemoryTiles(entries)

  private static func prover(_ size: Int = 300) -> TileProver<MemoryTiles> {
    TileProver(size: UInt64(size), source: tiles)
  }

  @Test("every leaf of every tree of up to 300 is proven as RFC 6962 has it")
  func inclusion() throws {
    for size in 0...300 {
      var prover = Self.prover()
      let head = try prover.head(at: UInt64(size))
      #expect(head.root == ReferenceTree.root(Self.leaves.prefix(size)))
      for index in 0..<size {
        let proof = try prover.inclusion(of: UInt64(index), in: UInt64(size))
        let root = MerkleProof.root(
          leaf: Self.leaves[index], index: UInt64(index), size: UInt64(size), hashes: proof)
        // A macro for each would take a minute.
        if root != head.root { Issue.record("\(index) of \(size)") }
        guard size % 29 == 0 || size > 298 else { continue }
        #expect(proof == ReferenceTree.path(index, Self.leaves.prefix(size)))
      }
    }
  }

  @Test("every tree of up to 300 begins with every smaller one, as RFC 6962 has it")
  func consistency() throws {
    var prover = Self.prover()
    let heads = try (0...300).map { try prover.head(at: UInt64($0)) }
    for new in 0...300 {
      for old in 0...new {
        let proof = try prover.consistency(from: UInt64(old), to: UInt64(new))
        if !MerkleProof.isConsistent(old: heads[old], new: heads[new], hashes: proof) {
          Issue.record("\(old) to \(new)")
        }
        guard new % 29 == 0 || new > 298 else { continue }
        #expect(proof == ReferenceTree.proof(old, Self.leaves.prefix(new)))
        guard old > 0, old < new else { continue }
        #expect(!MerkleProof.isConsistent(old: heads[old - 1], new: heads[new], hashes: proof))
      }
    }
  }

  @Test("random leaves and sizes of a large tree", arguments: [UInt64(1), 2])
  func large(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let entries = ReferenceTree.entries(100_000, seed: seed)
    let tiles = MemoryTiles(entries)
    var prover = TileProver(size: 100_000, source: tiles)
    for _ in 0..<1_000 {
      let size = UInt64.random(in: 1...100_000, using: &generator)
      let index = UInt64.random(in: 0..<size, using: &generator)
      let old = UInt64.random(in: 0...size, using: &generator)
      let (head, former) = (try prover.head(at: size), try prover.head(at: old))
      let proof = try prover.inclusion(of: index, in: size)
      #expect(
        MerkleProof.root(leaf: MerkleTree.leaf(entries[Int(index)]), index: index, size: size, hashes: proof)
          == head.root, "\(index) of \(size), seed \(seed)")
      let consistency = try prover.consistency(from: old, to: size)
      #expect(MerkleProof.isConsistent(old: former, new: head, hashes: consistency), "\(old) to \(size), seed \(seed)")
    }
    #expect(try prover.head(at: 100_000).root == ReferenceTree.root(tiles.rows[0][...]))
  }

  @Test("a proof with a byte changed, a hash too many or too few, or of another place is refused")
  func changed() throws {
    var prover = Self.prover()
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<30 {
      let size = UInt64.random(in: 2...300, using: &generator)
      let (index, old) = (
        UInt64.random(in: 0..<size, using: &generator), UInt64.random(in: 1..<size, using: &generator)
      )
      let (head, former) = (try prover.head(at: size), try prover.head(at: old))
      let leaf = Self.leaves[Int(index)]
      let inclusion = try prover.inclusion(of: index, in: size)
      let consistency = try prover.consistency(from: old, to: size)
      for wrong in Self.changes(of: inclusion) {
        if MerkleProof.root(leaf: leaf, index: index, size: size, hashes: wrong) == head.root {
          Issue.record("a changed proof of \(index) in \(size) is taken")
        }
      }
      for wrong in Self.changes(of: consistency)
      where MerkleProof.isConsistent(old: former, new: head, hashes: wrong) {
        Issue.record("a changed proof from \(old) to \(size) is taken")
      }
      for other in 0..<size where other != index {
        if MerkleProof.root(leaf: leaf, index: other, size: size, hashes: inclusion) == head.root {
          Issue.record("the proof of \(index) in \(size) is one of \(other)")
        }
      }
    }
  }

  private static func changes(of proof: [Hash256]) -> [[Hash256]] {
    var changes = [proof + [.zero], [.zero] + proof]
    for place in proof.indices {
      var shorter = proof
      shorter.remove(at: place)
      changes.append(shorter)
      for byte in 0..<32 {
        var bytes = proof[place].bytes
        bytes[byte] ^= 1 << UInt8(byte % 8)
        var wrong = proof
        wrong[place] = bytes.withUnsafeBytes { Hash256($0) } ?? .zero
        changes.append(wrong)
      }
    }
    return changes
  }

  @Test("what it has not reached is refused")
  func beyond() throws {
    var prover = Self.prover(200)
    #expect(throws: TileProverError.beyondEnd(size: 200)) { try prover.head(at: 201) }
    #expect(throws: TileProverError.beyondEnd(size: 200)) { try prover.leaf(200) }
    #expect(throws: TileProverError.beyondEnd(size: 150)) { try prover.inclusion(of: 150, in: 150) }
    #expect(throws: TileProverError.beyondEnd(size: 200)) { try prover.consistency(from: 1, to: 201) }
    #expect(throws: TileProverError.beyondEnd(size: 9)) { try prover.consistency(from: 10, to: 9) }
    var empty = TileProver(size: 0, source: MemoryTiles())
    #expect(try empty.head(at: 0) == .empty)
    #expect(throws: TileProverError.beyondEnd(size: 0)) { try empty.inclusion(of: 0, in: 0) }
  }

  @Test("where it goes on it proves all behind, and of what is before only the whole", arguments: [1, 256, 300, 513])
  func begun(beginning: Int) throws {
    let entries = ReferenceTree.entries(1_200)
    let whole = MemoryTiles(entries)
    let edge = MemoryTiles(Array(entries.prefix(beginning))).edge
    let tiles = MemoryTiles(Array(entries.dropFirst(beginning)), beginning: edge)
    var all = TileProver(size: 1_200, source: whole)
    var prover = TileProver(size: 1_200, beginning: edge, source: tiles)
    for size in stride(from: beginning, through: 1_200, by: 13) {
      #expect(try prover.edge(at: UInt64(size)) == all.edge(at: UInt64(size)))
      #expect(
        try prover.consistency(from: UInt64(size), to: 1_200) == all.consistency(from: UInt64(size), to: 1_200))
    }
    for index in stride(from: beginning, to: 1_200, by: 11) {
      #expect(try prover.inclusion(of: UInt64(index), in: 1_200) == all.inclusion(of: UInt64(index), in: 1_200))
    }
    // One leaf is known with the whole of it.
    guard beginning > 1 else { return }
    #expect(throws: TileProverError.beforeBeginning(size: UInt64(beginning))) {
      _ = try prover.inclusion(of: 0, in: 1_200)
    }
    #expect(throws: TileProverError.beforeBeginning(size: UInt64(beginning))) {
      _ = try prover.head(at: UInt64(beginning) / 2 + 1)
    }
  }

  @Test("a tile with another number of bytes is refused")
  func cutTile() throws {
    struct Cut: TileSource {
      func hashes(of tile: TileAddress) -> [UInt8] { [UInt8](repeating: 0, count: tile.width * 32 - 1) }
    }
    var prover = TileProver(size: 5, source: Cut())
    let tile = try #require(TileAddress(.hashes(level: 0), index: 0, in: 5))
    #expect(throws: TileProverError.wrongLength(tile)) { try prover.head(at: 5) }
  }
}
