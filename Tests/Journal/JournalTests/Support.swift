import Journal
import Synchronization
import SystemPackage
import TestSupport

@testable import JournalFormat

/// Salts and ids that are the same in every run.
func predictableBytes(seed: UInt64) -> @Sendable (UnsafeMutableRawBufferPointer) -> Void {
  let generator = Mutex(SeededGenerator(seed: seed))
  return { bytes in
    generator.withLock { generator in
      for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: generator.next()) }
    }
  }
}

/// Records of a chat, different in every field; what a record is depends on its number only.
func sampleRecords(_ count: Int, seed: UInt64 = 1, from first: Int = 0) -> [PendingRecord] {
  let words = ["hello", "your", "parcel", "is", "on", "its", "way", "grüße", "tomorrow", "please", "wait"]
  return (first..<(first + count)).map { index in
    var generator = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(index))
    let text = (0..<Int.random(in: 0...24, using: &generator)).map { _ in words.randomElement(using: &generator) ?? "" }
    return PendingRecord(
      kind: UInt8.random(in: 1...4, using: &generator), key: "412-\(generator.next() % 50)", sequence: UInt64(index),
      timeMilliseconds: 1_700_000_000_000 + Int64(index) * 7 - Int64(generator.next() % 5),
      tag: UInt16.random(in: 0...UInt16.max, using: &generator), payload: Array(text.joined(separator: " ").utf8))
  }
}

extension PendingRecord {
  init(_ view: borrowing RecordView) {
    self.init(
      kind: view.kind, key: view.keyText, sequence: view.sequence, timeMilliseconds: view.timeMilliseconds,
      tag: view.tag, payload: Array(view.payload))
  }
}

/// A segment made in memory, frame by frame.
struct SegmentBuilder: ~Copyable {
  private(set) var bytes: [UInt8]
  private var encoder: FrameEncoder
  private var batch: RecordBatch
  private(set) var offset = FormatLimits.segmentHeaderByteCount
  private(set) var nextPosition: UInt64 = 1
  /// Where each frame ends.
  private(set) var frameEnds: [Int] = []

  init(byteCount: Int = 64 * 1024, seed: UInt64 = 7) {
    let header = SegmentHeader(
      segmentByteCount: byteCount, number: 1, id: SegmentID(high: seed, low: 2), previousID: .none, firstPosition: 1,
      createdMilliseconds: 1_700_000_000_000, nodeID: 3, epoch: 4, previousHash: .zero)
    let (page, checksum) = header.encoded()
    bytes = page + [UInt8](repeating: 0, count: byteCount - page.count)
    encoder = FrameEncoder(seed: checksum, chainHash: .zero, epoch: 4, salts: predictableBytes(seed: seed))
    batch = RecordBatch(unitByteCountMaximum: FormatLimits.unitByteCountMaximum(segmentByteCount: byteCount))
  }

  var room: Int { bytes.count - offset }

  /// - Parameter more: a second unit in the same frame.
  mutating func add(
    _ records: [PendingRecord], and more: [PendingRecord] = [], durableOffset: Int? = nil,
    durablePosition: UInt64? = nil
  ) throws {
    for unit in [records, more] where !unit.isEmpty {
      batch.beginUnit(firstPosition: nextPosition, timeMilliseconds: unit.first?.timeMilliseconds ?? 0)
      for record in unit {
        try batch.append(
          kind: record.kind, key: record.key, sequence: record.sequence, timeMilliseconds: record.timeMilliseconds,
          tag: record.tag, payload: record.payload)
      }
    }
    try encoder.append(
      batch.frames[0], of: batch, durablePosition: durablePosition ?? nextPosition - 1,
      durableOffset: durableOffset ?? offset)
    batch.removeAll(keepingAtMost: .max)
    nextPosition += UInt64(records.count + more.count)
    place()
  }

  mutating func addEmpty(seal: Bool) {
    encoder.appendEmpty(
      seal: seal, nextPosition: nextPosition, timeMilliseconds: 1_700_000_000_999, durablePosition: nextPosition - 1,
      durableOffset: offset)
    place()
  }

  private mutating func place() {
    let frame = Array(encoder.encodedBytes)
    bytes.replaceSubrange(offset..<(offset + frame.count), with: frame)
    offset += frame.count
    frameEnds.append(offset)
    encoder.clearOutput()
  }
}

/// All records of a segment in memory.
func records(in bytes: UnsafeRawBufferPointer, checkingHashes: Bool = true) throws -> [PendingRecord] {
  var scanner = try SegmentScanner(bytes)
  var decoder = FrameDecoder()
  var found: [PendingRecord] = []
  var previous = scanner.chainHash
  while let frame = try scanner.next() {
    try decoder.forEachRecord(of: frame, in: bytes, previousHash: checkingHashes ? previous : nil) {
      found.append(PendingRecord($0))
    }
    previous = frame.header.chainHash
  }
  return found
}

/// Remembers the order in which waiters were released.
final class ReleaseLog: Sendable {
  let released = Mutex<[Int]>([])
  let lost = Mutex<[Int]>([])

  func waiter(_ number: Int) -> Waiter { Waiter(number, self) }

  final class Waiter: DurabilityWaiter {
    let number: Int
    let log: ReleaseLog
    init(_ number: Int, _ log: ReleaseLog) {
      self.number = number
      self.log = log
    }
    func becameDurable(position: UInt64) { log.released.withLock { $0.append(number) } }
    func wasLost() { log.lost.withLock { $0.append(number) } }
  }

  var all: [Int] { released.withLock { $0 } }
}

/// Counts calls of a handler.
final class FatalLog: Sendable {
  let errors = Mutex<[JournalError]>([])
  var handler: JournalWriter.FatalHandler { { error in self.errors.withLock { $0.append(error) } } }
  var all: [JournalError] { errors.withLock { $0 } }
}
