public import JournalFormat

/// That a log has a record at a place, to be checked by anybody who has a policy, without the log.
///
/// The content of a file `<name>.tlog-proof`. Spec: C2SP tlog-proof.
/// ```
/// c2sp.org/tlog-proof@v1
/// extra <Base64>                     ours: the record (`DisclosedRecord`)
/// index 73894                        the record's place, from 0: one less than its position
/// gSKyXoYZUgZ6jduWYrkDOARinOMGJveX…  hashes, from the leaf's sibling up
///
/// carillon.example.com/main          a checkpoint with all its signatures
/// …
/// ```
public struct LogProof: Sendable, Hashable {
  public let index: UInt64
  public let hashes: [Hash256]
  /// Not covered by any signature; ours is checked by the leaf that follows from it. Nil if the line is missing.
  public let extra: [UInt8]?
  public let note: SignedNote

  public static let fileExtension = "tlog-proof"
  private static let firstLine = Array("c2sp.org/tlog-proof@v1".utf8)

  /// - Parameters:
  ///   - index: at most `EvidenceLimits.numberMaximum`.
  ///   - hashes: at most `MerkleProof.maximumCount`.
  ///   - note: the checkpoint.
  public init(record: DisclosedRecord, index: UInt64, hashes: [Hash256], note: SignedNote) {
    precondition(index <= EvidenceLimits.numberMaximum, "a place is a number that others can count with")
    precondition(hashes.count <= MerkleProof.maximumCount, "no tree is that high")
    self.index = index
    self.hashes = hashes
    extra = record.salt + record.body
    self.note = note
  }

  /// Reads a proof; says nothing yet of whether it holds. What it is written as again is the same bytes.
  ///
  /// - Parameter bytes: a file that is larger than `EvidenceLimits.proofByteCountMaximum` needs not be read.
  /// - Throws: `tooLarge`, `badLine`, `badNote`.
  public init(_ bytes: [UInt8]) throws(ProofRefusal) {
    guard bytes.count <= EvidenceLimits.proofByteCountMaximum else { throw .tooLarge }
    var lines = TextLines(bytes[...])
    guard let first = lines.next(), first.elementsEqual(Self.firstLine) else { throw .badLine(lines.number) }
    if let line = lines.next(after: "extra") {
      guard let decoded = Base64.decode(line), !decoded.isEmpty else { throw .badLine(lines.number) }
      extra = decoded
    } else {
      extra = nil
    }
    guard let index = lines.next(after: "index").flatMap(Decimal.parse) else { throw .badLine(extra == nil ? 2 : 3) }
    self.index = index
    guard let hashes = lines.hashes() else { throw .badLine(lines.number) }
    self.hashes = hashes
    do throws(NoteFlaw) { note = try SignedNote(lines.rest) } catch { throw .badNote(error) }
  }

  /// The file's content.
  public var bytes: [UInt8] {
    var text = "\(String(decoding: Self.firstLine, as: UTF8.self))\n"
    if let extra { text += "extra \(Base64.encode(extra))\n" }
    text += "index \(index)\n"
    for hash in hashes { text += "\(hash.base64)\n" }
    return Array("\(text)\n".utf8) + note.bytes
  }

  /// The record that it shows; nil if it shows none.
  public var record: DisclosedRecord? { extra.flatMap { DisclosedRecord(extra: $0) } }

  /// Whether the record stands where the proof says, in a log that the policy trusts.
  ///
  /// - Parameter entry: the leaf that the record must have, if whoever asks knows it.
  /// - Returns: who stands for it.
  public func check(_ policy: TrustPolicy, expecting entry: Hash256? = nil) throws(ProofRefusal) -> Endorsement {
    let endorsement: Endorsement
    do throws(EndorsementRefusal) { endorsement = try policy.judge(note) } catch { throw .checkpoint(error) }
    let head = endorsement.checkpoint.head
    guard let record else { throw .recordMissing }
    guard entry == nil || record.entry == entry else { throw .otherRecord }
    guard index < head.size else { throw .indexOutside(index, size: head.size) }
    guard
      let root = MerkleProof.root(
        leaf: MerkleTree.leaf(record.entry), index: index, size: head.size, hashes: hashes)
    else { throw .wrongHashCount(hashes.count) }
    guard root == head.root else { throw .notIncluded }
    return endorsement
  }
}
