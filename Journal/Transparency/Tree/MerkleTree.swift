public import JournalFormat

/// The hashes that a tree over the records' leaves is made of. Spec: RFC 6962, section 2.1.
public enum MerkleTree {
  /// The most leaves: then a proof has at most `MerkleProof.maximumCount` hashes.
  public static let maximumSize: UInt64 = 1 << 63
  static let leafHead: UInt8 = 0x00
  static let nodeHead: UInt8 = 0x01

  /// The root of a tree without leaves: the hash of nothing.
  public static let emptyRoot = SHA256Batch.digest(
    head: UnsafeRawBufferPointer(start: nil, count: 0), body: UnsafeRawBufferPointer(start: nil, count: 0))

  /// The leaf of the tree that stands for a record: H(0x00 ‖ entry).
  ///
  /// - Parameter entry: the record's salted leaf, as the chain has it.
  public static func leaf(_ entry: Hash256) -> Hash256 {
    withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { body in
      guard let bytes = body.baseAddress else { return .zero }
      entry.store(to: bytes)
      return withUnsafeBytes(of: leafHead) { SHA256Batch.digest(head: $0, body: UnsafeRawBufferPointer(body)) }
    }
  }

  /// What stands above two: H(0x01 ‖ left ‖ right).
  public static func node(_ left: Hash256, _ right: Hash256) -> Hash256 {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { body in
      guard let bytes = body.baseAddress else { return .zero }
      left.store(to: bytes)
      right.store(to: bytes + 32)
      return withUnsafeBytes(of: nodeHead) { SHA256Batch.digest(head: $0, body: UnsafeRawBufferPointer(body)) }
    }
  }

  /// The hash of full subtrees that stand beside each other, each smaller than the one before.
  ///
  /// - Parameter hashes: of them, from the left; none for an empty tree.
  static func root(of hashes: some BidirectionalCollection<Hash256>) -> Hash256 {
    guard let last = hashes.last else { return emptyRoot }
    return hashes.dropLast().reversed().reduce(last) { node($1, $0) }
  }
}
