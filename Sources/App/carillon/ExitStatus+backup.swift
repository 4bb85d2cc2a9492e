import Backup
import Journal
import JournalFormat

extension ExitStatus {
  init(_ error: BackupError) {
    self =
      switch error {
      case .cut: .backupCut
      case .newerFormat: .newerFormat
      case .foreign: .foreignData
      case .otherInstance: .otherBackup
      case .ahead: .historyTruncated
      case .parted: .historyDiffers
      case .notEmpty: .notEmpty
      case .inUse: .dataDirectoryInUse
      case .noJournal: .missingInput
      case .restless: .unavailable
      case .beyondEnd: .beyondBackup
      case .beforeBeginning: .historyDeleted
      }
  }

  /// What `backup --help` and `restore --help` say about the codes.
  static let backupHelp = """
    Exit codes: 0 done; 64 the command line is wrong; 65 a file of the journal is damaged; 66 there is no journal; 69 the \
    directory changes faster than it is copied; 73 a file cannot be read or written; 75 in use by another process; 80 a \
    file that belongs to no backup; 81 a newer format; 87 the backup in DIR has another history; 88 it has more than the \
    journal; 89 no start is possible so early; 109 what a start so early needs was erased; 120 the backup is cut; 121 DIR \
    holds a backup of another instance; 122 the directory is not empty; 123 the backup holds what was erased; 124 the \
    backup does not go so far. In each case nothing was changed.
    """
}

extension CommandFailure {
  init(_ error: BackupError) { self.init(ExitStatus(error), "\(error)") }
}

/// Runs `body` of a backup or a restoration; each thing that it throws has its line and its exit code.
func reportingBackup<Result>(_ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as BackupError {
    throw CommandFailure(error)
  } catch let error as JournalError {
    throw CommandFailure(error)
  } catch let error as SnapshotError {
    throw CommandFailure(error)
  } catch let error as StorageError {
    throw CommandFailure(JournalError.storage(error))
  } catch let error as FormatError {
    throw CommandFailure(.damagedData, "the header of a segment is damaged (\(error))")
  }
}
