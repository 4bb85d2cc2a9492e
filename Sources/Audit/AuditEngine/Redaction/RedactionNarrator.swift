import EngineKit
import EventSourcing

/// Tells of erasures.
struct RedactionNarrator: Narrator {
  mutating func tell(
    _ tag: EventTag, _ payload: UnsafeRawBufferPointer, _ blank: TimelineEntry, _ people: inout TimelinePeople
  ) -> [TimelineEntry]? {
    guard let event: RedactionLog.Event = Self.decode(tag, payload) else { return nil }
    var entry = blank
    switch event {
    case .redacted(let redaction):
      entry.who = redaction.by
      entry.what = "has \(redaction.records) records of a customer erased, up to record \(redaction.upTo):"
      entry.text = redaction.reason
    }
    return [entry]
  }
}
