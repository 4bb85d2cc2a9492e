import EngineKit
import EventSourcing

/// Tells of Comet sessions.
struct CometNarrator: Narrator {
  private var sessions: [String: Trace] = [:]
  /// Sessions that a customer has had: the second one is a return.
  private var counts: [String: Int] = [:]

  private struct Trace {
    var openedAt: Timestamp
    var userKey: String?
    var serviceID: String?
  }

  mutating func tell(
    _ tag: EventTag, _ payload: UnsafeRawBufferPointer, _ blank: TimelineEntry, _ people: inout TimelinePeople
  ) -> [TimelineEntry]? {
    guard let event: CometRecord.Event = Self.decode(tag, payload), let key = blank.entity?.key else { return nil }
    var entry = blank
    if case .opened(let userKey, let serviceID, _, _) = event {
      sessions[key] = Trace(openedAt: blank.time, userKey: userKey, serviceID: serviceID)
    }
    let trace = sessions[key]
    entry.who = people.name(userKey: trace?.userKey, serviceID: trace?.serviceID)
    entry.isDetail = true
    switch event {
    case .opened(let userKey, _, _, _):
      let count = userKey.map { key in
        counts[key, default: 0] += 1
        return counts[key] ?? 1
      }
      entry.what = (count ?? 1) > 1 ? "opens another Comet session" : "opens a Comet session"
      entry.isDetail = false
    case .subscribed(let channels): entry.what = "subscribes to \(channels.joined(separator: ", "))"
    case .unsubscribed(let channels): entry.what = "unsubscribes from \(channels.joined(separator: ", "))"
    case .delivered(_, let position, _): entry.what = "was written the events up to \(position)"
    case .missed(_, let position): entry.what = "has not got what was written to it after \(position)"
    case .closed(let reason):
      entry.isDetail = false
      // What the session itself calls its ends.
      entry.what =
        reason == "disconnected" ? "closes the Comet session" : "loses the Comet session (\(reason))"
      if let trace {
        let span = TimelineSpan(.session, from: trace.openedAt, to: blank.time)
        entry.spans = [span]
        entry.remark = " after \(span.text)"
      }
      sessions[key] = nil
    }
    return [entry]
  }
}
