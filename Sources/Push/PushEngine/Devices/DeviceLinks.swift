import EngineKit
import EventSourcing
import PushDomain

extension SubjectLinks {
  static let device = SubjectLinks(
    collect: { scope, key, tag, payload in
      guard let event: DeviceEvent = decode(tag, payload) else { return }
      let isNamed = event.addresses.contains { scope.isSubject($0.deviceID) }
      scope.note(.device, key) { trace in
        trace.owners.formUnion(event.registrations.compactMap(\.owner).filter { !$0.isEmpty })
        if isNamed { trace.isNamed = true }
      }
    },
    // Also its end, if it was never anybody else's.
    belongs: { scope, key, tag, payload in
      guard let event: DeviceEvent = decode(tag, payload) else { return false }
      if scope.isOnlyTheirs(EntityID(.device, key)) { return true }
      // The address in the place of this one is a device of its own.
      if case .replaced(let address) = event { return scope.holds(.device, DeviceKey.of(address)) }
      return event.registrations.contains { $0.owner.map { scope.holds(userKey: $0) } ?? false }
    },
    concerns: { scope, key, tag, payload in
      if scope.ownKeys(of: .device).contains(key) { return true }
      guard let event: DeviceEvent = decode(tag, payload) else { return false }
      if case .replaced(let address) = event { return scope.holds(.device, DeviceKey.of(address)) }
      return event.registrations.contains { $0.owner.map { scope.holds(owner: $0) } ?? false }
    })
}

extension DeviceEvent {
  /// The registrations that a record holds.
  fileprivate var registrations: [DeviceRegistration] {
    switch self {
    case .registered(let registration), .moved(let registration): [registration]
    case .erased(let state): (try? Device(stateBytes: state))?.registration.map { [$0] } ?? []
    case .ended, .replaced, .renewed: []
    }
  }

  /// The addresses that it names.
  fileprivate var addresses: [PushAddress] {
    if case .replaced(let address) = self { return [address] }
    return registrations.map(\.address)
  }
}
