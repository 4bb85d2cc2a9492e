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
    guard let silence = starts.frame(frame, segmentNumber: segmentNumber) else { return nil }
    var entry = TimelineEntry(
      position: frame.firstPosition, time: Timestamp(milliseconds: frame.timeMilliseconds), entity: nil,
      event: "started", who: "server", what: "starts again, after a silence of \(silence.text)")
    entry.spans = [silence]
    return entry
  }
}

/// Knows a start of the server by the restart point that its first frame is, when none is due. The first frame of a
/// segment always is one: a start that begins there leaves no trace.
struct StartDetector: Sendable {
  private var segmentNumber: UInt64 = 0
  private var plainByteCount: Int?
  private var lastTime: Timestamp?
  /// In a packed segment every frame is a restart point: nothing can be known there.
  private var isPacked = true

  /// - Returns: how long nothing was written, if this frame is the first one after a start.
  mutating func frame(_ frame: FrameHeader, segmentNumber number: UInt64) -> TimelineSpan? {
    let time = Timestamp(milliseconds: frame.timeMilliseconds)
    defer { lastTime = time }
    if number != segmentNumber { (plainByteCount, isPacked) = (nil, true) }
    segmentNumber = number
    guard !frame.isEmpty else { return nil }
    if frame.codec == .lz4 || !frame.flags.contains(.restart) { isPacked = false }
    defer { plainByteCount = (frame.flags.contains(.restart) ? 0 : plainByteCount ?? 0) + frame.plainByteCount }
    guard frame.flags.contains(.restart), let plainByteCount, plainByteCount < FormatLimits.restartByteCount,
      !isPacked, let lastTime
    else { return nil }
    return TimelineSpan(.silence, from: lastTime, to: time)
  }
}
