import EngineKit
import EventSourcing
import PushDomain

/// Tells of devices that have checked in. Of tokens and seeds nothing is shown.
struct InstallationNarrator: Narrator {
  mutating func tell(
    _ tag: EventTag, _ payload: UnsafeRawBufferPointer, _ blank: TimelineEntry, _ people: inout TimelinePeople
  ) -> [TimelineEntry]? {
    guard let event: InstallationEvent = Self.decode(tag, payload) else { return nil }
    var entry = blank
    entry.who = "device"
    switch event {
    case .checkedIn: entry.what = "checks in for the first time"
    case .registered(let registration):
      entry.what = "registers \(registration.app) for \(registration.senders.joined(separator: ", "))"
      entry.remark = ", as number \(registration.number)"
    case .registrationEnded(let number, let reason): entry.what = "ends its registration \(number) (\(reason))"
    case .keysSet(let number, _):
      entry.what = "gives registration \(number) keys to encrypt with"
      entry.isDetail = true
    case .topicJoined(let number, let topic): entry.what = "subscribes registration \(number) to \(topic.name)"
    case .topicLeft(let number, let topic):
      entry.what = "ends the subscription of registration \(number) to \(topic.name)"
    case .erased(let state):
      let isEmpty = (try? Installation(stateBytes: state))?.identity == nil
      entry.what = isEmpty ? "what it had registered was erased" : "states itself anew"
      entry.isDetail = !isEmpty
    }
    return [entry]
  }
}

/// Tells of device groups.
struct GroupNarrator: Narrator {
  mutating func tell(
    _ tag: EventTag, _ payload: UnsafeRawBufferPointer, _ blank: TimelineEntry, _ people: inout TimelinePeople
  ) -> [TimelineEntry]? {
    guard let event: DeviceGroupEvent = Self.decode(tag, payload) else { return nil }
    var entry = blank
    entry.who = "group"
    switch event {
    case .created(_, let members): entry.what = "is made with \(members.count) members"
    case .changed(let members): entry.what = "has \(members.count) members now"
    case .ended: entry.what = "has lost its last member"
    case .erased(let state):
      let left = (try? DeviceGroup(stateBytes: state))?.members.count ?? 0
      entry.what = "states itself anew: \(left) members are left after an erasure"
    }
    return [entry]
  }
}

/// Tells of messages to topics and conditions.
struct BroadcastNarrator: Narrator {
  mutating func tell(
    _ tag: EventTag, _ payload: UnsafeRawBufferPointer, _ blank: TimelineEntry, _ people: inout TimelinePeople
  ) -> [TimelineEntry]? {
    guard let event: BroadcastEvent = Self.decode(tag, payload) else { return nil }
    var entry = blank
    entry.who = "broadcast"
    switch event {
    case .accepted(let work): entry.what = "is accepted for \(work.condition)"
    case .advanced:
      entry.what = "goes on"
      entry.isDetail = true
    case .finished(let receivers): entry.what = "is handed out to \(receivers) registrations"
    case .erased: entry.what = "was erased"
    }
    return [entry]
  }
}
