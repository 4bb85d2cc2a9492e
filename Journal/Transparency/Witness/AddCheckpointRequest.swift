public import JournalFormat

/// What a log asks a witness with. Spec: C2SP tlog-witness, add-checkpoint.
///
/// ```
/// old 20852014                       the size that the witness knows, as far as the log knows
/// PlRNCrwHpqhGrupue0L7gxbjbMiKA9…    hashes: that the tree of that size is the new one's beginning
///
/// carillon.example.com/main          the new checkpoint, signed
/// …
/// ```
public struct AddCheckpointRequest: Sendable, Hashable {
  public let oldSize: UInt64
  public let hashes: [Hash256]
  public let note: SignedNote

  /// - Parameters:
  ///   - oldSize: at most `EvidenceLimits.numberMaximum`.
  ///   - hashes: none if the old size is 0; at most `MerkleProof.maximumCount`.
  public init(oldSize: UInt64, hashes: [Hash256], note: SignedNote) {
    precondition(oldSize <= EvidenceLimits.numberMaximum, "a size is a number that others can count with")
    precondition(hashes.count <= MerkleProof.maximumCount, "no tree is that high")
    self.oldSize = oldSize
    self.hashes = hashes
    self.note = note
  }

  public init(_ bytes: [UInt8]) throws(AddCheckpointFlaw) {
    guard bytes.count <= EvidenceLimits.addCheckpointByteCountMaximum else { throw .tooLarge }
    var lines = TextLines(bytes[...])
    guard let oldSize = lines.next(after: "old").flatMap(Decimal.parse) else { throw .badOldSize }
    guard let hashes = lines.hashes() else { throw .badHash(line: lines.number) }
    self.oldSize = oldSize
    self.hashes = hashes
    do throws(NoteFlaw) { note = try SignedNote(lines.rest) } catch { throw .badNote(error) }
  }

  /// The body of the request.
  public var bytes: [UInt8] {
    Array("old \(oldSize)\n\(hashes.map { $0.base64 + "\n" }.joined())\n".utf8) + note.bytes
  }
}

/// Why a body is not a request for a cosignature.
public enum AddCheckpointFlaw: Error, Sendable, Equatable {
  case tooLarge
  /// The first line is not `old` and a size.
  case badOldSize
  case badHash(line: Int)
  case badNote(NoteFlaw)
  case badCheckpoint(LogCheckpointFlaw)
  /// The old size is larger than the checkpoint's.
  case oldSizeAbove(UInt64, size: UInt64)
}

extension AddCheckpointFlaw: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tooLarge: "more than \(EvidenceLimits.addCheckpointByteCountMaximum) bytes"
    case .badOldSize: "line 1 is not: old <size>"
    case .badHash(let line): "line \(line) is not a hash"
    case .badNote(let flaw): "\(flaw)"
    case .badCheckpoint(let flaw): "\(flaw)"
    case .oldSizeAbove(let old, let size): "the old size \(old) is larger than the checkpoint's, \(size)"
    }
  }
}
