import Journal
import SimulatedDisk
import Synchronization
import SystemPackage
import TestSupport

/// Loss of power at random moments of runs with rolls, on disks with 512-byte and 4-KiB sectors.
struct PowerLossTest: TortureTest {
  static let name = "powerloss"
  static let purpose = "any part of what was not synced survives, some of it garbled"
  private static let statesInRun = 50
  private static let changing: Set<StorageError.Operation> = [
    .createDirectory, .open, .write, .synchronize, .synchronizeDirectory, .rename, .remove,
  ]

  let plan: Plan

  init(_ plan: Plan) { self.plan = plan }

  /// The last one tests the test: a disk that lies about its syncs has to be found out.
  var caseCount: Int { (plan.isLong ? 4_000 : 200) + 1 }

  func run(_ number: Int) throws -> CaseResult {
    guard number < caseCount - 1 else {
      let honest = try judge(number, isLying: true)
      return CaseResult(violations: honest.violations.isEmpty ? ["a disk that lies was not found out"] : [])
    }
    return try judge(number, isLying: false)
  }

  private func judge(_ number: Int, isLying: Bool) throws -> CaseResult {
    var result = CaseResult(count: 0)
    let seed = plan.seed(of: number)
    let states = try Self.states(seed: seed, sectorByteCount: number % 2 == 0 ? 512 : 4096, isLying: isLying)
    var generator = SeededGenerator(seed: ~seed)
    for (disk, history, moment) in states {
      result.count += 1
      // Every fourth state loses its power again while it recovers.
      let again = generator.next() % 4 == 0 ? Self.interrupted(disk, seed: generator.next()) : nil
      if let wrong = SteppedJournal.judge(again ?? disk, history) {
        result.violations.append("power lost at \(moment)\(again == nil ? "" : ", and in the recovery"): \(wrong)")
      }
    }
    return result
  }

  /// What is left of the disk at random moments of one run, and what had been acknowledged at that moment.
  private static func states(
    seed: UInt64, sectorByteCount: Int, isLying: Bool
  ) throws -> [(disk: MemoryDisk, history: History, moment: String)] {
    // The first run only finds the calls that change something.
    let counting = MemoryDisk(sectorByteCount: sectorByteCount)
    let changes = Mutex<[Int]>([])
    counting.set(hook: { call, moment in
      if moment == .after, Self.changing.contains(call.operation) { changes.withLock { $0.append(call.number) } }
    })
    let script = JournalScript(commandCount: 100, seed: seed)
    _ = try script.run(on: counting, JournalScript.Progress())
    counting.set(hook: nil)
    var generator = SeededGenerator(seed: seed)
    var chosen: [Int: [UInt64]] = [:]
    let numbers = changes.withLock { $0 }
    for _ in 0..<statesInRun {
      chosen[numbers[Int(generator.next() % UInt64(numbers.count))], default: []].append(generator.next())
    }

    let disk = MemoryDisk(sectorByteCount: sectorByteCount)
    disk.isLying = isLying
    let progress = JournalScript.Progress()
    let states = Mutex<[(disk: MemoryDisk, history: History, moment: String)]>([])
    disk.set(hook: { [chosen] call, moment in
      for seed in chosen[call.number] ?? [] where moment == Self.moment(seed, call) {
        let state = (disk.powerLoss(seed: seed), progress.history, "\(call.name) #\(call.occurrence), \(moment)")
        states.withLock { $0.append(state) }
      }
    })
    _ = try script.run(on: disk, progress)
    disk.set(hook: nil)
    return states.withLock { $0 }
  }

  private static func moment(_ seed: UInt64, _ call: StorageCall) -> StorageMoment {
    guard call.operation == .write else { return seed % 2 == 0 ? .before : .after }
    // Writes are where most can go wrong.
    return [.written, .half, .written, .after][Int(seed % 4)]
  }

  /// The disk after a loss of power at a random call of a recovery.
  private static func interrupted(_ disk: MemoryDisk, seed: UInt64) -> MemoryDisk {
    let counting = disk.crash()
    if let journal = try? SteppedJournal(counting) { try? journal.writer.close() }
    let due = 1 + Int(seed % UInt64(max(1, counting.callCount)))
    let victim = disk.crash()
    victim.set(hook: { call, moment throws(StorageError) in
      if call.number >= due, moment != .before { throw StorageError(.ioError, call.operation, call.path) }
    })
    if let journal = try? SteppedJournal(victim) { try? journal.writer.close() }
    return victim.powerLoss(seed: seed)
  }
}
