import JournalFormat
import SystemPackage
import Testing
import Transparency

@testable import Journal

/// The tree of a journal on a disk in memory, and what it has to be: made leaf by leaf, by the plain rule.
struct TreeRig {
  let storage: FaultyStorage
  let tree: JournalTree

  init(_ storage: FaultyStorage) {
    self.storage = storage
    tree = JournalTree(directory: TestJournal.directory, storage: storage)
  }

  /// Makes all there is to make, and keeps it.
  ///
  /// - Returns: how many calls did something.
  @discardableResult
  func makeWhole(upTo position: UInt64) throws -> Int {
    var count = 0
    while try tree.extend(upTo: position).size < position {
      count += 1
      try #require(count < 1_000, "the tree stops at \(tree.size)")
    }
    try tree.store()
    return count + 1
  }

  /// The leaves of the tree that a journal asks for, from its first record on.
  static func leaves(_ storage: FaultyStorage) throws -> [Hash256] {
    var leaves: [Hash256] = []
    try JournalReader(directory: TestJournal.directory, storage: storage).readEvidence(from: 1) { record in
      leaves.append(MerkleTree.leaf(record.leaf))
      return true
    }
    return leaves
  }

  /// The heads of the trees of all sizes.
  static func heads(_ leaves: [Hash256]) -> [TreeHead] {
    var edge = TreeEdge()
    return [edge.head]
      + leaves.map { leaf in
        edge.append(leaf)
        return edge.head
      }
  }

  /// Fails unless the tree is that of these leaves: its roots, its proofs, its tiles and its entries.
  ///
  /// - Parameter beginning: what was before is known as a whole only.
  func check(
    _ leaves: [Hash256], from beginning: Int = 0, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let heads = Self.heads(leaves)
    #expect(try tree.head() == heads.last, sourceLocation: sourceLocation)
    let sizes = Array(stride(from: max(beginning, 1), to: leaves.count, by: 37)) + [leaves.count]
    for size in sizes {
      #expect(try tree.head(at: UInt64(size)) == heads[size], sourceLocation: sourceLocation)
      let consistency = try tree.consistency(from: UInt64(size), to: UInt64(leaves.count))
      #expect(
        MerkleProof.isConsistent(old: heads[size], new: heads[leaves.count], hashes: consistency),
        sourceLocation: sourceLocation)
    }
    for index in stride(from: beginning, to: leaves.count, by: 23) {
      let proof = try tree.inclusion(of: UInt64(index), in: UInt64(leaves.count))
      #expect(proof.leaf == leaves[index] && proof.head == heads.last, sourceLocation: sourceLocation)
    }
    try checkTiles(leaves, from: beginning, sourceLocation)
  }

  private func checkTiles(_ leaves: [Hash256], from beginning: Int, _ sourceLocation: SourceLocation) throws {
    for index in 0...(leaves.count / 256) {
      let row = TileAddress.Row.hashes(level: 0)
      guard let tile = TileAddress(row, index: UInt64(index), in: UInt64(leaves.count)) else { continue }
      let expected = leaves[Int(tile.places.lowerBound)..<Int(tile.places.upperBound)]
      guard tile.places.lowerBound >= UInt64(beginning) else {
        #expect(throws: TreeError.self, sourceLocation: sourceLocation) { try tree.bytes(of: tile) }
        continue
      }
      #expect(try tree.bytes(of: tile) == expected.flatMap(\.bytes), sourceLocation: sourceLocation)
      let narrow = try #require(TileAddress(row, index: UInt64(index), width: 1))
      #expect(try tree.bytes(of: narrow) == Array(expected.prefix(1)).flatMap(\.bytes), sourceLocation: sourceLocation)
    }
  }

  /// What `journal verify` says of it.
  ///
  /// - Throws: `TreeError`.
  static func verify(_ storage: FaultyStorage) throws {
    var audit = try TreeAudit(directory: TestJournal.directory, storage: storage)
    _ = try JournalReader(directory: TestJournal.directory, storage: storage)
      .verify(frame: { audit.add($0) }, leaves: { audit.add($0, $1) })
    try audit.finish()
  }
}
