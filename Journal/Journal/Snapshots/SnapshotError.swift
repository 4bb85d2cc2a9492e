internal import JournalFormat
public import SystemPackage

/// Why a snapshot cannot be used, or was not written. The journal itself is not in question: a restart takes the
/// snapshot before, or replays everything.
public enum SnapshotError: Error, Sendable, Equatable {
  /// A file with a snapshot's name that is none.
  case foreignFile(FilePath)
  case newerVersion(file: FilePath, version: UInt32)
  /// The end of the file is not there.
  case incomplete(file: FilePath, byteCount: Int)
  case damaged(file: FilePath, offset: Int)
  /// The name says another position than the file.
  case renamed(file: FilePath, position: UInt64)
  /// It was taken of another journal, or of a copy that went its own way.
  case foreignJournal(FilePath)
  /// It was taken of this journal, whose history up to there is another one now.
  case historyDiffers(FilePath, position: UInt64)
  /// It was taken at a position that the journal does not reach: the newest segments are gone.
  case journalShorter(file: FilePath, position: UInt64, end: UInt64)
  /// The disk refused; what was begun was removed.
  case storage(StorageError)
}

extension SnapshotError: CustomStringConvertible {
  /// One line: what is wrong, where, and what to do.
  public var description: String {
    switch self {
    case .foreignFile(let file):
      "\(file) is not a snapshot: move it out of the directory"
    case .newerVersion(let file, let version):
      "\(file) has snapshot format \(version), which this program does not know: start the newer one, or move it away "
        + "to start from an older snapshot or from the whole journal"
    case .incomplete(let file, let byteCount):
      "\(file) ends at byte \(byteCount), before its footer: it was copied half; copy it again or remove it, nothing "
        + "is lost with it while the journal is whole"
    case .damaged(let file, let offset):
      "\(file) is damaged at offset \(offset): remove it or put a copy in its place, nothing is lost with it while the "
        + "journal is whole"
    case .renamed(let file, let position):
      "\(file) was taken at position \(position): give it back the name of that position, or move it away"
    case .foreignJournal(let file):
      "\(file) belongs to another journal: move it away, or put the right journal back"
    case .historyDiffers(let file, let position):
      "history was changed: up to position \(position) the journal is not the one that \(file) was taken of; keep both, "
        + "and compare with a copy"
    case .journalShorter(let file, let position, let end):
      "\(file) was taken at position \(position), the journal ends at \(end): its newest segments are gone; put them "
        + "back from a copy, or move the snapshot away to go on with what is left"
    case .storage(let error): "\(error)"
    }
  }
}

extension SnapshotError {
  init(_ error: SnapshotFormatError, file: FilePath, byteCount: Int) {
    switch error {
    case .foreignMagic: self = .foreignFile(file)
    case .newerVersion(let version): self = .newerVersion(file: file, version: version)
    case .incomplete: self = .incomplete(file: file, byteCount: byteCount)
    case .damaged(let offset): self = .damaged(file: file, offset: offset)
    }
  }

  /// What a journal that refused to start from the point of `snapshot` says of that snapshot; nil if it says nothing.
  public init?(_ error: JournalError, snapshot: FilePath) {
    switch error {
    case .foreignStartingPoint: self = .foreignJournal(snapshot)
    case .startingPointBeyondEnd(_, let point, let end):
      self = .journalShorter(file: snapshot, position: point, end: end)
    default: return nil
    }
  }
}
