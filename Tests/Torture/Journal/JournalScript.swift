import Journal
import SimulatedDisk
import Synchronization
import TestSupport

/// A run of commands against a stepped journal, drawn from a seed, with what was acknowledged.
struct JournalScript {
  let commandCount: Int
  let seed: UInt64

  /// What has happened so far; readable from the hooks of the disk.
  final class Progress: Sendable {
    let acknowledgements = Acknowledgements()
    private let appended = Mutex(History())

    /// Appended so far, and acknowledged as of this moment.
    var history: History {
      var history = appended.withLock { $0 }
      history.acknowledged = max(history.acknowledged, acknowledgements.last)
      return history
    }

    func update(_ change: (inout History) -> Void) { appended.withLock { change(&$0) } }
  }

  /// How a run ended.
  enum End: Sendable {
    case complete
    /// The journal gave up, and said so once.
    case fatal
    /// It did not even open, and said why.
    case notOpened(JournalError)
  }

  /// - Throws: what no journal may throw.
  func run(on disk: MemoryDisk, _ progress: Progress) throws -> End {
    let journal: SteppedJournal
    do {
      journal = try SteppedJournal(disk, seed: seed)
    } catch let error as JournalError {
      return .notOpened(error)
    }
    var generator = SeededGenerator(seed: seed)
    var samples = SampleRecords(seed: seed)
    let upkeep = Upkeep(storage: disk)
    for _ in 0..<commandCount {
      switch generator.next() % 100 {
      case 0..<3: _ = try refusing { () throws(JournalError) in _ = try journal.writer.roll() }
      case 3..<8: journal.writer.step(confirming: true)
      case 8..<10: try perform { try upkeep.snapshot(of: journal.writer) }
      case 10..<12: try perform { try upkeep.archive() }
      case 12..<14: try perform { try upkeep.pack() }
      case 14: try redact(SampleRecords.keys[Int(generator.next() % 12)], journal, upkeep, progress)
      case 15: try perform { try upkeep.index(upTo: journal.writer.durablePosition) }
      case 16: try perform { try upkeep.growTree(upTo: journal.writer.durablePosition) }
      case 17..<20: try append(samples.next(1), to: journal, progress, waits: false)
      default:
        try append(samples.next(1 + Int(generator.next() % 5)), to: journal, progress, waits: true)
        if generator.next() % 3 > 0 { journal.writer.step() }
      }
      if !journal.fatal.all.isEmpty { break }
    }
    return try finish(journal, progress)
  }

  private func finish(_ journal: SteppedJournal, _ progress: Progress) throws -> End {
    let isClosed = try refusing { () throws(JournalError) in try journal.writer.close() }
    let fatalCount = journal.fatal.all.count
    if progress.acknowledgements.isOutOfOrder { throw ScriptViolation("acknowledged out of order or too early") }
    guard fatalCount == 0 else {
      if fatalCount > 1 { throw ScriptViolation("called fatal \(fatalCount) times") }
      return .fatal
    }
    guard isClosed else { throw ScriptViolation("the journal did not close, and nobody was told") }
    if progress.acknowledgements.last != progress.history.lastAwaited {
      throw ScriptViolation("closed without acknowledging position \(progress.history.lastAwaited)")
    }
    // A close that succeeds acknowledges everything.
    progress.update { $0.acknowledged = $0.records.count }
    return .complete
  }

  /// An append writes nothing by itself: no hook of the disk is asked inside it.
  private func append(
    _ unit: [PendingRecord], to journal: SteppedJournal, _ progress: Progress, waits: Bool
  ) throws {
    let end = progress.history.records.count + unit.count
    var position: UInt64 = 0
    let isTaken = try refusing { () throws(JournalError) in
      position = try journal.writer.append(
        unit, waiter: waits ? progress.acknowledgements.waiter(for: end) : nil, lazy: !waits)
    }
    guard isTaken else { return }
    if position != UInt64(end) { throw ScriptViolation("position \(position) was given out where \(end) was due") }
    progress.update {
      $0.append(unit)
      if waits { $0.lastAwaited = end }
    }
  }

  private func redact(
    _ key: String, _ journal: SteppedJournal, _ upkeep: Upkeep, _ progress: Progress
  ) throws {
    // An earlier one that failed is carried out first, as at a start, and up to where the journal is by then.
    let isFree = try perform {
      progress.update { history in
        for key in history.redacting.keys where history.redacting[key] != history.redacted[key] {
          history.redacting[key] = history.records.count
        }
      }
      if let key = try upkeep.completeRedaction(in: journal.writer) {
        progress.update { $0.redacted[key] = $0.redacting[key] }
      }
    }
    guard isFree else { return }
    progress.update { $0.redacting[key] = $0.records.count }
    let isDone = try perform { try upkeep.redact(key, in: journal.writer) }
    if isDone { progress.update { $0.redacted[key] = $0.redacting[key] } }
  }

  /// False if upkeep could not be done, which the disk may bring about and which leaves everything as good as before.
  @discardableResult
  private func perform(_ body: () throws -> Void) throws -> Bool {
    do {
      try body()
      return true
    } catch let error as JournalError {
      switch error {
      case .storageFull, .storage, .failed: return false
      default: throw error
      }
    } catch let error as SnapshotError {
      guard case .storage = error else { throw error }
      return false
    } catch is StorageError {
      return false
    }
  }

  /// False if the journal refused, which it may: a full disk, or a failure that was called fatal.
  private func refusing(_ body: () throws(JournalError) -> Void) throws -> Bool {
    do {
      try body()
      return true
    } catch {
      switch error {
      case .storageFull, .failed, .overloaded: return false
      default: throw error
      }
    }
  }
}

struct ScriptViolation: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
