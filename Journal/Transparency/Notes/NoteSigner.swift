public import JournalFormat

/// A log's key with its name: signs notes. Spec: C2SP signed-note, Ed25519 signatures.
public struct NoteSigner: Sendable {
  public let verifierKey: VerifierKey
  private let key: AuditKey

  public init(name: KeyName, key: AuditKey) {
    verifierKey = VerifierKey(name: name, kind: .note, key: key.publicKey)
    self.key = key
  }

  /// - Parameter checkpoint: of the log that has the key's name.
  public func sign(_ checkpoint: LogCheckpoint) throws(AuditKeyError) -> SignedNote {
    precondition(checkpoint.origin == verifierKey.name, "a log signs its own checkpoints")
    return SignedNote(checkpoint, signature: try signature(of: checkpoint.text))
  }

  /// - Parameter text: ends with a line feed.
  /// - Throws: `NoteFlaw` with `textUnended`, `notUTF8`, `controlCharacter` or `tooLarge`; `AuditKeyError`.
  public func sign(_ text: [UInt8]) throws -> SignedNote {
    try SignedNote(text: text, signature: try signature(of: text))
  }

  /// The line to be added to a note of that text.
  public func signature(of text: [UInt8]) throws(AuditKeyError) -> NoteSignature {
    NoteSignature(name: verifierKey.name, keyID: verifierKey.id, bytes: try key.signature(of: text))
  }
}
