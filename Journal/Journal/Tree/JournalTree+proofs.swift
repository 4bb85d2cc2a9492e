public import JournalFormat
internal import Synchronization
internal import SystemPackage
public import Transparency

/// Where a record stands in a tree, and the hashes that prove it.
public struct TreeInclusion: Sendable, Equatable {
  /// One less than the record's position.
  public let index: UInt64
  /// The tree that it is a part of.
  public let head: TreeHead
  /// The tree's leaf that stands for the record.
  public let leaf: Hash256
  /// From the leaf's sibling up.
  public let hashes: [Hash256]
}

/// What is asked of a tree. All of it blocks for a few reads; nothing waits for the tree to grow.
///
/// All throw `notMade`, `beyondEnd`, `beforeBeginning`, `doubtful`, and `journal` if the disk fails.
extension JournalTree {
  /// The tree as far as it is.
  public func head() throws(TreeError) -> TreeHead { try shown().edge.head }

  /// The tree as it was when it had `size` records.
  public func head(at size: UInt64) throws(TreeError) -> TreeHead {
    try prove { prover, now in try Self.head(at: size, &prover, now) }
  }

  /// Proves that a record is in the tree that had `size` records; the proof is checked before it is handed on.
  ///
  /// - Parameter index: one less than the record's position.
  public func inclusion(of index: UInt64, in size: UInt64) throws(TreeError) -> TreeInclusion {
    try prove { prover, now in
      let proof = TreeInclusion(
        index: index, head: try Self.head(at: size, &prover, now), leaf: try prover.leaf(index),
        hashes: try prover.inclusion(of: index, in: size))
      let root = MerkleProof.root(leaf: proof.leaf, index: index, size: size, hashes: proof.hashes)
      guard root == proof.head.root else { throw TreeError.doubtful }
      return proof
    }
  }

  /// Proves that the tree that had `new` records begins with the one that had `old`; checked before it is handed on.
  public func consistency(from old: UInt64, to new: UInt64) throws(TreeError) -> [Hash256] {
    try prove { prover, now in
      let heads = (try prover.head(at: old), try Self.head(at: new, &prover, now))
      let hashes = try prover.consistency(from: old, to: new)
      guard MerkleProof.isConsistent(old: heads.0, new: heads.1, hashes: hashes) else { throw TreeError.doubtful }
      return hashes
    }
  }

  /// What a tree that goes on behind `size` records has to know of them.
  public func edge(at size: UInt64) throws(TreeError) -> TreeEdge {
    try prove { prover, now in
      _ = try Self.head(at: size, &prover, now)
      return try prover.edge(at: size)
    }
  }

  /// A head that the tree as this process has made it begins with: tiles that somebody has changed since lead elsewhere.
  private static func head(
    at size: UInt64, _ prover: inout TileProver<StoredTiles>, _ now: TreeHead
  ) throws -> TreeHead {
    let head = try prover.head(at: size)
    let hashes = try prover.consistency(from: size, to: now.size)
    guard MerkleProof.isConsistent(old: head, new: now, hashes: hashes) else { throw TreeError.doubtful }
    return head
  }

  /// The bytes of a tile, full or partial: 32 for each hash, or for each entry two bytes of length and 32 of the leaf.
  ///
  /// Entries are read from the segment that they stand in.
  public func bytes(of tile: TileAddress) throws(TreeError) -> [UInt8] {
    let shown = try shown()
    guard tile.isThere(in: shown.edge.size) else { throw .beyondEnd(size: shown.edge.size) }
    guard case .hashes(let level) = tile.row else { return try entries(of: tile) }
    // Part of the first ones is not known.
    guard tile.places.lowerBound >= TileAddress.count(.hashes(level: level), in: shown.beginning.size) else {
      throw .beforeBeginning(size: shown.beginning.size)
    }
    do {
      let bytes = try StoredTiles(files, beginning: shown.beginning.size).hashes(of: tile)
      try requireUnchanged(shown)
      guard bytes.count == tile.width * 32 else {
        distrust()
        throw TreeError.doubtful
      }
      return bytes
    } catch {
      throw Self.error(error)
    }
  }

  /// The leaves of records as they stand in the chain: what the tree's leaves are the hashes of.
  private func entries(of tile: TileAddress) throws(TreeError) -> [UInt8] {
    var bytes: [UInt8] = []
    do {
      try JournalReader(journal).readEvidence(from: tile.places.lowerBound + 1) { record in
        guard record.position > tile.places.lowerBound, record.position <= tile.places.upperBound else { return false }
        bytes.append(contentsOf: [0, 32])
        bytes.append(contentsOf: record.leaf.bytes)
        return record.position < tile.places.upperBound
      }
    } catch {
      throw Self.error(error)
    }
    // The records are not there any more, though their hashes are.
    guard bytes.count == tile.width * 34 else { throw .beforeBeginning(size: tile.places.upperBound) }
    return bytes
  }

  private func shown() throws(TreeError) -> Known {
    let shown = known.withLock { $0 }
    if let lost = shown.lost { throw lost }
    guard shown.isMade else { throw .notMade }
    return shown
  }

  private func requireUnchanged(_ shown: Known) throws(TreeError) {
    guard known.withLock({ $0.generation == shown.generation }) else { throw .notMade }
  }

  /// - Parameter body: also handed the head of the whole tree, which does not come from tiles.
  private func prove<Proof>(
    _ body: (inout TileProver<StoredTiles>, TreeHead) throws -> Proof
  ) throws(TreeError) -> Proof {
    let shown = try shown()
    var prover = TileProver(
      size: shown.edge.size, beginning: shown.beginning,
      source: StoredTiles(files, beginning: shown.beginning.size))
    do {
      let proof = try body(&prover, shown.edge.head)
      try requireUnchanged(shown)
      return proof
    } catch {
      let error = Self.error(error)
      guard error == .doubtful else { throw error }
      // Files that are just being replaced say nothing.
      try requireUnchanged(shown)
      distrust()
      throw error
    }
  }
}
