/// Why a witness has not cosigned a checkpoint.
public enum CosigningFailure: Error, Sendable, Hashable {
  case unreachable
  case late
  /// 400.
  case malformed
  /// 403: the witness does not know our key, or knows another for this origin.
  case keyUnknown
  /// 404: the witness was not told of our log.
  case logUnknown
  /// 422: what the witness cosigned is not our tree's beginning.
  case inconsistent
  /// 409: the witness has cosigned another tree of this size.
  case fork(size: UInt64)
  /// 409: the witness has cosigned a larger tree of this origin: another instance signs with our key, or a restored
  /// one has lost its end.
  case witnessIsAhead(size: UInt64)
  /// 409 without a size that one could ask from.
  case badConflict
  /// Others ask for the same log, and were faster each time.
  case tooManyConflicts
  case unexpected(status: Int)
  case answerTooLarge
  /// 200, but no signature lines.
  case badAnswer
  /// Cosigned, but not by the key that we know.
  case foreignKey
  case wrongSignature
  /// The witness's clock and ours are too far apart; one of them is wrong.
  case wrongTime(secondsAhead: Int64)

  /// The witness has seen a history that is not ours: waiting does not help.
  public var isAlarm: Bool {
    switch self {
    case .inconsistent, .fork, .witnessIsAhead: true
    default: false
    }
  }
}

extension CosigningFailure: CustomStringConvertible {
  /// One sentence that names what to look at; the witness is named by whoever asks.
  public var description: String {
    switch self {
    case .unreachable: "it cannot be reached"
    case .late: "it did not answer in time"
    case .malformed: "it did not understand the request (400)"
    case .keyUnknown: "it does not know the log's key (403)"
    case .logUnknown: "it does not look after this log (404)"
    case .inconsistent: "what it cosigned before is not the beginning of this tree (422): the history was changed"
    case .fork(let size): "it has cosigned another tree of size \(size) (409): the history has forked"
    case .witnessIsAhead(let size):
      "it has cosigned a tree of size \(size) already (409): another instance goes on with this log's key, or the end "
        + "of the journal is missing"
    case .badConflict: "it refuses without a size to ask from (409)"
    case .tooManyConflicts: "others ask it for the same log at the same time (409)"
    case .unexpected(let status): "it answered with status \(status)"
    case .answerTooLarge: "its answer has more than \(EvidenceLimits.witnessAnswerByteCountMaximum) bytes"
    case .badAnswer: "its answer has no signature lines"
    case .foreignKey: "it cosigned with another key than the one that is known"
    case .wrongSignature: "its cosignature is wrong"
    case .wrongTime(let seconds):
      "its clock is \(seconds.magnitude) s \(seconds < 0 ? "behind" : "ahead of") ours: one of them is wrong"
    }
  }
}
