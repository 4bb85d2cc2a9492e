import JournalFormat
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Journal

@Suite("Journal, replayed by several threads")
struct SharedReplayTests {
  /// What a thread is told to make of a record.
  private struct Refusal: Error, Equatable {
    let position: UInt64
    let thread: Int
  }

  private static func journal(_ records: [PendingRecord], segmentByteCount: Int) throws -> FaultyStorage {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage, segmentByteCount: segmentByteCount)
    try journal.write(records, unit: 40)
    try journal.writer.close()
    return storage
  }

  /// What each of `threads` was handed.
  /// - Parameter refusing: a thread fails at its position.
  private static func replay(
    _ storage: FaultyStorage, threads: Int, segmentByteCount: Int, refusing: [Int: UInt64] = [:],
    after point: JournalPoint? = nil
  ) throws -> (handed: [[PendingRecord]], report: RecoveryReport) {
    var configuration = JournalConfiguration()
    configuration.segmentByteCount = segmentByteCount
    configuration.startingPoint = point
    let logs = (0..<threads).map { _ in Log() }
    let (writer, report) = try JournalWriter.open(
      directory: TestJournal.directory, configuration: configuration, storage: storage, onFatal: { _ in },
      replays: (0..<threads).map { thread in
        { record in
          if record.position == refusing[thread] { throw Refusal(position: record.position, thread: thread) }
          logs[thread].records.withLock { $0.append(PendingRecord(record)) }
        }
      })
    try writer.close()
    return (logs.map { log in log.records.withLock { $0 } }, report)
  }

  private final class Log: Sendable {
    let records = Mutex<[PendingRecord]>([])
  }

  @Test("each is handed all records, in order", arguments: [64 * 1024, 1024 * 1024, 8 * 1024 * 1024], [1, 2, 4])
  func all(segmentByteCount: Int, threads: Int) throws {
    // More than there are windows for.
    let records = sampleRecords(24_000)
    let storage = try Self.journal(records, segmentByteCount: segmentByteCount)
    let (handed, report) = try Self.replay(storage, threads: threads, segmentByteCount: segmentByteCount)
    #expect(handed.count == threads)
    for one in handed { #expect(one == records) }
    #expect(report.records == UInt64(records.count))
    #expect(report.lastPosition == UInt64(records.count))
  }

  @Test("whoever waits can see how far it is: at the end, that all was read", arguments: [0, 6_000])
  func progress(records count: Int) throws {
    let storage = try Self.journal(sampleRecords(count), segmentByteCount: 64 * 1024)
    let progress = ReplayProgress()
    var seen: [Int] = []
    var configuration = JournalConfiguration()
    configuration.segmentByteCount = 64 * 1024
    configuration.replayProgress = progress
    let (writer, report) = try JournalWriter.open(
      directory: TestJournal.directory, configuration: configuration, storage: storage, onFatal: { _ in },
      replay: { _ in if seen.last != progress.segment { seen.append(progress.segment) } })
    try writer.close()
    #expect(progress.segmentCount == report.segments)
    #expect(progress.segment == report.segments)
    #expect(progress.records == UInt64(count) && report.records == UInt64(count))
    #expect(seen == seen.sorted() && (seen.count > 1) == (count > 0), "\(seen)")
  }

  @Test("an empty journal begins")
  func empty() throws {
    let (handed, report) = try Self.replay(FaultyStorage(), threads: 3, segmentByteCount: 64 * 1024)
    #expect(handed == [[], [], []])
    #expect(report.lastPosition == 0)
  }

  @Test("of several records that are refused the first in the journal is told", arguments: UInt64(1)...30)
  func firstRefusal(seed: UInt64) throws {
    let storage = try Self.journal(sampleRecords(6_000), segmentByteCount: 256 * 1024)
    let before = storage.files
    var random = SeededGenerator(seed: seed)
    let refusing = Dictionary(
      uniqueKeysWithValues: (0..<3).map { ($0, UInt64.random(in: 1...6_000, using: &random)) })
    let first = try #require(refusing.min { $0.value < $1.value })
    let failure = #expect(throws: Refusal.self) {
      try Self.replay(storage, threads: 3, segmentByteCount: 256 * 1024, refusing: refusing)
    }
    #expect(failure?.position == first.value)
    #expect(storage.files == before)
  }

  @Test("a record that is refused is told before what is damaged behind it, and after what is damaged before it")
  func damage() throws {
    let storage = try Self.journal(sampleRecords(3_000), segmentByteCount: 64 * 1024)
    var frames: [FrameInfo] = []
    try JournalReader(directory: TestJournal.directory, storage: storage).forEachFrame { frames.append($0) }
    let third = "000000000003.segment"
    let frame = try #require(frames.first { $0.segmentNumber == 3 })
    let first = frame.header.firstPosition
    storage.update(third) { $0[frame.offset + 100] ^= 0x10 }
    let damaged = JournalError.damaged(
      file: TestJournal.directory.appending(third), offset: frame.offset, reason: .frameDamaged)
    #expect(throws: damaged) { try Self.replay(storage, threads: 2, segmentByteCount: 64 * 1024) }
    #expect(throws: damaged) {
      try Self.replay(storage, threads: 2, segmentByteCount: 64 * 1024, refusing: [1: first])
    }
    #expect(throws: Refusal(position: first - 1, thread: 1)) {
      try Self.replay(storage, threads: 2, segmentByteCount: 64 * 1024, refusing: [1: first - 1])
    }
  }
}
