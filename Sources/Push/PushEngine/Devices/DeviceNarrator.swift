import EngineKit
import EventSourcing
import PushDomain

/// Tells of the registry of devices. Of tokens nothing is shown but the beginning of a hash.
struct DeviceNarrator: Narrator {
  mutating func tell(
    _ tag: EventTag, _ payload: UnsafeRawBufferPointer, _ blank: TimelineEntry, _ people: inout TimelinePeople
  ) -> [TimelineEntry]? {
    guard let event: DeviceEvent = Self.decode(tag, payload) else { return nil }
    var entry = blank
    entry.who = "device"
    switch event {
    case .registered(let registration):
      entry.what = "is registered as \(Self.name(registration))"
      if let app = registration.app { entry.remark = ", for \(app)" }
    case .moved(let registration):
      entry.what = "has another owner now (\(Self.name(registration))); what waits for the former one is not sent"
    case .renewed:
      entry.what = "shows its address again"
      entry.isDetail = true
    case .ended(let reason):
      entry.what = "has ended (\(reason))"
      entry.fate = TimelineFate(reason: reason)
    case .replaced(let address): entry.what = "has ended: its provider names \(address.shown) in its place"
    case .erased(let state):
      let isEmpty = (try? Device(stateBytes: state))?.registration == nil
      entry.what = isEmpty ? "what it said of itself was erased" : "states itself anew"
      entry.isDetail = !isEmpty
    }
    return [entry]
  }

  private static func name(_ registration: DeviceRegistration) -> String { registration.address.shown }
}
