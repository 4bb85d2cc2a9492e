public import SystemPackage

/// Why there is no backup, or why one is not restored. Nothing was changed then.
public enum BackupError: Error, Sendable, Equatable {
  /// Not all of a backup is there, or not as it was made: what is missing.
  case cut(String)
  /// Made by a later version, in a format that this one does not know.
  case newerFormat(UInt64)
  /// A directory, or a stream, that holds something which no backup has.
  case foreign(String)
  /// The directory holds a backup of another instance.
  case otherInstance(FilePath)
  /// The directory holds a backup of this journal that goes on where this journal has ended.
  case ahead(backup: UInt64, journal: UInt64)
  /// The directory holds a backup of a journal that was this one up to some position before `position`.
  case parted(position: UInt64)
  /// Only an empty directory is restored into.
  case notEmpty(FilePath)
  case inUse(FilePath)
  /// There is no segment of a journal.
  case noJournal(FilePath)
  /// The directory changed faster than it could be copied.
  case restless
  /// Asked for more than the backup has.
  case beyondEnd(position: UInt64)
  /// Asked for less than the backup can give: what stood there was deleted before the backup was made.
  case beforeBeginning
}

extension BackupError: CustomStringConvertible {
  /// One line: what is wrong, and what to do.
  public var description: String {
    switch self {
    case .cut(let what): "the backup is cut: \(what); take another one"
    case .newerFormat(let format):
      "the backup has format \(format), which this program does not know: restore it with the newer one"
    case .foreign(let what): "\(what) belongs to no backup: name another directory, or move it away"
    case .otherInstance(let path): "\(path) holds a backup of another instance: name a directory of this one's own"
    case .ahead(let backup, let journal):
      "the backup goes up to position \(backup), the journal ends at \(journal): its newest part is gone; keep the backup, "
        + "and name another directory"
    case .parted(let position):
      "the journal has another history than the backup, which goes up to position \(position): keep the backup, and name "
        + "another directory"
    case .notEmpty(let path): "\(path) is not empty: name a directory that is not there, or empty that one"
    case .inUse(let path): "\(path) is in use by another process: wait for that one"
    case .noJournal(let path): "\(path) holds no segment of a journal"
    case .restless: "the directory changes faster than it is copied: nothing was finished; try again"
    case .beyondEnd(let position): "the backup ends at position \(position): it knows nothing of what came later"
    case .beforeBeginning:
      "the backup has no beginning from which a server could start there: retention had deleted it, or no snapshot is old "
        + "enough"
    }
  }
}
