import Journal
import JournalFormat
import Synchronization
import TestSupport

/// A partition's journal, with what its start replayed.
struct OpenedJournal {
  let writer: JournalWriter
  let report: RecoveryReport
  let replayed: [PendingRecord]
  let losses = Recorder<JournalError>()

  /// - Parameter point: only what stands behind it is replayed.
  init(
    _ store: any JournalStore, _ partition: PartitionID = .first, from point: JournalPoint? = nil,
    segmentByteCount: Int = Self.segmentByteCount
  ) throws {
    var configuration = JournalConfiguration()
    configuration.segmentByteCount = segmentByteCount
    // Long enough that no check meets them by accident.
    configuration.idleInterval = .seconds(600)
    configuration.lazyInterval = .seconds(600)
    configuration.startingPoint = point
    let found = Recorder<PendingRecord>()
    (writer, report) = try store.open(
      partition, configuration, deliver: nil, lost: { [losses] in losses.note($0) },
      replays: [{ found.note(PendingRecord($0)) }])
    replayed = found.all
  }

  static let segmentByteCount = 16 * 1024

  /// Appends in units of `unit` and waits for each.
  func write(_ records: [PendingRecord], unit: Int = 5) throws {
    var rest = records[...]
    while !rest.isEmpty {
      try writer.waitUntilDurable(try writer.append(Array(rest.prefix(unit)), lazy: true))
      rest = rest.dropFirst(unit)
    }
  }

  /// Opens, closes, and says what was replayed.
  static func replay(
    _ store: any JournalStore, _ partition: PartitionID = .first, from point: JournalPoint? = nil
  ) throws -> [PendingRecord] {
    let journal = try OpenedJournal(store, partition, from: point)
    try journal.writer.close()
    return journal.replayed
  }

  /// Why a journal is not opened; nil if it is.
  static func refusal(_ store: any JournalStore, from point: JournalPoint? = nil) -> JournalError? {
    do {
      try OpenedJournal(store, from: point).writer.close()
      return nil
    } catch {
      return error as? JournalError
    }
  }
}

/// Remembers in which order things came.
final class Recorder<Element: Sendable>: Sendable {
  private let noted = Mutex<[Element]>([])

  func note(_ element: Element) { noted.withLock { $0.append(element) } }
  var all: [Element] { noted.withLock { $0 } }
}

/// Notes its number when it is released, or that it is lost.
final class NumberedWaiter: DurabilityWaiter {
  private let number: Int
  private let released: Recorder<Int>
  private let lost: Recorder<Int>?

  init(_ number: Int, _ released: Recorder<Int>, lost: Recorder<Int>? = nil) {
    self.number = number
    self.released = released
    self.lost = lost
  }

  func becameDurable(position: UInt64) { released.note(number) }
  func wasLost() { lost?.note(number) }
}

/// Records that differ; what one is depends on its number only, which is its sequence.
func records(_ count: Int, from first: Int = 0) -> [PendingRecord] {
  (first..<(first + count)).map { index in
    var generator = SeededGenerator(seed: UInt64(index))
    return PendingRecord(
      kind: UInt8.random(in: 1...3, using: &generator), key: "key-\(generator.next() % 9)", sequence: UInt64(index),
      timeMilliseconds: 1_700_000_000_000 + Int64(index), tag: UInt16.random(in: 1...50, using: &generator),
      payload: (0..<64).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
  }
}

extension PendingRecord {
  init(_ view: borrowing RecordView) {
    self.init(
      kind: view.kind, key: view.keyText, sequence: view.sequence, timeMilliseconds: view.timeMilliseconds,
      tag: view.tag, payload: view.isRedacted ? [] : Array(view.payload))
  }
}
