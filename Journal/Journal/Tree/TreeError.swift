internal import JournalFormat
public import SystemPackage
public import Transparency

/// What is wrong with the tree over a journal's records, or what it cannot prove.
public enum TreeError: Error, Sendable, Equatable {
  /// The tree is gone, and with it the journal's beginning, and no snapshot has an edge from which it could go on.
  case lost(oldest: UInt64)
  /// Nobody has made it yet, or it is just being made anew.
  case notMade
  /// The tree has fewer leaves.
  case beyondEnd(size: UInt64)
  /// Hashes from before the place where the tree went on, after it was lost.
  case beforeBeginning(size: UInt64)
  /// Its own proof does not hold: it is made anew.
  case doubtful

  // What `journal verify` finds:
  /// The file that says how far the tree goes is not what was written.
  case stateDamaged(FilePath)
  case newerVersion(file: FilePath, version: UInt32)
  /// The tree is of another journal, or of a copy that went its own way, or of a history that was changed.
  case otherJournal(FilePath, size: UInt64)
  /// The root is not that of the hashes below it.
  case rootDiffers(FilePath, size: UInt64)
  /// A file of hashes is shorter than the tree: a tile was cut.
  case cutTile(FilePath, TileAddress, byteCount: Int)
  /// None of a tile's hashes is this journal's: it is of another log.
  case otherLog(FilePath, TileAddress, position: UInt64)
  /// A hash is not that of what stands below it; `position`: of the first record that it stands for.
  case hashDiffers(FilePath, TileAddress, position: UInt64)
  case journal(JournalError)
}

extension TreeError: CustomStringConvertible {
  /// One line: what is wrong, where, and what to do.
  public var description: String {
    switch self {
    case .lost(let oldest):
      "the tree over the records is lost, and records 1 to \(oldest - 1) too: put its directory, the snapshots' edges "
        + "or the old segments back from a copy; without them nothing more can be proven"
    case .notMade: "the tree over the records is not made yet: a running server makes it in the background"
    case .beyondEnd(let size): "the tree has \(size) records so far"
    case .beforeBeginning(let size): "the hashes of records 1 to \(size) are lost, but for what they come to as a whole"
    case .doubtful: "the tree over the records is not to be believed: the server makes it anew"
    case .stateDamaged(let file): "\(file) is damaged: \(Self.remedy)"
    case .newerVersion(let file, let version):
      "\(file) has tree format \(version), which this program does not know: use the newer one"
    case .otherJournal(let file, let size):
      "\(file) is of another journal or of another history: the records up to \(size) are not those of its root; find "
        + "out who put it there; \(Self.remedy)"
    case .rootDiffers(let file, let size):
      "\(file) has another root than its hashes up to \(size) come to: \(Self.remedy)"
    case .cutTile(let file, let tile, let byteCount):
      "\(file) ends after \(byteCount) bytes, inside \(tile) or before it: it was cut; \(Self.remedy)"
    case .otherLog(let file, let tile, let position):
      "\(tile) in \(file) is of another log, from position \(position) on: find out who put it there; \(Self.remedy)"
    case .hashDiffers(let file, let tile, let position):
      "\(tile) in \(file) has another hash than the record at position \(position) asks for: \(Self.remedy)"
    case .journal(let error): "\(error)"
    }
  }

  private static let remedy = "remove the directory `tree`, a running server makes it anew"
}

extension TreeError {
  init(_ error: StorageError) { self = .journal(JournalError(error)) }

  init(_ error: TileProverError) {
    switch error {
    case .beyondEnd(let size): self = .beyondEnd(size: size)
    case .beforeBeginning(let size): self = .beforeBeginning(size: size)
    // A file is shorter than it was: somebody has cut it.
    case .wrongLength: self = .doubtful
    }
  }
}
