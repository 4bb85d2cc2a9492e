public import JournalFormat

/// A public key with the name of whoever signs with it, and what its signatures are over: a "vkey".
///
/// As text: `name+<8 hexadecimal digits>+<Base64 of kind and key>`. Spec: C2SP signed-note, verifier keys.
public struct VerifierKey: Sendable, Hashable {
  /// What a signature is over; the byte is frozen.
  public enum Kind: UInt8, Sendable {
    /// The text of a note, signed by a log.
    case note = 0x01
    /// The text of a checkpoint and the time, signed by a witness. Spec: C2SP tlog-cosignature.
    case cosignature = 0x04
  }

  public let name: KeyName
  public let kind: Kind
  public let key: AuditPublicKey
  /// What signature lines call it, beside its name.
  public let id: UInt32

  public init(name: KeyName, kind: Kind, key: AuditPublicKey) {
    self.name = name
    self.kind = kind
    self.key = key
    id = Self.id(name, [kind.rawValue] + key.raw)
  }

  /// - Throws: whatever is wrong with the text.
  public init(text: some StringProtocol) throws(VerifierKeyFlaw) {
    let parts = text.split(separator: "+", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let encoded = Base64.decode(parts[2]), let kind = encoded.first else {
      throw .notAVerifierKey
    }
    guard let name = KeyName(parts[0]) else { throw .badName }
    guard parts[1].utf8.elementsEqual(hexadecimal(Self.id(name, encoded)).utf8) else { throw .wrongID }
    guard let kind = Kind(rawValue: kind) else { throw .unknownKind(kind) }
    guard let key = try? AuditPublicKey(raw: Array(encoded.dropFirst())), key.isCanonical else { throw .badKey }
    self.init(name: name, kind: kind, key: key)
  }

  public var text: String { "\(name)+\(hexadecimal(id))+\(Base64.encode([kind.rawValue] + key.raw))" }

  /// The first four bytes of the hash of name, line feed, kind and key.
  private static func id(_ name: KeyName, _ encoded: [UInt8]) -> UInt32 {
    let message = Array(name.description.utf8) + [lineFeed] + encoded
    let hash = message.withUnsafeBytes {
      SHA256Batch.digest(head: UnsafeRawBufferPointer(start: nil, count: 0), body: $0)
    }
    return hash.bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }
}

/// Why a text is no verifier key that we can use.
public enum VerifierKeyFlaw: Error, Sendable, Equatable {
  case notAVerifierKey
  /// The name has a space, a control character or more than 255 bytes, or is empty.
  case badName
  /// The id is not that of name and key: one of them was changed.
  case wrongID
  /// A key of a kind that we do not verify.
  case unknownKind(UInt8)
  case badKey
}

extension VerifierKeyFlaw: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notAVerifierKey: "not a verifier key: it has the form name+id+key"
    case .badName: "the key's name is empty, too long, or has a space or a control character"
    case .wrongID: "the key's id is not that of its name and key: one of them was changed"
    case .unknownKind(let kind): "a key of kind \(kind), which is not known here"
    case .badKey: "not an Ed25519 key"
    }
  }
}

private func hexadecimal(_ id: UInt32) -> String {
  let digits = String(id, radix: 16)
  return String(repeating: "0", count: 8 - digits.count) + digits
}
