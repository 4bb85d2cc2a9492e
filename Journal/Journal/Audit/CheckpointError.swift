/// Why a checkpoint does not prove a journal.
public enum CheckpointError: Error, Sendable, Equatable {
  /// The file's line `line` is not what a checkpoint has there.
  case notACheckpoint(line: Int)
  case newerCheckpoint(version: Int)
  /// The checkpoint is of several journals, and one is compared.
  case ofSeveral
  /// The checkpoint is of another number of journals than are compared; nil: of one.
  case ofOthers(count: Int?, compared: Int)
  /// The file was changed after it was signed, or the signature was.
  case wrongSignature
  /// Signed, but not by the key that is trusted; its public key.
  case unknownKey(String)
  /// The checkpoint was taken of another journal.
  case otherJournal
  /// The journal's history up to the checkpoint's position is not the one that was signed.
  case historyDiffers(position: UInt64)
  /// The journal ends before the checkpoint's position: its newest part is gone.
  case journalIsShorter(end: UInt64, checkpoint: UInt64)
  /// The segments that the checkpoint speaks of are no longer there: they were deleted, and nothing can be compared.
  case historyDeleted(oldest: UInt64, checkpoint: UInt64)
}

extension CheckpointError: CustomStringConvertible {
  /// What is wrong, and what to do; the file is named by whoever read it.
  public var description: String {
    switch self {
    case .notACheckpoint(let line): "not a checkpoint: line \(line) is not what it must be; name the right file"
    case .newerCheckpoint(let version):
      "a checkpoint of format \(version), which this program does not know: use the newer one"
    case .ofSeveral: "a checkpoint of several journals: name the data directory that it was taken of"
    case .ofOthers(let count, let compared):
      "a checkpoint of \(count.map { "\($0) journals" } ?? "one journal"), and there are \(compared): name the data "
        + "directory that it was taken of" + (count == nil ? ", and the partition" : "")
    case .wrongSignature:
      "the signature is wrong: the file was changed after it was signed; take another copy of it, and ask who changed "
        + "this one"
    case .unknownKey(let key):
      "signed by another key than the one given (\(key)): find out whose it is before you trust it"
    case .otherJournal: "a checkpoint of another journal: name the directory that it was taken of"
    case .historyDiffers(let position):
      "history was changed: up to position \(position) the journal is not the one that was signed; keep both, and "
        + "compare with a copy"
    case .journalIsShorter(let end, let checkpoint):
      "the journal ends at position \(end), the checkpoint was made at \(checkpoint): the newest records are gone; put "
        + "the missing segments back from a copy"
    case .historyDeleted(let oldest, let checkpoint):
      "the journal begins at position \(oldest), the checkpoint was made at \(checkpoint): what it proves was deleted; "
        + "name the archive, or take a newer checkpoint"
    }
  }
}
