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
  public var publicKey: AuditPublicKey { signed.publicKey }
  /// What it proves.
  public var head: JournalHead { JournalHead(point: point, oldestSegment: oldestSegment) }
  private let signed: SignedLines

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
    let lines = [
      "carillon-checkpoint 1",
      "made \(made)",
      "oldest-segment \(head.oldestSegment)",
      "segment \(SegmentName(number: point.segmentNumber, id: point.segmentID))",
      "position \(point.position)",
      "chain-hash \(point.chainHash)",
    ]
    signed = try SignedLines(lines, key: key)
  }

  /// The file's content.
  public var text: String { signed.text }

  /// Reads a checkpoint; says nothing about its signature.
  ///
  /// - Throws: `notACheckpoint`, `newerCheckpoint`, `ofSeveral`.
  public init(text bytes: [UInt8]) throws(CheckpointError) {
    var lines = try CheckpointLines(bytes, byteCountMaximum: Self.byteCountMaximum)
    let version = try lines.next("carillon-checkpoint") { text in Int(text).flatMap { String($0) == text ? $0 : nil } }
    guard version >= 1 else { throw .notACheckpoint(line: 1) }
    guard version != JointCheckpoint.version else { throw .ofSeveral }
    guard version == 1 else { throw .newerCheckpoint(version: version) }
    made = try lines.next("made") { $0 }
    oldestSegment = try lines.next("oldest-segment") { SegmentName(text: $0) }
    let segment = try lines.next("segment") { SegmentName(text: $0) }
    let position = try lines.next("position") { text in UInt64(text).flatMap { String($0) == text ? $0 : nil } }
    let chainHash = try lines.next("chain-hash") { Hash256(hexadecimal: $0) }
    point = JournalPoint(
      position: position, chainHash: chainHash, segmentNumber: segment.number, segmentID: segment.id)
    signed = try SignedLines(bytes, behind: &lines)
  }

  /// Whether the key that the checkpoint names has signed it, and is the one that is trusted.
  ///
  /// - Parameter trusted: nil to trust whatever key the checkpoint names: then anybody may have made it.
  /// - Throws: `wrongSignature`, `unknownKey`.
  public func checkSignature(trusted: AuditPublicKey?) throws(CheckpointError) {
    try signed.checkSignature(trusted: trusted)
  }
}
