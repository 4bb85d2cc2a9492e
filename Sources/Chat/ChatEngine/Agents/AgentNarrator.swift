import EngineKit
import EventSourcing

/// Tells of agents.
struct AgentNarrator: Narrator {
  mutating func tell(
    _ tag: EventTag, _ payload: UnsafeRawBufferPointer, _ blank: TimelineEntry, _ people: inout TimelinePeople
  ) -> [TimelineEntry]? {
    guard let event: AgentDesk.Event = Self.decode(tag, payload) else { return nil }
    var entry = blank
    entry.who = blank.entity?.key ?? "agent"
    switch event {
    case .readinessChanged(true, let services?): entry.what = "takes chats of \(services.joined(separator: ", "))"
    case .readinessChanged(let isReady, _): entry.what = isReady ? "takes chats" : "takes no more chats"
    }
    return [entry]
  }
}
