import JournalFormat
import Synchronization
import SystemPackage
import Testing

@testable import Journal

@Suite("Journal writer, stepped")
struct SteppedWriterTests {
  private static func stepped(_ storage: FaultyStorage, segmentByteCount: Int = 16 * 1024) throws -> TestJournal {
    try TestJournal(storage, segmentByteCount: segmentByteCount) { $0.isStepped = true }
  }

  @Test("nothing is durable before a step, and a step releases all waiters in order, however many")
  func releases() throws {
    let storage = FaultyStorage()
    let journal = try Self.stepped(storage, segmentByteCount: 1024 * 1024)
    let log = ReleaseLog()
    for index in 0..<1000 { try journal.writer.append(sampleRecords(1, from: index), waiter: log.waiter(index)) }
    #expect(log.all == [])
    #expect(journal.writer.durablePosition == 0)
    #expect(journal.writer.needsStep)
    journal.writer.step()
    #expect(log.all == Array(0..<1000))
    #expect(journal.writer.durablePosition == 1000)
    #expect(!journal.writer.needsStep)
    try journal.writer.close()
    #expect(try readBack(storage) == sampleRecords(1000))
  }

  @Test("what a waiter appends waits for the next step")
  func appendedMeanwhile() throws {
    final class Appender: DurabilityWaiter {
      let writer: JournalWriter
      init(_ writer: JournalWriter) { self.writer = writer }
      func wasLost() {}

      func becameDurable(position: UInt64) {
        writer.step()
        _ = try? writer.append(sampleRecords(1, from: 1))
      }
    }
    let journal = try Self.stepped(FaultyStorage())
    try journal.writer.append(sampleRecords(1), waiter: Appender(journal.writer))
    journal.writer.step()
    #expect(journal.writer.durablePosition == 1)
    #expect(journal.writer.lastPosition == 2)
    journal.writer.step()
    #expect(journal.writer.durablePosition == 2)
    try journal.writer.close()
  }

  @Test("a confirming step writes the confirming frame once, and close does nothing more")
  func confirms() throws {
    let storage = FaultyStorage()
    let journal = try Self.stepped(storage)
    try journal.writer.append(sampleRecords(1))
    journal.writer.step()
    let reader = JournalReader(directory: TestJournal.directory, storage: storage)
    #expect(try reader.verify().frames == 1)
    journal.writer.step(confirming: true)
    journal.writer.step(confirming: true)
    #expect(try reader.verify().frames == 2)
    try journal.writer.close()
    #expect(try reader.verify().frames == 2)
  }

  @Test("close commits what waits and confirms it; a second close does nothing")
  func close() throws {
    let storage = FaultyStorage()
    let journal = try Self.stepped(storage)
    let log = ReleaseLog()
    try journal.writer.append(sampleRecords(3), waiter: log.waiter(0))
    try journal.writer.close()
    try journal.writer.close()
    journal.writer.step()
    #expect(log.all == [0])
    #expect(throws: JournalError.closed) { try journal.writer.append(sampleRecords(1)) }
    #expect(try JournalReader(directory: TestJournal.directory, storage: storage).verify().frames == 2)
  }

  @Test("the same calls write the same bytes, also across segments and starts")
  func deterministic() throws {
    func run() throws -> [String: [UInt8]] {
      let storage = FaultyStorage()
      for start in [0, 700] {
        let journal = try Self.stepped(storage)
        #expect(journal.replayed.count == start)
        #expect(journal.report.duration == .zero)
        for index in start..<(start + 700) {
          try journal.writer.append(sampleRecords(1, from: index))
          if index % 7 == 0 { journal.writer.step(confirming: index % 3 == 0) }
        }
        try journal.writer.close()
      }
      return storage.files
    }
    let files = try run()
    #expect(files.keys.filter { $0.hasSuffix(".segment") }.count > 3)
    #expect(try run() == files)
    #expect(try readBack(FaultyStorage(files: files)) == sampleRecords(1400))
  }

  @Test("a failed write is told once and nothing is acknowledged any more", arguments: [Errno.ioError, .noSpace])
  func failure(errno: Errno) throws {
    let storage = FaultyStorage()
    let journal = try Self.stepped(storage)
    let log = ReleaseLog()
    storage.set {
      $0.failDurableAfter = 0
      $0.failure = errno
    }
    let position = try journal.writer.append(sampleRecords(1), waiter: log.waiter(0))
    journal.writer.step()
    storage.set { $0.failDurableAfter = nil }
    journal.writer.step()
    #expect(journal.fatal.all.count == 1)
    #expect(log.all == [])
    #expect(throws: JournalError.failed) { try journal.writer.append(sampleRecords(1)) }
    #expect(throws: JournalError.failed) { try journal.writer.waitUntilDurable(position) }
    #expect(throws: JournalError.failed) { try journal.writer.roll() }
    #expect(throws: JournalError.failed) { try journal.writer.close() }
    #expect(journal.fatal.all.count == 1)
  }

  @Test("a full disk refuses appends, reads go on, and appends are taken again when there is room", arguments: [1, 40])
  func fullDisk(unit: Int) throws {
    let storage = FaultyStorage()
    storage.set { $0.capacity = 20 * 1024 }
    let journal = try Self.stepped(storage)
    let log = ReleaseLog()
    var count = 0
    var refusal: JournalError?
    while refusal == nil, count < 5000 {
      do {
        for _ in 0..<unit {
          try journal.writer.append(sampleRecords(1, from: count), waiter: log.waiter(count))
          count += 1
        }
      } catch { refusal = error }
      journal.writer.step()
    }
    #expect(refusal == .storageFull)
    #expect(journal.fatal.all == [])
    #expect(try journal.writer.enqueue(log.waiter(-1), for: 1) != journal.writer.needsStep)
    storage.set { $0.capacity = .max }
    journal.writer.step()
    #expect(journal.writer.durablePosition == UInt64(count))
    #expect(log.all.filter { $0 >= 0 } == Array(0..<count))
    try journal.writer.append(sampleRecords(1, from: count))
    try journal.writer.close()
    #expect(try readBack(storage) == (0...count).flatMap { sampleRecords(1, from: $0) })
  }

  @Test("a commit of many segments stalls on a full disk and goes on where it stalled")
  func stalledCommit() throws {
    let storage = FaultyStorage()
    storage.set { $0.capacity = 34 * 1024 }
    let journal = try Self.stepped(storage)
    let log = ReleaseLog()
    for index in 0..<1500 { try journal.writer.append(sampleRecords(1, from: index), waiter: log.waiter(index)) }
    journal.writer.step()
    #expect(journal.writer.durablePosition == 0)
    #expect(throws: JournalError.storageFull) { try journal.writer.append(sampleRecords(1)) }
    #expect(throws: JournalError.storageFull) { try journal.writer.roll() }
    #expect(throws: JournalError.storageFull) { try journal.writer.waitUntilDurable(1) }
    #expect(try journal.writer.enqueue(log.waiter(1500), for: 0) == false)
    for capacity in [51, 68, 90] {
      storage.set { $0.capacity = capacity * 1024 }
      journal.writer.step()
      #expect(log.all == [])
    }
    #expect(journal.fatal.all == [])
    storage.set { $0.capacity = .max }
    journal.writer.step()
    #expect(log.all == Array(0...1500))
    try journal.writer.close()
    #expect(try readBack(storage) == (0..<1500).flatMap { sampleRecords(1, from: $0) })
  }

  @Test("a writer that is closed while its disk is full says so")
  func closedWhileFull() throws {
    let storage = FaultyStorage()
    storage.set { $0.capacity = 34 * 1024 }
    let journal = try Self.stepped(storage)
    for index in 0..<1500 { try journal.writer.append(sampleRecords(1, from: index)) }
    journal.writer.step()
    #expect(throws: JournalError.failed) { try journal.writer.close() }
    #expect(journal.fatal.all == [.storageFull])
  }
}
