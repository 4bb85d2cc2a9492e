public import JournalFormat

/// The right-hand edge of a tree: the roots of the full subtrees that it is made of. All that it takes to go on, and to
/// know the root. Spec: RFC 6962, section 2.1.
public struct TreeEdge: Sendable, Hashable {
  /// How many leaves there are.
  public private(set) var size: UInt64
  /// One for each bit of the size that is set: from the largest subtree, on the left, to the smallest.
  public private(set) var hashes: [Hash256]

  /// Of a tree without leaves.
  public init() { (size, hashes) = (0, []) }

  /// - Returns: nil if no tree of that size has so many.
  public init?(size: UInt64, hashes: [Hash256]) {
    guard size <= MerkleTree.maximumSize, hashes.count == size.nonzeroBitCount else { return nil }
    (self.size, self.hashes) = (size, hashes)
  }

  public var head: TreeHead { TreeHead(size: size, root: root) }

  public var root: Hash256 { MerkleTree.root(of: hashes) }

  /// Adds one leaf.
  ///
  /// - Parameter leaf: a hash of the tree (`MerkleTree.leaf`), not the record's own.
  public mutating func append(_ leaf: Hash256) {
    precondition(size < MerkleTree.maximumSize, "a tree has at most 2^63 leaves")
    var (hash, rest) = (leaf, size)
    while rest & 1 == 1 {
      hash = MerkleTree.node(hashes.removeLast(), hash)
      rest >>= 1
    }
    hashes.append(hash)
    size += 1
  }

  /// What `append` would leave after `newSize` leaves, if that was found out otherwise.
  ///
  /// - Parameter lowest: the hashes that are new, from the smallest subtree up; they stand for those that were taken off.
  mutating func replaceLowest(_ count: Int, by lowest: [Hash256], newSize: UInt64) {
    hashes.removeLast(count)
    hashes.append(contentsOf: lowest.reversed())
    size = newSize
    precondition(hashes.count == size.nonzeroBitCount, "an edge has one hash for each bit of its size")
  }
}
