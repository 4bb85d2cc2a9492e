public import JournalFormat

/// Judges the two proofs that a tree gives; needs nothing but the hashes in them. Spec: RFC 6962, section 2.1.
public enum MerkleProof {
  /// The most hashes in a proof.
  public static let maximumCount = 63

  /// The root that follows if `leaf` stands at `index` of a tree of `size`.
  ///
  /// - Parameters:
  ///   - leaf: a hash of the tree (`MerkleTree.leaf`), not the record's own.
  ///   - hashes: from the leaf's sibling up. Spec: RFC 6962, section 2.1.1.
  /// - Returns: nil if the proof has too few hashes or too many for such a place.
  public static func root(leaf: Hash256, index: UInt64, size: UInt64, hashes: [Hash256]) -> Hash256? {
    guard index < size else { return nil }
    var (place, last) = (index, size - 1)
    var root = leaf
    var rest = hashes[...]
    while last > 0 {
      if place & 1 == 1 {
        guard let left = rest.popFirst() else { return nil }
        root = MerkleTree.node(left, root)
      } else if place < last {
        guard let right = rest.popFirst() else { return nil }
        root = MerkleTree.node(root, right)
      }
      (place, last) = (place >> 1, last >> 1)
    }
    return rest.isEmpty ? root : nil
  }

  /// Whether the tree of `new` begins with the tree of `old`. Spec: RFC 6962, section 2.1.2.
  public static func isConsistent(old: TreeHead, new: TreeHead, hashes: [Hash256]) -> Bool {
    guard old.size <= new.size else { return false }
    if old.size == new.size { return hashes.isEmpty && old.root == new.root }
    if old.size == 0 { return hashes.isEmpty && old.root == MerkleTree.emptyRoot }
    // What the old tree's edge is made of is the same in both: a full subtree is its own beginning.
    var (place, last) = (old.size - 1, new.size - 1)
    while place & 1 == 1 { (place, last) = (place >> 1, last >> 1) }
    var rest = hashes[...]
    guard let first = place == 0 ? old.root : rest.popFirst() else { return false }
    var (former, now) = (first, first)
    while last > 0 {
      if place & 1 == 1 {
        guard let left = rest.popFirst() else { return false }
        (former, now) = (MerkleTree.node(left, former), MerkleTree.node(left, now))
      } else if place < last {
        guard let right = rest.popFirst() else { return false }
        now = MerkleTree.node(now, right)
      }
      (place, last) = (place >> 1, last >> 1)
    }
    return rest.isEmpty && former == old.root && now == new.root
  }
}
