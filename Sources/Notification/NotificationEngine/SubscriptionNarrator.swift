import EngineKit
import EventSourcing
import PushDomain
import PushEngine

/// Tells of subscriptions. Of device ids nothing is shown but the beginning of a hash.
struct SubscriptionNarrator: Narrator {
  mutating func tell(
    _ tag: EventTag, _ payload: UnsafeRawBufferPointer, _ blank: TimelineEntry, _ people: inout TimelinePeople
  ) -> [TimelineEntry]? {
    guard let event: SubscriptionEvent = Self.decode(tag, payload) else { return nil }
    var entry = blank
    entry.who = "subscriber"
    switch event {
    case .opened(let terms):
      entry.what = "subscribes to \(terms.filter.text), for \(terms.address.shown)"
      entry.remark = ", until \(terms.expiresAt.iso8601)"
    case .published(let publication):
      entry.who = "back end"
      entry.what = "publishes \(publication.tag) (notification \(publication.number))"
    case .handedOver(let number):
      entry.who = "server"
      entry.what = "hands notification \(number) over to the queue of the device"
      entry.isDetail = true
    case .ended(let reason): entry.what = "has no subscription any more (\(reason))"
    case .erased: entry.what = "was erased"
    }
    return [entry]
  }
}
