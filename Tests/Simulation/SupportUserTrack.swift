import EventSourcing
import SupportDomain

/// One user as its records tell it.
struct SupportUserTrack {
  struct DeviceTrack {
    let key: SupportDevice.Key
    let app: String
    var registered: SupportLedger.Place
    var updatedAt: Timestamp
    var ended: SupportLedger.Place?
  }

  private(set) var identity: SupportIdentity?
  private(set) var devices: [Int: DeviceTrack] = [:]
  /// Counts what ends all tokens.
  private(set) var generation = 0
  private(set) var tokens = 0
  private var usedIDs: [String: Timestamp] = [:]

  var live: [Int: DeviceTrack] { devices.filter { $0.value.ended == nil } }

  func hasUsed(_ id: String) -> Bool { usedIDs[id] != nil }

  mutating func apply(_ event: SupportUserEvent, at time: Timestamp, _ place: SupportLedger.Place) throws {
    switch event {
    case .identified(let fresh):
      if let identity, identity.key != fresh.key { throw Failure(.supportByTheRules, "somebody else: \(fresh.key)") }
      identity = fresh
    case .identityChanged(let fresh):
      guard live.isEmpty, identity?.key == fresh.key else {
        throw Failure(.supportByTheRules, "another identity, with the devices \(live.keys.sorted())")
      }
      identity = fresh
      generation += 1
      tokens = 0
    case .tokenIssued(_, let usedID):
      guard identity != nil else { throw Failure(.supportByTheRules, "a token for nobody") }
      tokens += 1
      guard let usedID else { break }
      if let until = usedIDs[usedID.id], until > time {
        throw Failure(.supportByTheRules, "the back end's token counts twice")
      }
      usedIDs[usedID.id] = usedID.until
    case .tokenUsed: break
    case .tokenEnded: tokens -= 1
    case .deviceRegistered(let device): try register(device, place)
    case .deviceRefreshed(let id, _):
      guard live[id] != nil else { throw Failure(.supportByTheRules, "device \(id) is registered again and not live") }
      devices[id]?.registered = place
      devices[id]?.updatedAt = time
    case .deviceEnded(let id, let reason):
      guard let device = live[id] else { throw Failure(.supportByTheRules, "device \(id) ends and is not live") }
      if reason == .evicted, let older = live.first(where: { $0.value.updatedAt < device.updatedAt }) {
        throw Failure(.supportByTheRules, "device \(id) has to go, and \(older.key) is older")
      }
      devices[id]?.ended = place
    case .erased(let state):
      let user = try SupportUser(stateBytes: state)
      guard user.identity == nil else { break }
      (identity, devices, tokens) = (nil, [:], 0)
      generation += 1
    }
  }

  private mutating func register(_ device: SupportDevice, _ place: SupportLedger.Place) throws {
    guard identity != nil else { throw Failure(.supportByTheRules, "a device of nobody's") }
    if let former = devices[device.id] {
      guard former.ended != nil, former.key == device.key, former.app == device.app else {
        throw Failure(.supportByTheRules, "device \(device.id) is another one now")
      }
    }
    guard !live.values.contains(where: { $0.key == device.key }) else {
      throw Failure(.oneOwnerEach, "device \(device.id) is registered beside itself")
    }
    devices[device.id] = DeviceTrack(
      key: device.key, app: device.app, registered: place, updatedAt: device.updatedAt)
    guard live.count <= SimulatedServices.supportDevicesMaximum else {
      throw Failure(.supportByTheRules, "\(live.count) devices of one user")
    }
  }
}
