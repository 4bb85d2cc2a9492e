public import JournalFormat

/// The heads of all journals of a data directory, looked at one after the other and signed together: what a `Checkpoint`
/// proves of one, this proves of each.
///
/// A text file of these lines, each ending with a line feed, in this order; `<segment>` is a number and 32 hexadecimal
/// digits, as in a `Checkpoint`:
/// ```
/// carillon-checkpoint 2                         what this is, and the version of this format
/// made 2026-02-11T09:00:00.000Z                 when, by the clock of whoever made it
/// partitions 3                                  how many there are; a line of each follows, in their order
/// partition 0 oldest-segment <segment> segment <segment> position 48211 chain-hash <64 hexadecimal digits>
/// partition 1 oldest-segment <segment> segment <segment> position 17 chain-hash <64 hexadecimal digits>
/// partition 2 empty                             nothing was known to be on its disk
/// public-key <Base64>
/// signature <Base64>                            Ed25519 over all bytes before this line
/// ```
public struct JointCheckpoint: Sendable, Equatable {
  /// By partition; nil: nothing was known to be on its disk, and nothing is proved of it.
  public let heads: [JournalHead?]
  /// When, as text; nothing depends on it.
  public let made: String
  public var publicKey: AuditPublicKey { signed.publicKey }
  private let signed: SignedLines

  static let version = 2
  /// More than any checkpoint of as many partitions as there may be has.
  public static let byteCountMaximum = 32 * 1024

  /// Signs `heads`.
  ///
  /// - Parameter made: the moment, in one word.
  /// - Throws: `AuditKeyError.signingFailed`.
  public init(_ heads: [JournalHead?], made: String, key: AuditKey) throws(AuditKeyError) {
    precondition(!made.contains(where: \.isWhitespace), "the moment is one word")
    precondition((2...PartitionLayout.countMaximum).contains(heads.count), "one journal has a checkpoint of its own")
    self.heads = heads
    self.made = made
    var lines = ["carillon-checkpoint \(Self.version)", "made \(made)", "partitions \(heads.count)"]
    for (number, head) in heads.enumerated() {
      lines.append("partition \(number) " + (head.map(Self.text) ?? Self.empty))
    }
    signed = try SignedLines(lines, key: key)
  }

  /// The file's content.
  public var text: String { signed.text }

  /// Whether bytes begin as such a checkpoint does, and not as one of a single journal.
  public static func isMeant(by bytes: [UInt8]) -> Bool {
    bytes.starts(with: Array("carillon-checkpoint \(version)\n".utf8))
  }

  /// Reads a checkpoint; says nothing about its signature.
  ///
  /// - Throws: `notACheckpoint`.
  public init(text bytes: [UInt8]) throws(CheckpointError) {
    var lines = try CheckpointLines(bytes, byteCountMaximum: Self.byteCountMaximum)
    _ = try lines.next("carillon-checkpoint") { $0 == "\(Self.version)" ? $0 : nil }
    made = try lines.next("made") { $0 }
    let count = try lines.next("partitions") { text in
      Int(text).flatMap { (2...PartitionLayout.countMaximum).contains($0) && String($0) == text ? $0 : nil }
    }
    var heads: [JournalHead?] = []
    for number in 0..<count { heads.append(try lines.next("partition \(number)") { Self.head($0) }) }
    self.heads = heads
    signed = try SignedLines(bytes, behind: &lines)
  }

  /// See `Checkpoint.checkSignature`.
  ///
  /// - Throws: `wrongSignature`, `unknownKey`.
  public func checkSignature(trusted: AuditPublicKey?) throws(CheckpointError) {
    try signed.checkSignature(trusted: trusted)
  }

  private static let empty = "empty"

  private static func text(_ head: JournalHead) -> String {
    let point = head.point
    let segment = SegmentName(number: point.segmentNumber, id: point.segmentID)
    return "oldest-segment \(head.oldestSegment) segment \(segment) position \(point.position) "
      + "chain-hash \(point.chainHash)"
  }

  /// What stands behind a partition's number: its head, or nil within for none; nil if it is neither.
  private static func head(_ text: String) -> JournalHead?? {
    if text == empty { return .some(nil) }
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard words.count == 10, let oldest = SegmentName(text: "\(words[1]) \(words[2])"),
      let segment = SegmentName(text: "\(words[4]) \(words[5])"), let position = UInt64(words[7]),
      let chainHash = Hash256(hexadecimal: words[9])
    else { return nil }
    let head = JournalHead(
      point: JournalPoint(
        position: position, chainHash: chainHash, segmentNumber: segment.number, segmentID: segment.id),
      oldestSegment: oldest)
    // One text, one meaning.
    return self.text(head) == text ? .some(head) : nil
  }
}
