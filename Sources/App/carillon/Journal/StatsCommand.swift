import ArgumentParser
import Engine
import EventSourcing
import Journal
import JournalFormat

/// `carillon journal stats`: what the journal is made of.
struct StatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats", abstract: "Count events and bytes by kind and event, and show the compression.")

  @OptionGroup var journal: JournalArguments
  @OptionGroup var filter: RecordFilter

  private struct Row {
    var name: String
    var events = 0
    var payloadBytes = 0
    var keyBytes = 0
  }

  /// What is counted together.
  private struct Group: Hashable, Comparable {
    let kind: UInt8
    let tag: UInt16
    let isRedacted: Bool

    static func < (left: Group, right: Group) -> Bool {
      (left.kind, left.isRedacted ? 1 : 0, left.tag) < (right.kind, right.isRedacted ? 1 : 0, right.tag)
    }
  }

  func run() throws {
    var rows: [Group: Row] = [:]
    var times: ClosedRange<Int64>?
    let report = try journal.read { reader in
      try reader.walk(record: { record in
        guard filter.accepts(record) else { return }
        let group = Group(kind: record.kind, tag: record.tag, isRedacted: record.isRedacted)
        if rows[group] == nil { rows[group] = Row(name: Self.name(of: record)) }
        rows[group]?.events += 1
        rows[group]?.payloadBytes += record.payload.count
        rows[group]?.keyBytes += record.key.count
        let time = record.timeMilliseconds
        times = min(times?.lowerBound ?? time, time)...max(times?.upperBound ?? time, time)
      })
    }
    Console.print(Self.line("kind", "tag", "event", "events", "payload", "keys"))
    for (group, row) in rows.sorted(by: { $0.key < $1.key }) {
      Console.print(
        Self.line(
          EntityKind(rawValue: group.kind).label, String(group.tag), row.name, String(row.events),
          String(row.payloadBytes), String(row.keyBytes)))
    }
    let events = rows.values.reduce(0) { $0 + $1.events }
    Console.print("")
    Console.print("events      \(events) of \(report.records)")
    if let times {
      Console.print(
        "from        \(Timestamp(milliseconds: times.lowerBound).iso8601Milliseconds) to "
          + Timestamp(milliseconds: times.upperBound).iso8601Milliseconds)
    }
    Console.print("frames      \(report.frames), \(Self.ratio(report.records, report.frames)) records each")
    Console.print("segments    \(report.segments)")
    Console.print(
      "bytes       \(report.plainByteCount) of records, \(report.storedByteCount) on the disk with all headers, hashes "
        + "and salts (\(Self.ratio(report.plainByteCount, report.storedByteCount)) to 1)")
  }

  private static func name(of record: borrowing RecordView) -> String {
    if record.isRedacted { return "(redacted)" }
    let kind = EntityKind(rawValue: record.kind)
    return JournalKinds.describe(kind: kind, tag: record.tag, payload: record.payload)?.name ?? "(unknown)"
  }

  private static func line(_ kind: String, _ tag: String, _ name: String, _ numbers: String...) -> String {
    func left(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(0, width - text.count))
    }
    func right(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    return left(kind, 8) + right(tag, 5) + "  " + left(name, 28) + numbers.map { right($0, 12) }.joined()
  }

  /// Two decimals.
  private static func ratio(_ dividend: UInt64, _ divisor: UInt64) -> String {
    guard divisor > 0 else { return "0" }
    let hundredths = (Double(dividend) / Double(divisor) * 100).rounded()
    let whole = Int(hundredths) / 100
    let rest = Int(hundredths) % 100
    return "\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }
}
