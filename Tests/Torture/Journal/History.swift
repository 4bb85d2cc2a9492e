import Journal
import JournalFormat
import TestSupport

/// What was appended to a journal, in order, and how far it was acknowledged.
struct History: Sendable {
  /// By position, from 1.
  private(set) var records: [PendingRecord] = []
  /// Positions after which a crash may cut: the records of one append stay together.
  private(set) var unitEnds: Set<Int> = [0]
  var acknowledged = 0
  /// The last position that somebody waits for, or waited.
  var lastAwaited = 0
  /// Keys whose redaction was begun, and up to which position.
  var redacting: [String: Int] = [:]
  /// Keys whose redaction was reported as done.
  var redacted: [String: Int] = [:]

  mutating func append(_ unit: [PendingRecord]) {
    records += unit
    unitEnds.insert(records.count)
  }

  /// Forgets what a crash took.
  mutating func keep(first count: Int) {
    records.removeLast(records.count - count)
    unitEnds = unitEnds.filter { $0 <= count }
  }

  /// What a journal holds: nil, or what is wrong with it.
  func judge(_ found: [FoundRecord]) -> String? {
    if found.count < acknowledged { return "\(acknowledged) records were acknowledged, \(found.count) are left" }
    if found.count > records.count { return "\(records.count) records were appended, \(found.count) are there" }
    if !unitEnds.contains(found.count) { return "an append was torn: \(found.count) records are there" }
    for (expected, record) in zip(records, found) {
      guard record.isRedacted else {
        if record.record != expected { return "position \(record.position) holds another record than was appended" }
        if record.position <= redacted[expected.key] ?? 0 {
          return "position \(record.position) was redacted and is there again"
        }
        continue
      }
      if record.position > redacting[expected.key] ?? 0 {
        return "position \(record.position) was redacted without being asked"
      }
      if record.record.kind != expected.kind { return "position \(record.position) lost its kind with its content" }
    }
    for (index, record) in found.enumerated() where record.position != UInt64(index + 1) {
      return "position \(record.position) stands where \(index + 1) is due"
    }
    return nil
  }
}

/// A record as a journal gives it back.
struct FoundRecord: Sendable {
  var record: PendingRecord
  var position: UInt64
  var isRedacted: Bool

  init(_ view: borrowing RecordView) {
    record = PendingRecord(
      kind: view.kind, key: view.keyText, sequence: view.sequence, timeMilliseconds: view.timeMilliseconds,
      tag: view.tag, payload: Array(view.payload))
    position = view.position
    isRedacted = view.isRedacted
  }
}

/// Records of chats, different in every field; what a record is depends on seed and index only.
struct SampleRecords {
  private var generator: SeededGenerator
  private var index: UInt64 = 0
  /// Few keys, so that a redaction meets some records of each.
  static let keys = (0..<12).map { "412-\($0)" }

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func next(_ count: Int) -> [PendingRecord] {
    (0..<count).map { _ in
      index += 1
      let length = Int(generator.next() % 10 == 0 ? generator.next() % 600 : generator.next() % 80)
      let payload = (0..<length).map { _ in UInt8(truncatingIfNeeded: 97 + generator.next() % 20) }
      return PendingRecord(
        kind: UInt8(1 + generator.next() % 4), key: Self.keys[Int(generator.next() % 12)], sequence: index,
        timeMilliseconds: 1_700_000_000_000 + Int64(index) * 7, tag: UInt16(generator.next() % 40), payload: payload)
    }
  }
}
