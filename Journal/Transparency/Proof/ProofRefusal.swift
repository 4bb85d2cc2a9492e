/// Why a proof proves nothing.
public enum ProofRefusal: Error, Sendable, Equatable {
  case tooLarge
  /// The line is not what a proof has there.
  case badLine(Int)
  /// What follows the hashes is no signed note.
  case badNote(NoteFlaw)
  /// The policy does not trust the checkpoint.
  case checkpoint(EndorsementRefusal)
  /// The proof shows no record.
  case recordMissing
  /// The record is not the one that was asked for.
  case otherRecord
  case indexOutside(UInt64, size: UInt64)
  /// Too few hashes or too many for that place in a tree of that size.
  case wrongHashCount(Int)
  /// Record, place and hashes do not lead to the root that was signed: one of them was changed.
  case notIncluded
}

extension ProofRefusal: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tooLarge: "not a proof: more than \(EvidenceLimits.proofByteCountMaximum) bytes"
    case .badLine(let line): "not a proof: line \(line) is not what a proof has there"
    case .badNote(let flaw): "not a proof: \(flaw)"
    case .checkpoint(let refusal): "\(refusal)"
    case .recordMissing: "the proof shows no record: its line extra is missing or too short"
    case .otherRecord: "the proof is of another record than the one asked for"
    case .indexOutside(let index, let size): "index \(index) is outside of the tree, which has \(size) records"
    case .wrongHashCount(let count): "\(count) hashes are too few or too many for that index"
    case .notIncluded: "the record is not in the signed tree: record, index or hashes were changed"
    }
  }
}
