internal import JournalFormat

/// What a checkpoint says, line by line, with the key that has signed it.
struct SignedLines: Sendable, Equatable {
  let publicKey: AuditPublicKey
  private let signature: [UInt8]
  /// The bytes that the signature is over, as they stand in the file.
  private let signedBytes: [UInt8]

  /// Signs lines, and the name of the key behind them.
  ///
  /// - Throws: `AuditKeyError.signingFailed`.
  init(_ lines: [String], key: AuditKey) throws(AuditKeyError) {
    publicKey = key.publicKey
    let all = lines + ["public-key \(publicKey.base64)"]
    signedBytes = Array((all.joined(separator: "\n") + "\n").utf8)
    signature = try key.signature(of: signedBytes)
  }

  /// Reads key and signature, with which `bytes` end; says nothing about whether they are right.
  ///
  /// - Parameter lines: has handed out all that comes before.
  /// - Throws: `notACheckpoint`.
  init(_ bytes: [UInt8], behind lines: inout CheckpointLines) throws(CheckpointError) {
    publicKey = try lines.next("public-key") { try? AuditPublicKey(text: $0) }
    signedBytes = Array(bytes.prefix(lines.byteCount))
    signature = try lines.next("signature") { Base64.decode($0).flatMap { $0.count == 64 ? $0 : nil } }
    guard lines.byteCount == bytes.count else { throw .notACheckpoint(line: lines.count + 1) }
  }

  /// As they stand in a file.
  var text: String { String(decoding: signedBytes, as: UTF8.self) + "signature \(Base64.encode(signature))\n" }

  /// See `Checkpoint.checkSignature`.
  func checkSignature(trusted: AuditPublicKey?) throws(CheckpointError) {
    guard publicKey.isValid(signature, for: signedBytes) else { throw .wrongSignature }
    if let trusted, trusted != publicKey { throw .unknownKey(publicKey.base64) }
  }
}

/// Takes a checkpoint's text apart, strictly: one text, one meaning.
struct CheckpointLines {
  private var rest: Substring
  private(set) var count = 0
  /// Bytes of the lines so far.
  private(set) var byteCount = 0

  /// - Throws: `notACheckpoint` for more bytes than that, and for what is no text.
  init(_ bytes: [UInt8], byteCountMaximum: Int) throws(CheckpointError) {
    guard bytes.count <= byteCountMaximum, let text = String(validating: bytes, as: UTF8.self) else {
      throw .notACheckpoint(line: 1)
    }
    rest = text[...]
  }

  /// - Parameter read: the value behind the line's name; nil if it is none.
  mutating func next<Value>(_ name: String, _ read: (String) -> Value?) throws(CheckpointError) -> Value {
    count += 1
    guard let end = rest.utf8.firstIndex(of: UInt8(ascii: "\n")) else { throw .notACheckpoint(line: count) }
    let line = rest[..<end]
    guard line.hasPrefix(name + " ") else { throw .notACheckpoint(line: count) }
    byteCount += line.utf8.count + 1
    rest = rest[rest.utf8.index(after: end)...]
    guard let value = read(String(line.dropFirst(name.count + 1))) else { throw .notACheckpoint(line: count) }
    return value
  }
}
