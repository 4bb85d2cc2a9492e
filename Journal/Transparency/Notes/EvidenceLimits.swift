internal import JournalFormat

/// The bounds of notes, proofs and policies; what says more is refused before it is believed.
public enum EvidenceLimits {
  /// The longest name of a key, in UTF-8. Spec: C2SP tlog-cosignature gives names one byte for their length.
  public static let keyNameByteCountMaximum = 255
  /// The largest signed note: sixteen signatures of those to come have about 5,000 bytes each, before Base64.
  public static let noteByteCountMaximum = 256 * 1024
  /// Signature lines of a note. Spec: C2SP signed-note: 16 at least.
  public static let signatureCountMaximum = 64
  /// The largest size of a tree, and the latest time in seconds: others count with a sign.
  public static let numberMaximum = UInt64(Int64.max)
  /// The largest record that a proof can show, as it is hashed.
  public static let recordByteCountMaximum = FormatLimits.unitByteCountMaximum
  /// The largest proof, to be asked before a file is read.
  public static let proofByteCountMaximum =
    64 + (FormatLimits.saltByteCount + recordByteCountMaximum + 2) / 3 * 4 + hashLinesByteCountMaximum
    + noteByteCountMaximum
  /// The largest body that a witness is asked with.
  public static let addCheckpointByteCountMaximum = 64 + hashLinesByteCountMaximum + noteByteCountMaximum
  /// The largest answer of a witness that is read.
  public static let witnessAnswerByteCountMaximum = 64 * 1024
  /// The most that a witness's clock may differ from ours, in seconds, for its cosignature to be taken.
  public static let witnessClockDifferenceSecondsMaximum: UInt64 = 300
  /// How often a witness is asked for one checkpoint: with what we think it knows, with what it says it knows, and once
  /// more if somebody was faster.
  public static let witnessAskCountMaximum = 3
  public static let policyByteCountMaximum = 256 * 1024
  /// Logs, witnesses and groups of a policy, of each kind. Spec: C2SP tlog-policy: 32 at least.
  public static let policyEntryCountMaximum = 256

  /// The lines with the hashes of a proof, and the empty line after them.
  private static let hashLinesByteCountMaximum = MerkleProof.maximumCount * 45 + 1
}
