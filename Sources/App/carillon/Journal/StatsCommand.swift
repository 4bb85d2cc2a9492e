import ArgumentParser
import Engine
import EventSourcing
import JSONEnvelope
import Journal
import JournalFormat

/// `carillon journal stats`: what the journal is made of.
struct StatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Count events and bytes by kind and event; show compression, frames, rate, segments.",
    discussion: "The options that choose records concern the tables of events and of the rate only.")

  @OptionGroup var journal: JournalArguments
  @OptionGroup var filter: RecordFilter
  @Option(help: "text or json.") var format = OutputFormat.text

  func run() throws {
    try reporting {
      try journal.each(try journal.places()) { try count($0) }
    }
  }

  private func count(_ place: JournalPlace) throws {
    var statistics = JournalStatistics()
    let report = try journal.read(place) { reader, line in
      try reader.walk(
        segment: { line.update($0) }, frame: { statistics.add($0.header) },
        record: { record in if filter.accepts(record) { statistics.add(record) } })
    }
    switch format {
    case .text:
      place.printHeading()
      print(statistics, report)
    case .json: Console.write(json(statistics, report, of: place))
    }
  }

  // MARK: Text

  private func print(_ statistics: JournalStatistics, _ report: VerifyReport) {
    Console.print(Self.line("kind", "tag", "event", "events", "payload", "keys"))
    for (group, row) in statistics.rows.sorted(by: { $0.key < $1.key }) {
      Console.print(
        Self.line(
          EntityKind(rawValue: group.kind).label, String(group.tag), row.name, String(row.events),
          String(row.payloadBytes), String(row.keyBytes)))
    }
    Console.print("")
    Console.print("events      \(statistics.events) of \(report.records), \(report.redactedRecords) redacted")
    if let times = statistics.times {
      Console.print(
        "from        \(Timestamp(milliseconds: times.lowerBound).iso8601Milliseconds) to "
          + Timestamp(milliseconds: times.upperBound).iso8601Milliseconds)
    }
    Console.print(
      "segments    \(report.segments): \(report.segments - report.archivedSegments) live, "
        + "\(report.archivedSegments) archived; \(report.packedSegments) packed")
    let salts = Self.saltBytes(report)
    Console.print(
      "bytes       \(report.plainByteCount) of records, \(report.storedByteCount) on the disk, \(salts) of them salts: "
        + "\(Self.ratio(report.plainByteCount, report.storedByteCount)) to 1, "
        + "\(Self.ratio(report.plainByteCount, report.storedByteCount - salts)) to 1 without the salts")
    Console.print("")
    Console.print("frames      \(report.frames), \(Self.ratio(report.records, report.frames)) records each")
    let most = statistics.frames.values.max() ?? 0
    for (power, count) in statistics.frames.sorted(by: { $0.key < $1.key }) {
      Console.print("  " + Self.bar(Self.range(power) + (power == 0 ? " record" : " records"), count, most))
    }
    let rate = statistics.rate
    guard !rate.counts.isEmpty else { return }
    Console.print("")
    Console.print("rate        events in each \(Self.stretch(rate.stretchMilliseconds))")
    let highest = rate.counts.map(\.events).max() ?? 0
    for (start, events) in rate.counts { Console.print("  " + Self.bar(start.iso8601, events, highest)) }
  }

  /// `0`, `1`, `2–3`, `4–7`, …
  private static func range(_ power: Int) -> String {
    guard power > 0 else { return power < 0 ? "0" : "1" }
    return "\(1 << power)–\((1 << (power + 1)) - 1)"
  }

  private static func stretch(_ milliseconds: Int64) -> String {
    let minutes = milliseconds / 60_000
    return minutes < 60 ? "\(minutes) min" : minutes < 1_440 ? "\(minutes / 60) h" : "\(minutes / 1_440) d"
  }

  private static func bar(_ label: String, _ count: Int, _ most: Int) -> String {
    let width = most == 0 ? 0 : (count * 40 + most - 1) / most
    let line =
      TextColumn.left(label, 22) + TextColumn.right(String(count), 12) + "  " + String(repeating: "▇", count: width)
    return width == 0 ? TextColumn.left(label, 22) + TextColumn.right(String(count), 12) : line
  }

  private static func line(_ kind: String, _ tag: String, _ name: String, _ numbers: String...) -> String {
    TextColumn.left(kind, 8) + TextColumn.right(tag, 5) + "  " + TextColumn.left(name, 28)
      + numbers.map { TextColumn.right($0, 12) }.joined()
  }

  private static func saltBytes(_ report: VerifyReport) -> UInt64 {
    min(report.records * UInt64(FormatLimits.saltByteCount), report.storedByteCount)
  }

  /// Two decimals.
  private static func ratio(_ dividend: UInt64, _ divisor: UInt64) -> String {
    guard divisor > 0 else { return "0" }
    let hundredths = (Double(dividend) / Double(divisor) * 100).rounded()
    let whole = Int(hundredths) / 100
    let rest = Int(hundredths) % 100
    return "\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }

  // MARK: JSON

  private func json(_ statistics: JournalStatistics, _ report: VerifyReport, of place: JournalPlace) -> [UInt8] {
    JSONWriter.object { object in
      place.write(into: &object)
      object.objects("events", statistics.rows.sorted { $0.key < $1.key }) { group, object in
        object.member("kind", EntityKind(rawValue: group.key.kind).label)
        object.member("tag", group.key.tag)
        object.member("event", group.value.name)
        object.member("events", group.value.events)
        object.member("payloadBytes", group.value.payloadBytes)
        object.member("keyBytes", group.value.keyBytes)
      }
      if let times = statistics.times {
        object.member("from", Timestamp(milliseconds: times.lowerBound).iso8601Milliseconds)
        object.member("to", Timestamp(milliseconds: times.upperBound).iso8601Milliseconds)
      }
      Self.write(report, into: &object)
      object.objects("framesByRecords", statistics.frames.sorted { $0.key < $1.key }) { frames, object in
        object.member("recordsMinimum", frames.key < 0 ? 0 : 1 << frames.key)
        object.member("frames", frames.value)
      }
      let rate = statistics.rate
      object.member("stretchMilliseconds", rate.stretchMilliseconds)
      object.objects("rate", rate.counts) { count, object in
        object.member("from", count.start.iso8601Milliseconds)
        object.member("events", count.events)
      }
    } + [UInt8(ascii: "\n")]
  }

  private static func write(_ report: VerifyReport, into object: inout JSONObjectWriter) {
    object.member("records", report.records)
    object.member("redactedRecords", report.redactedRecords)
    object.member("segments", report.segments)
    object.member("archivedSegments", report.archivedSegments)
    object.member("packedSegments", report.packedSegments)
    object.member("frames", report.frames)
    object.member("plainBytes", report.plainByteCount)
    object.member("storedBytes", report.storedByteCount)
    object.member("saltBytes", saltBytes(report))
  }
}
