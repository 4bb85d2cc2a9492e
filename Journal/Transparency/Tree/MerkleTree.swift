public import JournalFormat

/// The hashes that a tree over the records' leaves is made of. Spec: RFC 6962, section 2.1.
public enum MerkleTree {
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
      return withUnsafeBytes(of: UInt8(0x00)) { SHA256Batch.digest(head: $0, body: UnsafeRawBufferPointer(body)) }
    }
  }

  /// What stands above two: H(0x01 ‖ left ‖ right).
  public static func node(_ left: Hash256, _ right: Hash256) -> Hash256 {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { body in
      guard let bytes = body.baseAddress else { return .zero }
      left.store(to: bytes)
      right.store(to: bytes + 32)
      return withUnsafeBytes(of: UInt8(0x01)) { SHA256Batch.digest(head: $0, body: UnsafeRawBufferPointer(body)) }
    }
  }
}
