import JournalFormat
import Synchronization
import SystemPackage
import Testing

@testable import Journal

@Suite("Journal writer on a disk that fails")
struct FailureTests {
  @Test(
    "a failed write acknowledges nothing, tells who waits that it is lost, is told once, and is never tried again",
    arguments: [Errno.ioError, .noSpace])
  func failedWrite(errno: Errno) throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage)
    try journal.write(sampleRecords(3))
    let before = storage.state.withLock { $0.faults.durableWriteCount }
    storage.set {
      $0.failDurableAfter = 0
      $0.failure = errno
    }
    let log = ReleaseLog()
    let position = try journal.writer.append(sampleRecords(1, from: 3), waiter: log.waiter(0))
    #expect(throws: JournalError.failed) { try journal.writer.waitUntilDurable(position) }
    storage.set { $0.failDurableAfter = nil }
    #expect(throws: JournalError.failed) { try journal.writer.append(sampleRecords(1, from: 4)) }
    #expect(throws: JournalError.failed) { try journal.writer.enqueue(log.waiter(1), for: 1) }
    #expect(throws: JournalError.failed) { try journal.writer.close() }
    #expect(journal.fatal.all.count == 1)
    #expect(log.all == [] && log.lost.withLock { $0 } == [0])
    #expect(journal.writer.durablePosition == 3)
    #expect(storage.state.withLock { $0.faults.durableWriteCount } == before + 1)
  }

  @Test("a failure at any call of the disk loses nothing that was durable", arguments: 0...12)
  func failureAnywhere(call: Int) throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage, segmentByteCount: 16 * 1024)
    try journal.write(sampleRecords(20))
    storage.set { $0.failDurableAfter = call }
    var durable = 20
    do {
      while durable < 2000 {
        try journal.write(sampleRecords(10, from: durable), unit: 10)
        durable += 10
      }
    } catch JournalError.failed {}
    try? journal.writer.close()
    #expect(durable < 2000)
    let crashed = storage.crashed()
    let again = try TestJournal(crashed, segmentByteCount: 16 * 1024)
    let expected = sampleRecords(20) + stride(from: 20, to: durable, by: 10).flatMap { sampleRecords(10, from: $0) }
    // The write that failed may have reached the disk all the same; nobody was told.
    #expect(again.replayed.starts(with: expected))
    #expect(again.replayed.count - expected.count == 0 || again.replayed.count - expected.count == 10)
    try again.writer.close()
  }

  @Test("short writes are written on", arguments: [1, 7, 100])
  func shortWrites(byteCount: Int) throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage)
    storage.set { $0.writeByteCountMaximum = byteCount }
    try journal.write(sampleRecords(30))
    try journal.writer.close()
    #expect(try readBack(storage) == sampleRecords(30))
  }

  @Test("a full disk refuses appends before the segment ends, and takes them again when there is room")
  func fullDisk() throws {
    let storage = FaultyStorage()
    // Room for the first segment, not for a second.
    storage.set { $0.capacity = 90 * 1024 }
    let journal = try TestJournal(storage)
    var count = 0
    var refusal: JournalError?
    while refusal == nil, count < 5000 {
      do {
        try journal.write(sampleRecords(5, from: count))
        count += 5
      } catch let error as JournalError {
        refusal = error
      }
    }
    #expect(refusal == .storageFull)
    #expect(journal.fatal.all == [])
    storage.set { $0.capacity = .max }
    while (try? journal.writer.append(sampleRecords(1, from: count))) == nil {}
    try journal.writer.close()
    let expected =
      stride(from: 0, to: count, by: 5).flatMap { sampleRecords(5, from: $0) } + sampleRecords(1, from: count)
    #expect(try readBack(storage) == expected)
  }

  @Test("a full disk at the start is said at the start")
  func fullAtStart() {
    let storage = FaultyStorage()
    storage.set { $0.capacity = 1000 }
    #expect(throws: JournalError.storageFull) { try TestJournal(storage) }
  }
}
