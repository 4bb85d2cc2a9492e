import EngineKit
import Journal
import JournalFormat
import Synchronization
package import Transparency

/// How it stands with the log that strangers can check.
package struct LogStatus: Sendable {
  package let settings: LogSettings
  /// Nil as long as it could not be read.
  package let key: VerifierKey?
  /// Of the tree as it is; nil while that is being made.
  package let head: TreeHead?
  /// Why the last checkpoint could not be made.
  package let obstacle: LogObstacle?
  package let newest: LogBook.Entry?
  package let published: LogBook.Entry?
  package let witnesses: [LogBook.Witness]
}

/// Why something of the log is not shown.
package enum LogReadFailure: Error, Equatable, Sendable {
  /// No checkpoint is published.
  case noCheckpoint
  /// The published checkpoint does not reach that far.
  case beyondCheckpoint(size: UInt64)
  /// It was deleted with the beginning of the journal, or its hashes were lost.
  case gone
  /// So many are reading already, or the tree is being made.
  case busy
}

extension EvidenceService {
  /// - Returns: nil while there is no log.
  package func status() async -> LogStatus? {
    guard let settings else { return nil }
    let tree = partition.tree
    let head: TreeHead? = await partition.journal.onThread { try? tree.head() }
    let obstacle = pace.withLock { $0.lastObstacle }
    return book.withLock { book in
      LogStatus(
        settings: settings, key: book.key, head: head, obstacle: obstacle, newest: book.newest,
        published: book.published, witnesses: book.witnesses)
    }
  }

  /// The checkpoint that is shown to strangers; nil as long as there is none.
  package var published: LogBook.Entry? { settings == nil ? nil : book.withLock { $0.published } }

  /// A tile of the published tree.
  package func bytes(of tile: TileAddress) async throws(LogReadFailure) -> [UInt8] {
    guard let size = published?.size else { throw .noCheckpoint }
    guard tile.isThere(in: size) else { throw .beyondCheckpoint(size: size) }
    let isEntries = tile.row == .entries
    let tree = partition.tree
    return try await reading(isEntries ? entryReaders : hashReaders) { () throws(TreeError) in try tree.bytes(of: tile)
    }
  }

  /// Runs `body`, which reads, on a thread of its own, while `readers` has room.
  func reading<Value: Sendable>(
    _ readers: JournalReaderCount, _ body: @escaping @Sendable () throws(TreeError) -> Value
  ) async throws(LogReadFailure) -> Value {
    guard readers.enter() else { throw .busy }
    defer { readers.leave() }
    let result: Result<Value, TreeError> = await partition.journal.onThread { Result(catching: body) }
    do throws(TreeError) { return try result.get() } catch {
      switch error {
      case .beforeBeginning, .journal(.missingSegment): throw .gone
      case .beyondEnd(let size): throw .beyondCheckpoint(size: size)
      // It is made anew, or will be; whatever else is wrong with it is counted and logged by who makes it.
      default: throw .busy
      }
    }
  }
}

/// How many are reading, and may.
package final class JournalReaderCount: Sendable {
  private let count = Atomic<Int>(0)
  private let maximum: Int

  package init(maximum: Int) { self.maximum = maximum }

  /// - Returns: whether there was room; then `leave` is to follow.
  package func enter() -> Bool {
    guard count.add(1, ordering: .relaxed).newValue <= maximum else {
      leave()
      return false
    }
    return true
  }

  package func leave() { count.subtract(1, ordering: .relaxed) }
}
