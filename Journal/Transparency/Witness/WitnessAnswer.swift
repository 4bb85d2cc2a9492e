/// What a witness answers. Spec: C2SP tlog-witness, add-checkpoint.
public enum WitnessAnswer: Sendable, Equatable {
  case cosigned([NoteSignature])
  case malformed(AddCheckpointFlaw)
  /// No key of the log has signed, or a signature that names one is wrong.
  case unsigned
  case unknownLog
  /// The log has asked from another size than the one that the witness knows.
  case conflict(knownSize: UInt64)
  /// The log has signed two trees of the same size.
  case fork(knownSize: UInt64)
  /// The tree that the witness knows is not the new one's beginning, or the proof does not show it.
  case inconsistent

  public var status: Int {
    switch self {
    case .cosigned: 200
    case .malformed: 400
    case .unsigned: 403
    case .unknownLog: 404
    case .conflict, .fork: 409
    case .inconsistent: 422
    }
  }

  /// The type of the body of a 409, by which a log knows it.
  public static let sizeContentType = "text/x.tlog.size"

  public var contentType: String {
    switch self {
    case .conflict, .fork: Self.sizeContentType
    default: "text/plain; charset=utf-8"
    }
  }

  /// Ends with a line feed.
  public var body: String {
    switch self {
    case .cosigned(let signatures): signatures.map(\.line).joined()
    case .malformed(let flaw): "\(flaw)\n"
    case .unsigned: "no key that is known for this log has signed the checkpoint, or a signature is wrong\n"
    case .unknownLog: "this witness does not look after a log of this origin\n"
    case .conflict(let size), .fork(let size): "\(size)\n"
    case .inconsistent: "the proof does not show that the tree that was cosigned is the new one's beginning\n"
    }
  }

  /// The log has signed what cannot stand beside what it signed before: whoever runs the witness wants to know.
  public var isAlarm: Bool {
    switch self {
    case .fork, .inconsistent: true
    default: false
    }
  }
}
