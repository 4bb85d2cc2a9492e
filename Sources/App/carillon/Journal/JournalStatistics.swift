import Engine
import EventSourcing
import Journal
import JournalFormat

/// What a journal is made of, counted while its records and frames go by.
struct JournalStatistics {
  /// What is counted together.
  struct Group: Hashable, Comparable {
    let kind: UInt8
    let tag: UInt16
    let isRedacted: Bool

    static func < (left: Group, right: Group) -> Bool {
      (left.kind, left.isRedacted ? 1 : 0, left.tag) < (right.kind, right.isRedacted ? 1 : 0, right.tag)
    }
  }

  struct Row {
    var name: String
    var events = 0
    var payloadBytes = 0
    var keyBytes = 0
  }

  private(set) var rows: [Group: Row] = [:]
  private(set) var times: ClosedRange<Int64>?
  /// Records by the minute in which they were decided.
  private var minutes: [Int64: Int] = [:]
  /// Frames by the power of two that their number of records begins with; -1 for those without records.
  private(set) var frames: [Int: Int] = [:]

  var events: Int { rows.values.reduce(0) { $0 + $1.events } }

  mutating func add(_ record: borrowing RecordView) {
    let group = Group(kind: record.kind, tag: record.tag, isRedacted: record.isRedacted)
    if rows[group] == nil { rows[group] = Row(name: Self.name(of: record)) }
    rows[group]?.events += 1
    rows[group]?.payloadBytes += record.payload.count
    rows[group]?.keyBytes += record.key.count
    let time = record.timeMilliseconds
    times = min(times?.lowerBound ?? time, time)...max(times?.upperBound ?? time, time)
    minutes[Self.floor(time, 60_000), default: 0] += 1
  }

  mutating func add(_ frame: FrameHeader) {
    let count = frame.recordCount
    frames[count == 0 ? -1 : Int.bitWidth - 1 - count.leadingZeroBitCount, default: 0] += 1
  }

  /// Events by stretches of time of one length, at most 24 of them, the empty ones too.
  var rate: (stretchMilliseconds: Int64, counts: [(start: Timestamp, events: Int)]) {
    guard let times else { return (60_000, []) }
    let lengths: [Int64] = [1, 5, 15, 60, 180, 360, 720, 1_440].map { $0 * 60_000 }
    let span = times.upperBound - times.lowerBound
    let day: Int64 = 86_400_000
    let stretch = lengths.first { span / $0 < 23 } ?? (span / 23 / day + 1) * day
    var counts: [Int64: Int] = [:]
    for (minute, count) in minutes { counts[Self.floor(minute, stretch), default: 0] += count }
    let starts = stride(from: Self.floor(times.lowerBound, stretch), through: times.upperBound, by: Int(stretch))
    return (stretch, starts.map { (Timestamp(milliseconds: $0), counts[$0] ?? 0) })
  }

  private static func floor(_ time: Int64, _ stretch: Int64) -> Int64 {
    let rest = time % stretch
    return time - (rest < 0 ? rest + stretch : rest)
  }

  private static func name(of record: borrowing RecordView) -> String {
    if record.isRedacted { return "(redacted)" }
    let kind = EntityKind(rawValue: record.kind)
    return Catalogue.carillon.describe(kind: kind, tag: record.tag, payload: record.payload)?.name ?? "(unknown)"
  }
}
