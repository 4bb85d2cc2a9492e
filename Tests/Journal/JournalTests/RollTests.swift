import JournalFormat
import Synchronization
import SystemPackage
import Testing

@testable import Journal

@Suite("Journal, segments ended on request")
struct RollTests {
  private static func points(_ storage: FaultyStorage) throws -> [JournalPoint] {
    var points: [JournalPoint] = []
    for (name, bytes) in storage.files.sorted(by: { $0.key < $1.key }) where name.hasSuffix(".segment") {
      try bytes.withUnsafeBytes { bytes in
        var scanner = try SegmentScanner(bytes)
        while let frame = try scanner.next() {
          points.append(
            JournalPoint(
              position: frame.header.endPosition - 1, chainHash: frame.header.chainHash,
              segmentNumber: scanner.header.number, segmentID: scanner.header.id))
        }
      }
    }
    return points
  }

  @Test("what waits is durable, the segment ends there, and the next record begins another", arguments: [false, true])
  func roll(isStepped: Bool) throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage) { $0.isStepped = isStepped }
    let log = ReleaseLog()
    try journal.writer.append(sampleRecords(3), waiter: log.waiter(0), lazy: true)
    let seal = try journal.writer.roll()
    #expect(seal.position == 3)
    #expect(seal.segmentNumber == 1)
    #expect(log.all == [0])
    #expect(try Self.points(storage).last == seal)
    #expect(try journal.writer.roll() == seal)
    #expect(storage.files["000000000003.segment"] == nil)
    try journal.write(sampleRecords(2, from: 3))
    #expect(journal.writer.durablePoint.segmentNumber == 2)
    try journal.writer.close()
    #expect(try readBack(storage) == sampleRecords(5))
    let again = try TestJournal(storage) { $0.isStepped = isStepped }
    #expect(again.replayed == sampleRecords(5))
    try again.writer.close()
  }

  @Test("a journal without a record can be rolled too")
  func empty() throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage)
    let seal = try journal.writer.roll()
    #expect(seal.position == 0)
    #expect(seal.segmentNumber == 1)
    try journal.write(sampleRecords(2))
    try journal.writer.close()
    #expect(try readBack(storage) == sampleRecords(2))
    try TestJournal(storage).writer.close()
  }

  @Test("the durable point is the end of a frame, after a start too")
  func durablePoint() throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage, segmentByteCount: 16 * 1024)
    #expect(journal.writer.durablePoint.chainHash == .zero)
    for index in stride(from: 0, to: 900, by: 9) {
      try journal.write(sampleRecords(9, from: index), unit: 9)
      let point = journal.writer.durablePoint
      #expect(point.position == UInt64(index + 9))
      #expect(try Self.points(storage).contains(point))
    }
    let point = journal.writer.durablePoint
    let crashed = storage.crashed()
    try journal.writer.close()
    let again = try TestJournal(crashed, segmentByteCount: 16 * 1024)
    #expect(again.writer.durablePoint == point)
    try again.writer.close()
  }

  @Test("a full disk refuses the roll and nothing else", arguments: [false, true])
  func fullDisk(isStepped: Bool) throws {
    let storage = FaultyStorage()
    storage.set { $0.capacity = 90 * 1024 }
    let journal = try TestJournal(storage) { $0.isStepped = isStepped }
    let position = try journal.writer.append(sampleRecords(3), lazy: true)
    #expect(throws: JournalError.storageFull) { try journal.writer.roll() }
    #expect(journal.writer.durablePosition == position)
    #expect(try Self.points(storage).count == 1)
    try journal.write(sampleRecords(2, from: 3))
    #expect(journal.fatal.all == [])
    storage.set { $0.capacity = .max }
    var seal: JournalPoint?
    while seal == nil { seal = try? journal.writer.roll() }
    #expect(seal?.position == 5)
    try journal.writer.close()
    #expect(journal.fatal.all == [])
    #expect(try readBack(storage) == sampleRecords(5))
  }

  @Test("rolls beside four threads that append and wait lose and reorder nothing")
  func besideCommits() throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage)
    let log = ReleaseLog()
    let order = Mutex<[Int]>([])
    let threads = try (0..<4).map { thread in
      try DedicatedThread {
        for index in 0..<100 {
          let number = thread * 100 + index
          let position = order.withLock { order in
            order.append(number)
            return try? journal.writer.append(sampleRecords(1, from: number), waiter: log.waiter(number), lazy: true)
          }
          if let position { try? journal.writer.waitUntilDurable(position) }
        }
      }
    }
    var seals: [JournalPoint] = []
    for _ in 0..<40 { seals.append(try journal.writer.roll()) }
    for thread in threads { thread.join() }
    try journal.writer.close()
    #expect(log.all == order.withLock { $0 })
    #expect(try readBack(storage).map { Int($0.sequence) } == log.all)
    let points = try Self.points(storage)
    #expect(seals.allSatisfy { points.contains($0) })
  }

  @Test("a writer that failed or closed rolls no more")
  func refused() throws {
    let storage = FaultyStorage()
    let closed = try TestJournal(storage)
    try closed.writer.close()
    #expect(throws: JournalError.closed) { try closed.writer.roll() }
    let journal = try TestJournal(storage)
    storage.set { $0.failDurableAfter = 0 }
    #expect(throws: JournalError.failed) { try journal.writer.roll() }
    #expect(journal.fatal.all.count == 1)
    #expect(throws: JournalError.failed) { try journal.writer.close() }
  }
}
