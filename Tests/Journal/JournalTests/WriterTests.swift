import JournalFormat
import Synchronization
import SystemPackage
import Testing

@testable import Journal

@Suite("Journal writer")
struct WriterTests {
  @Test("what was appended is there after close and open, across many segments")
  func reopenAfterClose() throws {
    let storage = FaultyStorage()
    let all = sampleRecords(3000)
    let journal = try TestJournal(storage)
    try journal.write(all, unit: 11)
    try journal.writer.close()
    #expect(storage.files.keys.filter { $0.hasSuffix(".segment") }.count > 2)
    let again = try TestJournal(storage)
    #expect(again.replayed == all)
    #expect(again.report.lastPosition == 3000)
    #expect(again.report.cutByteCount == 0)
    #expect(again.writer.lastPosition == 3000)
    try again.write(sampleRecords(10, from: 3000))
    try again.writer.close()
    #expect(try readBack(storage) == all + sampleRecords(10, from: 3000))
  }

  @Test("what was durable is there after a crash, and writing goes on")
  func reopenAfterCrash() throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage)
    try journal.write(sampleRecords(100))
    let crashed = storage.crashed()
    try journal.writer.close()
    let again = try TestJournal(crashed)
    #expect(again.replayed == sampleRecords(100))
    try again.write(sampleRecords(20, from: 100))
    try again.writer.close()
    #expect(try readBack(crashed) == sampleRecords(100) + sampleRecords(20, from: 100))
  }

  @Test("a crash in the middle of anything keeps all that was durable and nothing half")
  func crashAnywhere() throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage, segmentByteCount: 16 * 1024)
    let all = sampleRecords(400)
    for start in stride(from: 0, to: 400, by: 10) {
      try journal.write(Array(all[start..<(start + 10)]), unit: 10)
      let again = try TestJournal(storage.crashed(), segmentByteCount: 16 * 1024)
      #expect(again.replayed == Array(all[..<(start + 10)]))
      try again.writer.close()
    }
    try journal.writer.close()
  }

  @Test("a second writer is refused, and admitted after the first has closed")
  func lock() throws {
    let storage = FaultyStorage()
    let first = try TestJournal(storage)
    #expect(throws: JournalError.locked(directory: TestJournal.directory)) { try TestJournal(storage) }
    try first.writer.close()
    try TestJournal(storage).writer.close()
  }

  @Test("releases come in journal order, from eight threads that append together")
  func releaseOrder() throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage, segmentByteCount: 1024 * 1024)
    let log = ReleaseLog()
    let order = Mutex<[Int]>([])
    let threads = try (0..<8).map { thread in
      try DedicatedThread {
        for index in 0..<250 {
          let number = thread * 250 + index
          // The lock makes the order of the appends known.
          order.withLock { order in
            let result = try? journal.writer.append(sampleRecords(1, from: number), waiter: log.waiter(number))
            if result != nil { order.append(number) }
          }
        }
      }
    }
    for thread in threads { thread.join() }
    try journal.writer.close()
    #expect(log.all.count == 2000)
    #expect(log.all == order.withLock { $0 })
    #expect(try readBack(storage).map { Int($0.sequence) } == log.all)
  }

  @Test("while a write is on its way nothing is released, and the rest gathers in one frame")
  func groupCommit() throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage)
    let gate = Gate()
    storage.set { $0.gate = gate }
    let log = ReleaseLog()
    try journal.writer.append(sampleRecords(1), waiter: log.waiter(0))
    gate.awaitArrival()
    for index in 1...20 { try journal.writer.append(sampleRecords(1, from: index), waiter: log.waiter(index)) }
    #expect(log.all == [])
    #expect(journal.writer.durablePosition == 0)
    #expect(journal.writer.lastPosition == 21)
    gate.open()
    try journal.writer.waitUntilDurable(21)
    try journal.writer.close()
    #expect(log.all == Array(0...20))
    let report = try JournalReader(directory: TestJournal.directory, storage: storage).verify()
    #expect(report.frames == 3)
  }

  @Test("a thousand waiters of one commit are released in order, and one that comes later after them")
  func manyReleases() throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage, segmentByteCount: 1024 * 1024)
    let gate = Gate()
    storage.set { $0.gate = gate }
    let log = ReleaseLog()
    try journal.writer.append(sampleRecords(1), waiter: log.waiter(0))
    gate.awaitArrival()
    for index in 1...1000 { try journal.writer.append(sampleRecords(1, from: index), waiter: log.waiter(index)) }
    gate.open()
    try journal.writer.waitUntilDurable(1001)
    for index in 1001...1010 where try journal.writer.enqueue(log.waiter(index), for: 1) {
      #expect(log.all.count == index)
      log.waiter(index).becameDurable(position: 1)
    }
    try journal.writer.close()
    #expect(log.all == Array(0...1010))
  }

  @Test("a waiter without a record goes on at once when nothing is pending, else in its turn")
  func enqueue() throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage)
    let log = ReleaseLog()
    #expect(try journal.writer.enqueue(log.waiter(0), for: 0))
    let gate = Gate()
    storage.set { $0.gate = gate }
    let position = try journal.writer.append(sampleRecords(1), waiter: log.waiter(1))
    #expect(try journal.writer.enqueue(log.waiter(2), for: position) == false)
    try journal.writer.append(sampleRecords(1, from: 1), waiter: log.waiter(3))
    #expect(try journal.writer.enqueue(log.waiter(4), for: 0) == false)
    gate.open()
    try journal.writer.close()
    #expect(log.all == [1, 2, 3, 4])
    #expect(try journal.writer.enqueue(log.waiter(5), for: position))
  }

  @Test("a lazy record waits for the next frame")
  func lazyRides() throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage)
    let log = ReleaseLog()
    try journal.writer.append(sampleRecords(1), waiter: log.waiter(0), lazy: true)
    #expect(log.all == [])
    let position = try journal.writer.append(sampleRecords(1, from: 1), waiter: log.waiter(1))
    try journal.writer.waitUntilDurable(position)
    try journal.writer.close()
    #expect(log.all == [0, 1])
    #expect(try JournalReader(directory: TestJournal.directory, storage: storage).verify().frames == 2)
  }

  @Test("a lazy record alone is written after the lazy interval, which no idle moment has to end")
  func lazyAlone() throws {
    #expect(JournalConfiguration().lazyInterval == .milliseconds(5))
    let journal = try TestJournal(FaultyStorage()) { $0.lazyInterval = .milliseconds(5) }
    // The writer waits for the moment of the confirming frame, which is far.
    try journal.write(sampleRecords(1))
    let opener = GateOpener()
    let position = try journal.writer.append(sampleRecords(1, from: 1), waiter: opener, lazy: true)
    opener.gate.pass()
    #expect(journal.writer.durablePosition == position)
    try journal.writer.close()
  }

  @Test("close confirms, once; a journal that was only opened and closed does not grow")
  func confirmsOnce() throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage)
    try journal.write(sampleRecords(1))
    try journal.writer.close()
    let files = storage.files
    for _ in 0..<3 { try TestJournal(storage).writer.close() }
    #expect(storage.files == files)
    let report = try JournalReader(directory: TestJournal.directory, storage: storage).verify()
    #expect(report.frames == 2)
  }

  @Test("an idle writer confirms by itself, once")
  func idleConfirms() throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage) {
      $0.idleInterval = .milliseconds(1)
      $0.lazyInterval = .milliseconds(1)
    }
    try journal.write(sampleRecords(1))
    let reader = JournalReader(directory: TestJournal.directory, storage: storage)
    while try reader.verify().frames < 2 {}
    // Lazy records are written by the idle writer too: after it, the confirming frame had many chances to come twice.
    for index in 1...3 {
      let opener = GateOpener()
      try journal.writer.append(sampleRecords(1, from: index), waiter: opener, lazy: true)
      opener.gate.pass()
    }
    while try reader.verify().tailByteCount > 0 {}
    try journal.writer.close()
    var empty: [Bool] = []
    try reader.forEachFrame { empty.append($0.header.isEmpty) }
    #expect(zip(empty, empty.dropFirst()).allSatisfy { !($0 && $1) })
    #expect(empty.last == true)
  }

  @Test("the records of one append stay together, and one that is too large leaves nothing behind")
  func tooLarge() throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage)
    let limit = FormatLimits.unitByteCountMaximum(segmentByteCount: 64 * 1024)
    var large = sampleRecords(2)
    large[1].payload = [UInt8](repeating: 1, count: limit)
    #expect(throws: JournalError.tooLarge(limit: limit)) { try journal.writer.append(large) }
    large[1].payload = []
    large[1].key = String(repeating: "k", count: 1025)
    #expect(throws: JournalError.keyTooLong) { try journal.writer.append(large) }
    #expect(journal.writer.lastPosition == 0)
    large[1].key = "k"
    large[1].payload = [UInt8](repeating: 1, count: limit - 200)
    try journal.write(large, unit: 2)
    try journal.writer.close()
    #expect(try readBack(storage) == large)
  }

  @Test("too much that waits is refused, and taken again later")
  func overloaded() throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage) { $0.pendingByteCountMaximum = 1000 }
    let gate = Gate()
    storage.set { $0.gate = gate }
    try journal.writer.append(sampleRecords(1))
    gate.awaitArrival()
    var refusal: JournalError?
    var taken = 1
    while refusal == nil {
      do { try journal.writer.append(sampleRecords(1, from: taken)) } catch { refusal = error }
      taken += refusal == nil ? 1 : 0
      try #require(taken < 200)
    }
    #expect(refusal == .overloaded)
    gate.open()
    try journal.writer.waitUntilDurable(UInt64(taken))
    try journal.writer.append(sampleRecords(1, from: taken))
    try journal.writer.close()
    #expect(try readBack(storage) == (0...taken).flatMap { sampleRecords(1, from: $0) })
  }

  @Test("after close an append is refused")
  func closed() throws {
    let journal = try TestJournal(FaultyStorage())
    try journal.writer.close()
    try journal.writer.close()
    #expect(throws: JournalError.closed) { try journal.writer.append(sampleRecords(1)) }
  }
}
