import EngineKit
import EventSourcing
import PushDomain

extension SubjectLinks {
  /// A device is what was asked for by its number, or by a token that it has given out.
  static let installation = SubjectLinks(
    collect: { scope, key, tag, payload in
      guard let event: InstallationEvent = decode(tag, payload) else { return }
      let seed: [UInt8]? =
        switch event {
        case .checkedIn(let identity): identity.seed
        case .erased(let state): (try? Installation(stateBytes: state))?.identity?.seed
        case .registered, .registrationEnded, .keysSet, .topicJoined, .topicLeft: nil
        }
      var isNamed = scope.isSubject(key)
      if let seed, let token = RegistrationToken(scope.subject), String(token.id.androidID) == key {
        isNamed = isNamed || token.isProved(by: seed)
      }
      scope.note(.installation, key) { if isNamed { $0.isNamed = true } }
    },
    spellings: { subject in RegistrationToken(subject).map { [String($0.id.androidID)] } ?? [] })

  static let group = SubjectLinks(
    collect: { scope, key, tag, payload in
      guard let event: DeviceGroupEvent = decode(tag, payload) else { return }
      scope.note(.deviceGroup, key) {
        $0.follows.formUnion(event.tokens.compactMap(RegistrationToken.installation(of:)))
      }
    },
    belongs: { scope, key, tag, payload in
      guard let event: DeviceGroupEvent = decode(tag, payload) else { return false }
      return event.tokens.compactMap(RegistrationToken.installation(of:)).contains { scope.holds($0.kind, $0.key) }
    },
    concerns: { scope, key, tag, payload in namesOne(of: scope, tag, payload) },
    arrived: { scope, key, tag, payload in
      if namesOne(of: scope, tag, payload) { scope.add(.deviceGroup, key) }
    })

  private static func namesOne(of scope: ErasureScope, _ tag: EventTag, _ payload: Payload) -> Bool {
    guard let event: DeviceGroupEvent = decode(tag, payload) else { return false }
    return event.tokens.contains { scope.holds(token: $0) }
  }
}

extension ErasureScope {
  /// Whether a registration token is of one of the installations.
  func holds(token: String) -> Bool {
    RegistrationToken.installation(of: token).map { holds($0.kind, $0.key) } ?? false
  }
}

extension RegistrationToken {
  /// The device that has given out a token, as an entity; nil if it is none.
  static func installation(of token: String) -> EntityID? {
    RegistrationToken(token).map { EntityID(.installation, String($0.id.androidID)) }
  }
}

extension DeviceGroupEvent {
  /// The registration tokens that a record holds.
  var tokens: [String] {
    switch self {
    case .created(_, let members), .changed(let members): members
    case .erased(let state): (try? DeviceGroup(stateBytes: state))?.members ?? []
    case .ended: []
    }
  }
}
