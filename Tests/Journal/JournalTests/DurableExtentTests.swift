import JournalFormat
import Synchronization
import SystemPackage
import Testing

@testable import Journal

@Suite("Journal writer, what is on the disk")
struct DurableExtentTests {
  /// What a hook was told, and what the disk held at that moment.
  private final class Told: Sendable {
    let extents = Mutex<[DurableExtent]>([])
    let wrong = Mutex<[String]>([])

    var all: [DurableExtent] { extents.withLock { $0 } }

    func take(_ extent: DurableExtent, _ storage: FaultyStorage) {
      let last = extents.withLock { extents in
        defer { extents.append(extent) }
        return extents.last
      }
      if let last, (last.segmentNumber, last.offset) >= (extent.segmentNumber, extent.offset) {
        wrong.withLock { $0.append("\(extent) after \(last)") }
      }
      if let flaw = Self.flaw(extent, storage.files) { wrong.withLock { $0.append(flaw) } }
    }

    /// Whether the bytes before the offset are whole frames up to the position, and the segments before it are sealed.
    private static func flaw(_ extent: DurableExtent, _ files: [String: [UInt8]]) -> String? {
      var hash = Hash256.zero
      for number in 1...extent.segmentNumber {
        guard let bytes = files[SegmentPlace.name(number, .plain)] else { return "segment \(number) is not there" }
        let isLast = number == extent.segmentNumber
        // Behind the offset there may be anything.
        let known = isLast ? Array(bytes[..<extent.offset]) + [UInt8](repeating: 0, count: 4096) : bytes
        let flaw = known.withUnsafeBytes { bytes -> String? in
          guard var scanner = try? SegmentScanner(bytes) else { return "segment \(number) has no header" }
          while (try? scanner.next()) != nil {}
          hash = scanner.chainHash
          guard isLast else { return scanner.isSealed ? nil : "segment \(number) is not sealed" }
          guard scanner.offset == extent.offset, scanner.nextPosition == extent.position + 1,
            scanner.header.epoch == extent.epoch, scanner.header.id == extent.point.segmentID
          else { return "\(extent), but the frames end at \(scanner.offset) before \(scanner.nextPosition)" }
          return nil
        }
        if let flaw { return flaw }
      }
      return hash == extent.point.chainHash ? nil : "\(extent) has another chain hash than the disk"
    }
  }

  @Test(
    "each commit tells of whole frames that are on the disk, over several segments, and a confirming frame too",
    arguments: [false, true])
  func told(isStepped: Bool) throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage, segmentByteCount: 16 * 1024, epoch: 3) { $0.isStepped = isStepped }
    let first = journal.writer.durableExtent
    #expect(first.position == 0 && first.offset == FormatLimits.segmentHeaderByteCount && first.epoch == 3)
    let told = Told()
    journal.writer.onDurable { told.take($0, storage) }
    let samples = sampleRecords(600)
    try journal.write(samples)
    #expect(told.wrong.withLock { $0 } == [])
    #expect(told.all.count == 120)
    #expect(told.all.last == journal.writer.durableExtent)
    #expect(journal.writer.durableExtent.position == 600)
    #expect(journal.writer.durableExtent.point == journal.writer.durablePoint)
    #expect(journal.writer.durableExtent.segmentNumber > 1)
    _ = try journal.writer.roll()
    #expect(told.all.last?.offset == FormatLimits.segmentHeaderByteCount)
    try journal.write(sampleRecords(5, from: 600))
    let before = told.all.count
    try journal.writer.close()
    #expect(told.all.count == before + 1)
    #expect(told.wrong.withLock { $0 } == [])
    #expect(try readBack(storage) == sampleRecords(605))
  }

  @Test("it is told before those who wait are released, and not when nothing has come to the disk")
  func order() throws {
    let journal = try TestJournal(FaultyStorage()) { $0.isStepped = true }
    let log = ReleaseLog()
    let seen = Mutex<[[Int]]>([])
    journal.writer.onDurable { _ in seen.withLock { $0.append(log.all) } }
    try journal.writer.append(sampleRecords(1), waiter: log.waiter(1))
    journal.writer.step()
    // Only somebody who waits: no frame.
    try journal.writer.append([], waiter: log.waiter(2))
    journal.writer.step()
    try journal.writer.append(sampleRecords(1, from: 1), waiter: log.waiter(3))
    journal.writer.step()
    #expect(seen.withLock { $0 } == [[], [1, 2]])
    #expect(log.all == [1, 2, 3])
    try journal.writer.close()
  }

  @Test("a hook may ask the writer, and append to it")
  func reentrant() throws {
    let journal = try TestJournal(FaultyStorage()) { $0.isStepped = true }
    let writer = journal.writer
    let seen = Mutex<[UInt64]>([])
    writer.onDurable { [weak writer] extent in
      guard let writer else { return }
      seen.withLock { $0.append(writer.durableExtent.position) }
      if extent.position == 1 { _ = try? writer.append(sampleRecords(1, from: 1)) }
    }
    try writer.append(sampleRecords(1))
    writer.step()
    writer.step()
    #expect(seen.withLock { $0 } == [1, 2])
    try writer.close()
  }

  @Test("what failed to reach the disk is not told of")
  func failed() throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage) { $0.isStepped = true }
    let told = Mutex(0)
    journal.writer.onDurable { _ in told.withLock { $0 += 1 } }
    let before = journal.writer.durableExtent
    storage.set { $0.failDurableAfter = 0 }
    try journal.writer.append(sampleRecords(1))
    journal.writer.step()
    #expect(told.withLock { $0 } == 0)
    #expect(journal.writer.durableExtent == before)
    #expect(journal.fatal.all.count == 1)
  }
}
