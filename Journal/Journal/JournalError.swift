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
  /// The file ends before its contents do: a copy that was broken off.
  case halfCopied(file: FilePath, byteCount: Int)
  /// The last segment is shorter than it was made: somebody, or a copy, has cut its end off, and acknowledged records
  /// may be gone with it. `whole`: the bytes that its header says; nil if not even the header is there.
  case cutShort(file: FilePath, byteCount: Int, whole: Int?)
  /// A file with a segment's name that is none.
  case foreignFile(FilePath)
  case newerVersion(file: FilePath, version: UInt32)
  /// A segment between others, or the first one needed, is neither in the directory nor in the archive; retention may
  /// have deleted it.
  case missingSegment(FilePath)
  /// A segment that does not continue the one before.
  case brokenSequence(FilePath)
  /// A segment continues the one before in everything but its history: that one was changed and linked anew.
  case historyChanged(FilePath)
  /// A segment, or this writer, has a lower epoch than what stands before it: two have written at a time.
  case epochFell(file: FilePath, from: UInt32, to: UInt32)
  /// Another journal has taken this one's place, in a later epoch: this one is not written any more.
  case relieved(directory: FilePath, epoch: UInt32, by: UInt32)
  /// The directory is a standby's: it grows with the journal that it follows, and has no writer of its own.
  case followsAnother(directory: FilePath)
  /// The directory is a backup, or one that is being restored or was not to the end.
  case notRestored(directory: FilePath)
  /// The file that says who writes the journal is not what was written.
  case epochDamaged(FilePath)
  /// The journal has another history than the one that the starting point was taken from.
  case foreignStartingPoint(file: FilePath)
  /// The journal ends before the starting point: its newest segments, or their ends, are gone.
  case startingPointBeyondEnd(directory: FilePath, point: UInt64, end: UInt64)
  /// A record that is to be erased stands in the segment that is still being written.
  case segmentInUse(FilePath)
  /// The file that says what is to be erased is not what was written.
  case redactionIntentDamaged(FilePath)
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
    case .halfCopied(let file, let byteCount):
      "\(file) was not copied to its end, it stops after \(byteCount) bytes: "
        + "copy it again, then check with `\(Self.command(file))`"
    case .cutShort(let file, let byteCount, let whole):
      "\(file) ends after \(byteCount) bytes\(whole.map { " of \($0)" } ?? ""): its end was cut off, and acknowledged "
        + "records may be gone with it; put it back from a copy, or end the journal there with "
        + "`carillon journal repair --truncate \(file.removingLastComponent())`"
    case .foreignFile(let file): "\(file) is not a journal segment: move it out of the directory"
    case .newerVersion(let file, let version):
      "\(file) has journal format \(version), which this program does not know: start the newer one"
    case .missingSegment(let file):
      "\(file) is missing, here and in the archive: put it back from a copy, then check with "
        + "`\(Self.command(file))`; if retention deleted it, only a snapshot leads past it"
    case .brokenSequence(let file):
      "\(file) does not continue the segment before it: files of two journals are mixed, see `\(Self.command(file))`"
    case .historyChanged(let file):
      "history was changed: \(file) has the chain hash of another end of the segment before it; keep both, and compare "
        + "with a copy"
    case .epochFell(let file, let from, let to):
      "\(file) was written in epoch \(from), and epoch \(to) is to follow: a writer that was relieved may not go on; "
        + "find out which one is to write"
    case .relieved(let directory, let epoch, let by):
      "\(directory) was written in epoch \(epoch), and another server has taken over in epoch \(by): this one may not go "
        + "on; make it that one's standby with `carillon journal rejoin \(directory.removingLastComponent()) --from URL`"
    case .followsAnother(let directory):
      "\(directory) is a standby's: follow its primary with `carillon standby`, or take over with "
        + "`carillon promote \(directory.removingLastComponent())`"
    case .notRestored(let directory):
      "\(directory) is a backup, or was not restored to the end: empty \(directory.removingLastComponent()) and restore it "
        + "with `carillon restore`"
    case .epochDamaged(let file):
      "\(file) is damaged, and nothing else says whether this journal may be written: if no other server has taken "
        + "over, remove the file; otherwise make this directory anew"
    case .foreignStartingPoint(let file):
      "\(file) does not hold the point that the snapshot was taken at: it belongs to another journal, or to a copy that "
        + "went its own way; see `\(Self.command(file))`, then move the snapshot away or put the right journal back"
    case .startingPointBeyondEnd(let directory, let point, let end):
      "\(directory) ends at position \(end), the snapshot was taken at \(point): the newest segments are gone; put them "
        + "back from a copy, or move the snapshot away to go on with what is left"
    case .segmentInUse(let file): "\(file) is still being written: let the journal begin a new segment first"
    case .redactionIntentDamaged(let file):
      "\(file) is damaged, an erasure was begun and may not be complete: remove the file, then erase once more"
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
    case .headerIncomplete, .fileIncomplete: self = .halfCopied(file: file, byteCount: offset)
    default: self = .damaged(file: file, offset: offset, reason: error)
    }
  }
}
