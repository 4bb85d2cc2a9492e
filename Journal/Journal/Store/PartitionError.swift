public import SystemPackage

/// Why a data directory's partitions are not opened; nothing was changed.
public enum PartitionError: Error, Sendable, Equatable {
  /// It was made with another number of partitions than it is to be opened with.
  case countDiffers(directory: FilePath, made: Int, asked: Int)
  /// A partition's journal is not there, and others have records.
  case missing(FilePath)
  /// The file that says how many there are is not what was written.
  case damaged(FilePath)
  /// Partitions are there, and the file that says how many is not.
  case lost(FilePath)
  /// The directory is one of the partitions of another.
  case partition(FilePath, of: FilePath)
  /// One journal by itself lies beside several partitions.
  case mixed(FilePath)
  case newerVersion(file: FilePath, version: UInt32)
  /// A journal that had to be looked at.
  case journal(JournalError)
  case storage(StorageError)
}

extension PartitionError: CustomStringConvertible {
  /// One line: what is wrong, where, and what to do.
  public var description: String {
    switch self {
    case .countDiffers(let directory, let made, let asked):
      "\(directory) was made with \(Self.partitions(made)), and the option partitions asks for \(asked): that is fixed "
        + "when a data directory is made; set it to \(made), or name another directory"
    case .missing(let journal):
      "\(journal) is not there or holds no segment, and other partitions have records: put it back from a copy; "
        + "without it nothing is opened"
    case .damaged(let file):
      "\(file) is damaged, and nothing else says in which partition what lies: put it back from a copy of the "
        + "directory of any time"
    case .lost(let file):
      "\(file) is missing, and partitions are there: put it back from a copy of the directory of any time"
    case .partition(let directory, let whole):
      "\(directory) is one of the partitions of \(whole.string.isEmpty ? "." : whole.string): name that"
    case .mixed(let directory):
      "\(directory) has a journal of its own beside those of its partitions: move away what does not belong there"
    case .newerVersion(let file, let version):
      "\(file) has version \(version), which this program does not know: start the newer one"
    case .journal(let error): "\(error)"
    case .storage(let error): "\(error)"
    }
  }

  private static func partitions(_ count: Int) -> String { count == 1 ? "1 partition" : "\(count) partitions" }
}
