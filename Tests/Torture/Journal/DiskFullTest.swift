import Journal
import SimulatedDisk
import SystemPackage
import TestSupport

/// The disk fills at a random place, and has room again later.
struct DiskFullTest: TortureTest {
  static let name = "diskfull"
  static let purpose = "full: appends refused, reads go on; room again: appends go on"

  let plan: Plan

  init(_ plan: Plan) { self.plan = plan }

  var caseCount: Int { plan.count(300) }

  func run(_ number: Int) throws -> CaseResult {
    var result = CaseResult()
    var generator = SeededGenerator(seed: plan.seed(of: number))
    let disk = MemoryDisk(sectorByteCount: number % 2 == 0 ? 512 : 4096)
    let journal = try SteppedJournal(disk)
    var history = History()
    var samples = SampleRecords(seed: plan.seed(of: number))
    /// False if it was refused for want of room.
    func append() throws -> Bool {
      let unit = samples.next(1 + Int(generator.next() % 6))
      do {
        _ = try journal.writer.append(unit, lazy: true)
      } catch JournalError.storageFull {
        return false
      }
      history.append(unit)
      if generator.next() % 2 == 0 { journal.writer.step() }
      return true
    }

    for round in 1...3 {
      for _ in 0..<Int(generator.next() % 60) {
        if try !append() { result.violations.append("round \(round): refused with room on the disk") }
      }
      disk.capacity = disk.usedByteCount + Int(generator.next() % UInt64(3 * SteppedJournal.segmentByteCount))
      var attempts = 0
      while try append() { attempts += 1; if attempts > 5000 { break } }
      result.check(attempts <= 5000, "round \(round): never refused on a full disk")
      // Still refused, still readable, and nobody was told that the journal failed.
      result.check(try !append(), "round \(round): taken after it was refused, with the disk as full")
      journal.writer.step()
      result.check(journal.fatal.all.isEmpty, "round \(round): fatal on a full disk: \(journal.fatal.all)")
      history.acknowledged = Int(journal.writer.durablePosition)
      if let wrong = history.judge(try SteppedJournal.read(disk)) {
        result.violations.append("round \(round): \(wrong)")
      }
      disk.capacity = .max
      // The first step finds the room.
      journal.writer.step()
      result.check(try append(), "round \(round): refused with room again")
      journal.writer.step()
      result.check(!journal.writer.needsStep, "round \(round): something waits with room again")
    }
    try journal.writer.close()
    history.acknowledged = history.records.count
    if let wrong = SteppedJournal.judge(disk, history) { result.violations.append(wrong) }
    return result
  }
}
