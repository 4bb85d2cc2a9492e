public import EngineKit
import EventSourcing
public import JournalFormat

/// Tells what a journal's records mean, record by record: who did what, and how long it took.
///
/// Fed with all records of the entities that are told of, in order, from the first one: names, questions and pushes of
/// earlier records are what later ones refer to.
public struct Timeline: Sendable {
  private var narrators: [UInt8: any Narrator] = [:]
  private var people = TimelinePeople()
  private var starts = StartDetector()
  private let catalogue: Catalogue

  public init(_ catalogue: Catalogue) {
    self.catalogue = catalogue
    for card in catalogue.cards { narrators[card.kind.rawValue] = card.narrator() }
  }

  /// What a record tells; mostly one entry.
  public mutating func entries(of record: borrowing RecordView) -> [TimelineEntry] {
    let kind = EntityKind(rawValue: record.kind)
    let label = kind.name ?? "kind \(record.kind)"
    let time = Timestamp(milliseconds: record.timeMilliseconds)
    guard !record.isRedacted else {
      return [
        TimelineEntry(
          position: record.position, time: time, entity: nil, event: "erased", who: "–",
          what: "(a record of the kind \(label) was erased)")
      ]
    }
    let entity = EntityID(kind, record.keyText)
    let tag = record.tag
    let name = catalogue.describe(kind: kind, tag: tag, payload: record.payload)?.name
    var blank = TimelineEntry(
      position: record.position, time: time, entity: entity, event: name ?? "tag \(tag)", who: "–", what: "")
    blank.label = catalogue[kind].map { String($0.shown(entity.key)) }
    if let told = narrators[record.kind]?.tell(tag, record.payload, blank, &people) { return told }
    var unknown = blank
    unknown.what = "(event \(tag) of the kind \(label), which this version \(name == nil ? "cannot read" : "knows"))"
    unknown.isDetail = name != nil
    return [unknown]
  }

  /// What a frame tells by itself, before its records: that the server had been started again.
  public mutating func entry(of frame: FrameHeader, segmentNumber: UInt64) -> TimelineEntry? {
    starts.frame(frame, segmentNumber: segmentNumber).map { Self.entry(behind: $0) }
  }

  /// The frames up to here were looked at by somebody else.
  mutating func goOn(with starts: StartDetector) { self.starts = starts }

  static func entry(behind silence: StartDetector.Silence) -> TimelineEntry {
    let span = TimelineSpan(
      .silence, from: Timestamp(milliseconds: silence.from), to: Timestamp(milliseconds: silence.to))
    var entry = TimelineEntry(
      position: silence.position, time: Timestamp(milliseconds: silence.to), entity: nil, event: "started",
      who: "server", what: "starts again, after a silence of \(span.text)")
    entry.spans = [span]
    return entry
  }
}
