public import JournalFormat

/// A witness's key with its name: says that up to a moment it saw nothing that contradicts a checkpoint.
/// Spec: C2SP tlog-cosignature, Ed25519.
public struct Cosigner: Sendable {
  public let verifierKey: VerifierKey
  private let key: AuditKey

  public init(name: KeyName, key: AuditKey) {
    verifierKey = VerifierKey(name: name, kind: .cosignature, key: key.publicKey)
    self.key = key
  }

  /// The line to be added to a checkpoint.
  ///
  /// - Parameters:
  ///   - text: the checkpoint's, without signatures.
  ///   - unixSeconds: now, at most `EvidenceLimits.numberMaximum`.
  public func cosignature(of text: [UInt8], unixSeconds: UInt64) throws(AuditKeyError) -> NoteSignature {
    precondition(unixSeconds <= EvidenceLimits.numberMaximum, "a time is a number that others can count with")
    let time = withUnsafeBytes(of: unixSeconds.bigEndian) { Array($0) }
    let signature = try key.signature(of: Cosignature.message(text, unixSeconds: unixSeconds))
    return NoteSignature(name: verifierKey.name, keyID: verifierKey.id, bytes: time + signature)
  }
}

enum Cosignature {
  /// Eight bytes of time, and the signature.
  static let byteCount = 8 + 64

  /// What a witness signs.
  static func message(_ text: [UInt8], unixSeconds: UInt64) -> [UInt8] {
    Array("cosignature/v1\ntime \(unixSeconds)\n".utf8) + text
  }
}

extension VerifierKey {
  /// Whether the key made `signature` for `text`, and when; nil if not.
  func verify(_ signature: [UInt8], of text: [UInt8]) -> VerifiedSignature? {
    switch kind {
    case .note:
      guard signature.count == 64, key.isValid(signature, for: text) else { return nil }
      return VerifiedSignature(key: self, unixSeconds: nil)
    case .cosignature:
      guard signature.count == Cosignature.byteCount else { return nil }
      let unixSeconds = signature.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      guard unixSeconds <= EvidenceLimits.numberMaximum,
        key.isValid(Array(signature.dropFirst(8)), for: Cosignature.message(text, unixSeconds: unixSeconds))
      else { return nil }
      return VerifiedSignature(key: self, unixSeconds: unixSeconds)
    }
  }
}
