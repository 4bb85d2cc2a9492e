internal import JournalFormat

/// One signature line of a note: `— name <Base64 of the key's id and the signature>`. Spec: C2SP signed-note.
public struct NoteSignature: Sendable, Hashable {
  public let name: KeyName
  public let keyID: UInt32
  /// What the key made; of a cosignature its time comes first.
  public let bytes: [UInt8]

  /// An em dash and a space.
  static let prefix: [UInt8] = [0xE2, 0x80, 0x94, 0x20]

  init(name: KeyName, keyID: UInt32, bytes: [UInt8]) {
    self.name = name
    self.keyID = keyID
    self.bytes = bytes
  }

  /// - Parameter line: without its end.
  init?(line: ArraySlice<UInt8>) {
    guard line.starts(with: Self.prefix) else { return nil }
    let rest = line.dropFirst(Self.prefix.count)
    guard let space = rest.firstIndex(of: UInt8(ascii: " ")), let name = KeyName(rest[..<space]),
      let decoded = Base64.decode(rest[(space + 1)...]), decoded.count > 4
    else { return nil }
    self.init(
      name: name, keyID: decoded.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }, bytes: Array(decoded.dropFirst(4)))
  }

  /// The line with its end.
  public var line: String {
    let id = withUnsafeBytes(of: keyID.bigEndian) { Array($0) }
    return "— \(name) \(Base64.encode(id + bytes))\n"
  }

  /// Whether `key` is the one that it says made it.
  func isBy(_ key: VerifierKey) -> Bool { keyID == key.id && name == key.name }

  /// Signature lines to the end of `lines`.
  ///
  /// - Throws: `badSignatureLine`, `tooManySignatures`, `noSignatures`.
  static func all(_ lines: inout TextLines) throws(NoteFlaw) -> [NoteSignature] {
    var signatures: [NoteSignature] = []
    while !lines.rest.isEmpty {
      guard let line = lines.next(), let signature = NoteSignature(line: line) else {
        throw .badSignatureLine(line: lines.number)
      }
      guard signatures.count < EvidenceLimits.signatureCountMaximum else { throw .tooManySignatures }
      signatures.append(signature)
    }
    guard !signatures.isEmpty else { throw .noSignatures }
    return signatures
  }
}

/// What a known key says of a note.
public struct VerifiedSignature: Sendable, Hashable {
  public let key: VerifierKey
  /// When a witness cosigned, in seconds since 1970 by its clock; nil for a log's signature.
  public let unixSeconds: UInt64?
}
