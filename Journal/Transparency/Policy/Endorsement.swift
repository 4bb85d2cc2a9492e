/// A checkpoint that a policy has found good: who stands for it, and since when.
public struct Endorsement: Sendable, Equatable {
  public struct Cosigned: Sendable, Equatable {
    /// As the policy calls it.
    public let witness: String
    /// By the witness's clock, seconds since 1970.
    public let unixSeconds: UInt64
  }

  public let checkpoint: LogCheckpoint
  /// The log's key that has signed.
  public let log: VerifierKey
  /// In the policy's order; all that have, not only those that the quorum needs.
  public let cosigned: [Cosigned]

  /// When the first of them had seen the checkpoint; nil if no witness has.
  public var earliestUnixSeconds: UInt64? { cosigned.map(\.unixSeconds).min() }
  public var latestUnixSeconds: UInt64? { cosigned.map(\.unixSeconds).max() }
}

/// Why a policy does not trust a checkpoint.
public enum EndorsementRefusal: Error, Sendable, Equatable {
  case checkpoint(LogCheckpointFlaw)
  /// A signature of the log or of a witness is wrong.
  case note(NoteFlaw)
  /// A log that the policy does not name.
  case unknownLog(KeyName)
  /// The log that it names has not signed it.
  case unsigned(KeyName)
  /// Too few of the witnesses that the policy asks for have cosigned; the names of those that have.
  case quorumMissing(String, cosigned: [String])
}

extension EndorsementRefusal: CustomStringConvertible {
  public var description: String {
    switch self {
    case .checkpoint(let flaw): "\(flaw)"
    case .note(let flaw): "\(flaw)"
    case .unknownLog(let origin): "a checkpoint of \(origin), a log that the policy does not name"
    case .unsigned(let origin): "the checkpoint is not signed by the key of \(origin) that the policy names"
    case .quorumMissing(let quorum, let cosigned):
      "the quorum \(quorum) is missing: cosigned by "
        + (cosigned.isEmpty ? "none of the policy's witnesses" : cosigned.joined(separator: ", ") + " only")
    }
  }
}
