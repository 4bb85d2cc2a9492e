public import Journal
package import OptionKit

/// What the engine does beside its service, and when.
public struct HousekeepingSettings: Sendable, Equatable {
  /// A snapshot is written so often, if so many records have come since the one before; nil for never.
  public var snapshotInterval: Duration? = .seconds(600)
  public var snapshotRecordsMinimum: UInt64 = 10_000
  /// An entity that nobody has used for so long leaves memory; nil for never.
  public var sleepAfter: Duration? = .seconds(600)

  /// What becomes of old segments; nil: they stay.
  public var retention: RetentionRule.Action? = .archive
  /// Sealed segments are old after so long; nil: their age is no reason.
  public var segmentAgeMaximum: Duration? = .seconds(604_800)
  /// More than so many bytes of segments are not kept; nil: their size is no reason.
  public var segmentBytesMaximum: Int?
  /// Sealed segments that no start needs are packed.
  public var packsSegments = true
  /// Records are indexed by whom they are about.
  public var indexesSubjects = true
  /// The Merkle tree over the records is kept.
  public var keepsTree = true
  /// How often old segments are looked for.
  public var archiveInterval: Duration = .seconds(300)

  public init() {}
}

extension HousekeepingSettings: OptionSettings {
  package static let fields: [OptionField<Self>] = [
    OptionField(
      "journal.snapshot_interval", \.snapshotInterval, .secondsUnlessZero(upTo: 2_592_000),
      "between two snapshots of all state; 0: none"),
    OptionField(
      "journal.snapshot_records", \.snapshotRecordsMinimum, .count(1...1_000_000_000),
      "fewer new records are not worth a snapshot"),
    OptionField("journal.retention", \.retention, .retention, "what becomes of old journal files"),
    OptionField(
      "journal.retention_age", \.segmentAgeMaximum, .secondsUnlessZero(upTo: 3_153_600_000),
      "a journal file is old so long after its last record; 0: age is no reason"),
    OptionField(
      "journal.retention_bytes", \.segmentBytesMaximum, .byteCountUnlessZero(upTo: 1_125_899_906_842_624),
      "journal files are old beyond so many bytes; 0: size is no reason"),
    OptionField(
      "journal.archive_interval", \.archiveInterval, .seconds(1...86_400), "between two looks for old journal files"),
    OptionField("journal.pack", \.packsSegments, .flag, "journal files that no start needs are packed tighter"),
    OptionField(
      "journal.subject_index", \.indexesSubjects, .flag,
      "whose records stand where is kept in an index, so that a customer's timeline is found at once"),
    OptionField(
      "journal.tree", \.keepsTree, .flag,
      "a Merkle tree over the records is kept, by which strangers can check them"),
    OptionField(
      "sleep_after", \.sleepAfter, .secondsUnlessZero(upTo: 2_592_000),
      "what nobody has used for so long leaves memory; 0: nothing does"),
  ]
}

// 0 is how operators write that there is none.
extension OptionForm where Value == Duration? {
  fileprivate static func secondsUnlessZero(upTo maximum: Double) -> Self {
    let form = OptionForm<Duration>.seconds(0...maximum)
    return Self(
      form.type, read: { form.read($0).map { $0 > .zero ? $0 : nil } }, write: { form.write($0 ?? .zero) })
  }
}

extension OptionForm where Value == Int? {
  fileprivate static func byteCountUnlessZero(upTo maximum: Int) -> Self {
    let form = OptionForm<Int>.byteCount(0...maximum)
    return Self(form.type, read: { form.read($0).map { $0 > 0 ? $0 : nil } }, write: { form.write($0 ?? 0) })
  }
}

extension OptionForm where Value == UInt64 {
  fileprivate static func count(_ bounds: ClosedRange<Int>) -> Self {
    let form = OptionForm<Int>.integer(bounds)
    return Self(form.type, read: { form.read($0).map { UInt64($0) } }, write: { String($0) })
  }
}

extension OptionForm where Value == RetentionRule.Action? {
  /// `keep` is what nothing becomes of.
  fileprivate static var retention: Self {
    let form = OptionForm<String>.choice(RetentionRule.Action.allCases.map(\.rawValue) + ["keep"])
    return Self(
      form.type, read: { form.read($0).map { RetentionRule.Action(rawValue: $0) } }, write: { $0?.rawValue ?? "keep" })
  }
}
