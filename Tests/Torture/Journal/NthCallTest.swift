import SimulatedDisk
import SystemPackage

/// A run of 300 commands, once for each call into the storage and each way in which that call fails; in the short form two
/// ways for each call, the next two for the next.
struct NthCallTest: TortureTest {
  static let name = "nthcall"
  static let purpose = "the Nth call into the storage fails, for every N"
  /// A disk that fails once, and one that is gone from then on.
  private static let faults: [(outcome: DiskFault.Outcome, lasts: Bool)] = [
    (.fail(.ioError), false), (.fail(.noSpace), false), (.fail(.interrupted), false), (.fail(.tooManyOpenFiles), false),
    (.shortWrite, false), (.fail(.ioError), true), (.fail(.noSpace), true),
  ]

  let plan: Plan
  private let runs: [(seed: UInt64, callCount: Int)]
  private let waysForEachCall: Int

  init(_ plan: Plan) throws {
    self.plan = plan
    waysForEachCall = plan.isLong ? Self.faults.count : 1
    runs = try (0..<plan.count(1)).map { run in
      let disk = MemoryDisk()
      let seed = plan.seed(of: run)
      _ = try JournalScript(commandCount: 300, seed: seed).run(on: disk, JournalScript.Progress())
      return (seed, disk.callCount)
    }
  }

  var caseCount: Int { runs.reduce(0) { $0 + $1.callCount } * waysForEachCall }

  func run(_ number: Int) throws -> CaseResult {
    let (outcome, lasts) = Self.faults[number % Self.faults.count]
    var number = number / waysForEachCall
    var index = 0
    while number >= runs[index].callCount {
      number -= runs[index].callCount
      index += 1
    }

    var result = CaseResult()
    let disk = MemoryDisk(sectorByteCount: number % 4 < 2 ? 512 : 4096)
    disk.set(fault: DiskFault(outcome, call: number + 1, lasts: lasts))
    let progress = JournalScript.Progress()
    let place = "call \(number + 1), \(outcome)\(lasts ? ", and all after it" : "")"
    let end = try JournalScript(commandCount: 300, seed: runs[index].seed).run(on: disk, progress)
    if outcome == .shortWrite, case .complete = end {
    } else if outcome == .shortWrite {
      result.violations.append("\(place): ended with \(end), a short write is no failure")
    }
    let isKilled = number % 2 == 0
    let state = isKilled ? disk.crash() : disk.powerLoss(seed: UInt64(number))
    if let wrong = SteppedJournal.judge(state, progress.history) {
      result.violations.append("\(place), \(end), \(isKilled ? "killed" : "power lost"): \(wrong)")
    }
    return result
  }
}
