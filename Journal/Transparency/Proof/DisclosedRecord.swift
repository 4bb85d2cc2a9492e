public import JournalFormat

/// One record as a proof shows it: its salt and its body, which together make its leaf, and nothing of any other.
///
/// In a proof: the 16 bytes of the salt, then the body as the journal hashes it (`FORMAT.md`, "Records"). Who has only
/// the leaf cannot find the record by trying, because of the salt; who has the proof has both.
public struct DisclosedRecord: Sendable, Hashable {
  public let salt: [UInt8]
  public let body: [UInt8]

  /// - Returns: nil if the salt has not 16 bytes, or the body none or more than a record may have.
  public init?(salt: [UInt8], body: [UInt8]) {
    guard salt.count == FormatLimits.saltByteCount,
      (1...EvidenceLimits.recordByteCountMaximum).contains(body.count)
    else { return nil }
    self.salt = salt
    self.body = body
  }

  init?(extra: [UInt8]) {
    self.init(
      salt: Array(extra.prefix(FormatLimits.saltByteCount)), body: Array(extra.dropFirst(FormatLimits.saltByteCount)))
  }

  /// The record's leaf as the chain has it: the tree's entry.
  public var entry: Hash256 {
    salt.withUnsafeBytes { salt in body.withUnsafeBytes { body in ChainHasher.leaf(salt: salt, body: body) } }
  }
}
