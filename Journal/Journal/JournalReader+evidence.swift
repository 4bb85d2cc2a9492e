public import JournalFormat

/// A record with what proves it: whoever has salt and body computes the leaf, and the leaf tells nothing of them.
public struct RecordEvidence: Sendable, Equatable {
  /// Number of the record in the whole journal, from 1.
  public let position: UInt64
  public let kind: UInt8
  /// SHA-256 of salt and body, as it stands in the chain and, hashed, in the tree.
  public let leaf: Hash256
  /// What was erased has no salt and no body.
  public let content: Content?

  public struct Content: Sendable, Equatable {
    public let salt: [UInt8]
    /// As `FORMAT.md` has it, "Records".
    public let body: [UInt8]
  }
}

extension JournalReader {
  /// Hands on records from `position` on, in order, each with its leaf and what that is the hash of, until `record` has
  /// had enough. Begins with the segment that holds the position.
  ///
  /// - Throws: `JournalError`, or what `record` throws.
  public func readEvidence(from position: UInt64, record: (RecordEvidence) throws -> Bool) throws {
    try readFrames(from: position) { frame, _, bytes, decoder in
      var wantsMore = true
      var salt = frame.bodyOffset
      try decoder.forEachRecord(of: frame, in: bytes) { view in
        let saltBytes = UnsafeRawBufferPointer(rebasing: bytes[salt..<(salt + FormatLimits.saltByteCount)])
        salt += FormatLimits.saltByteCount
        guard wantsMore, view.position >= position else { return }
        wantsMore = try record(RecordEvidence(view, salt: saltBytes))
      }
      return wantsMore
    }
  }
}

extension RecordEvidence {
  fileprivate init(_ view: borrowing RecordView, salt: UnsafeRawBufferPointer) {
    position = view.position
    kind = view.kind
    guard !view.isRedacted else {
      leaf = Hash256(view.body) ?? .zero
      content = nil
      return
    }
    leaf = ChainHasher.leaf(salt: salt, body: view.body)
    content = Content(salt: Array(salt), body: Array(view.body))
  }
}
