public import JournalFormat

/// Where tiles are: on this machine's disk, or with another log.
public protocol TileSource {
  /// The hashes of a tile, 32 bytes each, as many as it is wide.
  ///
  /// - Throws: what keeps it from having them.
  func hashes(of tile: TileAddress) throws -> [UInt8]
}

/// Why a tree cannot prove what was asked for.
public enum TileProverError: Error, Sendable, Hashable {
  /// A leaf, or a size, that the tree has not reached.
  case beyondEnd(size: UInt64)
  /// Before the place where the tree goes on: the hashes from there are not known any more.
  case beforeBeginning(size: UInt64)
  /// A tile with another number of bytes than its width asks for.
  case wrongLength(TileAddress)
}

/// Makes proofs of what stands in tiles; reads few of them, each once. Spec: RFC 6962, section 2.1.
public struct TileProver<Source: TileSource> {
  /// Of the tree that the tiles are taken from.
  public let size: UInt64
  /// Where the tree begins: of what stands before it no more is known than this.
  public let beginning: TreeEdge
  private let source: Source
  private let beginningHashes: [TreeNode: Hash256]
  private var tiles: [TileAddress: TileSubtrees] = [:]

  /// - Parameters:
  ///   - size: that the source has all tiles of.
  ///   - beginning: empty, but for a tree that goes on where its first leaves were forgotten.
  public init(size: UInt64, beginning: TreeEdge = TreeEdge(), source: Source) {
    precondition(size <= MerkleTree.maximumSize && beginning.size <= size, "a tree ends behind its beginning")
    (self.size, self.beginning, self.source) = (size, beginning, source)
    beginningHashes = Dictionary(
      zip(TreeNode.nodes(of: 0..<beginning.size), beginning.hashes), uniquingKeysWith: { first, _ in first })
  }

  /// The edge of the tree as it was when it had `past` leaves.
  ///
  /// - Throws: `TileProverError`, or what the source throws; so do all others.
  public mutating func edge(at past: UInt64) throws -> TreeEdge {
    try reach(past)
    let hashes = try TreeNode.nodes(of: 0..<past).map { try hash(of: $0) }
    guard let edge = TreeEdge(size: past, hashes: hashes) else {
      preconditionFailure("a size has one subtree for each of its bits")
    }
    return edge
  }

  public mutating func head(at past: UInt64) throws -> TreeHead { try edge(at: past).head }

  /// The leaf of the tree at a place.
  public mutating func leaf(_ index: UInt64) throws -> Hash256 {
    guard index < size else { throw TileProverError.beyondEnd(size: size) }
    return try hash(of: TreeNode(height: 0, index: index))
  }

  /// That the leaf `index` is one of the tree when it had `past` leaves. Spec: RFC 6962, section 2.1.1.
  public mutating func inclusion(of index: UInt64, in past: UInt64) throws -> [Hash256] {
    try reach(past)
    guard index < past else { throw TileProverError.beyondEnd(size: past) }
    return try hashes(of: TreeProofPlan.inclusion(of: index, in: past))
  }

  /// That the tree with `new` leaves begins with the one that had `old`. Spec: RFC 6962, section 2.1.2.
  public mutating func consistency(from old: UInt64, to new: UInt64) throws -> [Hash256] {
    try reach(new)
    guard old <= new else { throw TileProverError.beyondEnd(size: new) }
    return try hashes(of: TreeProofPlan.consistency(from: old, to: new))
  }

  private func reach(_ past: UInt64) throws {
    guard past <= size else { throw TileProverError.beyondEnd(size: size) }
  }

  private mutating func hashes(of plan: [[TreeNode]]) throws -> [Hash256] {
    var hashes: [Hash256] = []
    for nodes in plan { hashes.append(MerkleTree.root(of: try nodes.map { try hash(of: $0) })) }
    return hashes
  }

  private mutating func hash(of node: TreeNode) throws -> Hash256 {
    if let known = beginningHashes[node] { return known }
    let leaves = node.leaves
    guard leaves.lowerBound < beginning.size else { return try storedHash(of: node) }
    guard leaves.upperBound > beginning.size, let (left, right) = node.children else {
      throw TileProverError.beforeBeginning(size: beginning.size)
    }
    return MerkleTree.node(try hash(of: left), try hash(of: right))
  }

  /// Of a node whose leaves all stand behind the beginning: from the row below it, or its own.
  private mutating func storedHash(of node: TreeNode) throws -> Hash256 {
    let above = node.height % TileAddress.rowHeight
    let row = TileAddress.Row.hashes(level: Int(node.height / TileAddress.rowHeight))
    let first = node.index << above
    let width = UInt64(TileAddress.widthMaximum)
    guard let tile = TileAddress(row, index: first / width, in: size) else {
      preconditionFailure("a tree has tiles of all of its leaves")
    }
    if tiles[tile] == nil { tiles[tile] = TileSubtrees(tile, try source.hashes(of: tile)) }
    guard let hash = tiles[tile]?.hash(height: Int(above), index: Int(first % width) >> Int(above)) else {
      throw TileProverError.wrongLength(tile)
    }
    return hash
  }
}

/// A tile with what stands above its hashes up to the next row, as far as anybody has asked.
private struct TileSubtrees {
  private var levels: [[Hash256]]

  /// - Returns: nil if these are not as many bytes as the tile has.
  init?(_ tile: TileAddress, _ bytes: [UInt8]) {
    guard bytes.count == tile.width * 32 else { return nil }
    levels = [
      bytes.withUnsafeBytes { bytes in
        (0..<tile.width).compactMap { Hash256(UnsafeRawBufferPointer(rebasing: bytes[($0 * 32)..<($0 * 32 + 32)])) }
      }
    ]
  }

  mutating func hash(height: Int, index: Int) -> Hash256 {
    while levels.count <= height {
      let below = levels[levels.count - 1]
      // The last one has no partner yet.
      levels.append((0..<(below.count / 2)).map { MerkleTree.node(below[$0 * 2], below[$0 * 2 + 1]) })
    }
    return levels[height][index]
  }
}
