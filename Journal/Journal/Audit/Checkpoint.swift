public import JournalFormat

/// The head of a journal at a moment, to be kept elsewhere: whoever has it can prove later that nothing up to there was
/// changed, added or removed.
///
/// A text file of these lines, each ending with a line feed, in this order:
/// ```
/// carillon-checkpoint 1                         what this is, and the version of this format
/// made 2026-02-11T09:00:00.000Z                 when, by the clock of whoever made it
/// oldest-segment 1 <32 hexadecimal digits>      number and id of the oldest segment that was there
/// segment 12 <32 hexadecimal digits>            number and id of the segment in which the frame stands
/// position 48211                                the last record of the frame, and of what is proved
/// chain-hash <64 hexadecimal digits>            the frame's chain hash
/// public-key <Base64>                           of the key that signed it: what a PEM file has between its lines
/// signature <Base64>                            Ed25519 over all bytes before this line
/// ```
public struct Checkpoint: Sendable, Equatable {
  /// The end of a frame that was known to be on the disk.
  public let point: JournalPoint
  public let oldestSegment: SegmentName
  /// When, as text; nothing depends on it.
  public let made: String
  public let publicKey: AuditPublicKey
  private let signature: [UInt8]
  /// The bytes that the signature is over, as they stand in the file.
  private let signedBytes: [UInt8]

  /// More than any checkpoint has.
  public static let byteCountMaximum = 4096

  /// Signs `head`.
  ///
  /// - Parameter made: the moment, in one word.
  /// - Throws: `AuditKeyError.signingFailed`.
  public init(_ head: JournalHead, made: String, key: AuditKey) throws(AuditKeyError) {
    precondition(!made.contains(where: \.isWhitespace), "the moment is one word")
    point = head.point
    oldestSegment = head.oldestSegment
    self.made = made
    publicKey = key.publicKey
    let lines = [
      "carillon-checkpoint 1",
      "made \(made)",
      "oldest-segment \(head.oldestSegment)",
      "segment \(SegmentName(number: point.segmentNumber, id: point.segmentID))",
      "position \(point.position)",
      "chain-hash \(point.chainHash)",
      "public-key \(publicKey.base64)",
    ]
    signedBytes = Array((lines.joined(separator: "\n") + "\n").utf8)
    signature = try key.signature(of: signedBytes)
  }

  /// The file's content.
  public var text: String {
    String(decoding: signedBytes, as: UTF8.self) + "signature \(Base64.encode(signature))\n"
  }

  /// Reads a checkpoint; says nothing about its signature.
  ///
  /// - Throws: `notACheckpoint`, `newerCheckpoint`.
  public init(text bytes: [UInt8]) throws(CheckpointError) {
    guard bytes.count <= Self.byteCountMaximum, let text = String(validating: bytes, as: UTF8.self) else {
      throw .notACheckpoint(line: 1)
    }
    var lines = CheckpointLines(text)
    let version = try lines.next("carillon-checkpoint") { text in Int(text).flatMap { String($0) == text ? $0 : nil } }
    guard version >= 1 else { throw .notACheckpoint(line: 1) }
    guard version == 1 else { throw .newerCheckpoint(version: version) }
    made = try lines.next("made") { $0 }
    oldestSegment = try lines.next("oldest-segment") { SegmentName(text: $0) }
    let segment = try lines.next("segment") { SegmentName(text: $0) }
    let position = try lines.next("position") { text in UInt64(text).flatMap { String($0) == text ? $0 : nil } }
    let chainHash = try lines.next("chain-hash") { Hash256(hexadecimal: $0) }
    point = JournalPoint(
      position: position, chainHash: chainHash, segmentNumber: segment.number, segmentID: segment.id)
    publicKey = try lines.next("public-key") { try? AuditPublicKey(text: $0) }
    signedBytes = Array(bytes.prefix(lines.byteCount))
    signature = try lines.next("signature") { Base64.decode($0).flatMap { $0.count == 64 ? $0 : nil } }
    guard lines.byteCount == bytes.count else { throw .notACheckpoint(line: lines.count + 1) }
  }

  /// Whether the key that the checkpoint names has signed it, and is the one that is trusted.
  ///
  /// - Parameter trusted: nil to trust whatever key the checkpoint names: then anybody may have made it.
  /// - Throws: `wrongSignature`, `unknownKey`.
  public func checkSignature(trusted: AuditPublicKey?) throws(CheckpointError) {
    guard publicKey.isValid(signature, for: signedBytes) else { throw .wrongSignature }
    if let trusted, trusted != publicKey { throw .unknownKey(publicKey.base64) }
  }
}

/// Takes a checkpoint's text apart, strictly: one text, one meaning.
private struct CheckpointLines {
  private var rest: Substring
  private(set) var count = 0
  /// Bytes of the lines so far.
  private(set) var byteCount = 0

  init(_ text: String) { rest = text[...] }

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
