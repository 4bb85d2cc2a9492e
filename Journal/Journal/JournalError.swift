public import JournalFormat
public import SystemPackage

/// What the journal can refuse or find.
public enum JournalError: Error, Sendable, Equatable {
  // An append:
  /// A key of more than 1024 bytes.
  case keyTooLong
  /// The records of one append take more than `limit` bytes.
  case tooLarge(limit: Int)
  /// Too much waits for the disk; try again later.
  case overloaded
  /// There is no room on the disk for the next segment.
  case storageFull
  /// A write or sync failed before; the process is about to exit.
  case failed
  /// The journal was closed.
  case closed

  // Opening or reading:
  /// The segment size is not possible.
  case configuration(String)
  /// Another process, or another writer in this one, has the directory.
  case locked(directory: FilePath)
  /// Bytes that had been on the disk once are not what they were.
  case damaged(file: FilePath, offset: Int, reason: FormatError)
  /// A file with a segment's name that is none.
  case foreignFile(FilePath)
  case newerVersion(file: FilePath, version: UInt32)
  /// A segment between others, or the first one needed, is not there.
  case missingSegment(FilePath)
  /// A segment that does not continue the one before.
  case brokenSequence(FilePath)
  case storage(StorageError)
}

extension JournalError: CustomStringConvertible {
  /// One line: what is wrong, where, and what to do.
  public var description: String {
    switch self {
    case .keyTooLong: "the entity key is longer than \(FormatLimits.keyByteCountMaximum) bytes"
    case .tooLarge(let limit): "the records take more than \(limit) bytes"
    case .overloaded: "too much waits for the disk"
    case .storageFull: "the disk is full: make room, the journal goes on by itself"
    case .failed: "a write to the journal failed"
    case .closed: "the journal is closed"
    case .configuration(let text): text
    case .locked(let directory): "\(directory) is in use by another process: stop that one first"
    case .damaged(let file, let offset, let reason):
      "\(file) is damaged at offset \(offset) (\(reason)): "
        + "look at it with `\(Self.command(file))`, restore it from a copy"
    case .foreignFile(let file): "\(file) is not a journal segment: move it out of the directory"
    case .newerVersion(let file, let version):
      "\(file) has journal format \(version), which this program does not know: start the newer one"
    case .missingSegment(let file):
      "\(file) is missing: put it back from the archive or a copy, then check with `\(Self.command(file))`"
    case .brokenSequence(let file):
      "\(file) does not continue the segment before it: files of two journals are mixed, see `\(Self.command(file))`"
    case .storage(let error): "\(error)"
    }
  }

  private static func command(_ file: FilePath) -> String { "carillon journal verify \(file.removingLastComponent())" }
}

extension JournalError {
  init(_ rejection: RecordRejection) {
    switch rejection {
    case .keyTooLong: self = .keyTooLong
    case .unitTooLarge(let limit): self = .tooLarge(limit: limit)
    }
  }

  init(_ error: FormatError, file: FilePath, offset: Int) {
    switch error {
    case .foreignMagic: self = .foreignFile(file)
    case .newerVersion(let version): self = .newerVersion(file: file, version: version)
    default: self = .damaged(file: file, offset: offset, reason: error)
    }
  }
}
