import Journal
import JournalFormat
import SimulatedDisk
import Synchronization
import SystemPackage
import TestSupport

/// A journal in memory without threads, driven call by call.
struct SteppedJournal {
  static let directory: FilePath = "/data/journal"
  static let segmentByteCount = 16 * 1024

  let writer: JournalWriter
  let replayed: [FoundRecord]
  let report: RecoveryReport
  let fatal: FatalCount

  /// - Throws: `JournalError`.
  init(_ storage: any JournalStorage, seed: UInt64 = 1, startingPoint: JournalPoint? = nil) throws {
    var configuration = JournalConfiguration()
    configuration.segmentByteCount = Self.segmentByteCount
    configuration.isStepped = true
    configuration.startingPoint = startingPoint
    configuration.randomBytes = Self.predictableBytes(seed: seed)
    configuration.clock = { 1_700_000_000_000 }
    var replayed: [FoundRecord] = []
    let fatal = FatalCount()
    (writer, report) = try JournalWriter.open(
      directory: Self.directory, configuration: configuration, storage: storage,
      onFatal: { error in fatal.record(error) }, replay: { replayed.append(FoundRecord($0)) })
    self.replayed = replayed
    self.fatal = fatal
  }

  /// Salts and ids that are the same in every run.
  static func predictableBytes(seed: UInt64) -> @Sendable (UnsafeMutableRawBufferPointer) -> Void {
    let generator = Mutex(SeededGenerator(seed: seed))
    return { bytes in
      generator.withLock { generator in
        for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: generator.next()) }
      }
    }
  }

  /// Everything that a reader finds, hashes checked.
  static func read(_ storage: any JournalStorage) throws -> [FoundRecord] {
    var found: [FoundRecord] = []
    try JournalReader(directory: directory, storage: storage)
      .walk(checkingHashes: true, record: { found.append(FoundRecord($0)) })
    return found
  }

  /// Starts again on what a crash left: nil, or what is wrong.
  ///
  /// The journal must also take records again, finish a redaction that was begun, do its upkeep, and verify.
  static func judge(_ disk: MemoryDisk, _ history: History) -> String? {
    do {
      let again = try SteppedJournal(disk, seed: 99)
      if let wrong = history.judge(again.replayed) { return "after recovery: \(wrong)" }
      var samples = SampleRecords(seed: 4242)
      let more = samples.next(2)
      let position = try again.writer.append(more)
      again.writer.step()
      guard position == UInt64(again.replayed.count + 2), again.writer.durablePosition == position else {
        return "after recovery position \(position) was given out, \(again.writer.durablePosition) is durable"
      }
      let upkeep = Upkeep(storage: disk)
      if let wrong = try upkeep.judgeIndex(again.replayed) ?? upkeep.judgeTree() { return "after recovery: \(wrong)" }
      var complete = history
      complete.keep(first: again.replayed.count)
      complete.append(more)
      complete.acknowledged = Int(position)
      if let key = try upkeep.completeRedaction(in: again.writer) {
        complete.redacting[key] = Int(position)
        complete.redacted[key] = Int(position)
      }
      try upkeep.archive()
      try upkeep.pack()
      try again.writer.close()
      let found = try read(disk)
      if let wrong = complete.judge(found) { return "after recovery and upkeep: \(wrong)" }
      if let name = try upkeep.leftovers().first { return "\(name) is left over after recovery and upkeep" }
      if let wrong = try upkeep.checkSnapshots(found) ?? upkeep.checkIndex(found) ?? upkeep.checkTree(found) {
        return wrong
      }
      return nil
    } catch {
      return "recovery failed: \(error)"
    }
  }
}

/// Remembers what a journal called fatal.
final class FatalCount: Sendable {
  private let errors = Mutex<[JournalError]>([])
  func record(_ error: JournalError) { errors.withLock { $0.append(error) } }
  var all: [JournalError] { errors.withLock { $0 } }
}

/// Counts releases; a release out of order is remembered.
final class Acknowledgements: Sendable {
  private struct State {
    var last = 0
    var isOutOfOrder = false
  }

  private let state = Mutex(State())

  /// The last position that was acknowledged.
  var last: Int { state.withLock { $0.last } }
  var isOutOfOrder: Bool { state.withLock { $0.isOutOfOrder } }

  func waiter(for position: Int) -> some DurabilityWaiter { Waiter(position: position, owner: self) }

  fileprivate func released(_ position: Int, durable: UInt64) {
    state.withLock { state in
      if position <= state.last || UInt64(position) > durable { state.isOutOfOrder = true }
      state.last = max(state.last, position)
    }
  }

  private final class Waiter: DurabilityWaiter {
    let position: Int
    let owner: Acknowledgements

    init(position: Int, owner: Acknowledgements) {
      self.position = position
      self.owner = owner
    }

    func wasLost() {}

    func becameDurable(position: UInt64) { owner.released(self.position, durable: position) }
  }
}
