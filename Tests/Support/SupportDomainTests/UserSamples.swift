import EventSourcing
import SupportDomain
import Testing

extension SupportIdentity {
  static func anonymous(_ name: String? = nil, _ email: String? = nil) -> SupportIdentity {
    SupportIdentity(key: .anonymous(app: "mobile", guid: "0b7c"), name: name, email: email)
  }

  static func verified(_ name: String? = "Ann", _ email: String? = "ann@example.org") -> SupportIdentity {
    SupportIdentity(key: .verified("ann"), name: name, email: email)
  }
}

extension SupportAccessToken {
  static func sample(_ number: Int, at second: Double = 0) -> SupportAccessToken {
    SupportAccessToken(
      digest: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 32), app: "mobile", issuedAt: .second(second)
    )
  }
}

extension SupportUser.UsedID {
  init(_ id: String, until second: Double) { self.init(id: id, until: .second(second)) }
}

extension SupportUserCommand {
  static func register(
    _ identifier: String, _ platform: SupportDevice.Platform = .ios, _ address: SupportDevice.Address = .pushToken,
    locale: String = "de", app: String = "mobile", most: Int = 20
  ) -> SupportUserCommand {
    var limits = SupportUserLimits()
    limits.devicesMaximum = most
    return .registerDevice(identifier: identifier, platform, address, locale: locale, app: app, limits: limits)
  }

  static func end(
    _ identifiers: [String], _ reason: SupportDevice.Reason = .user, app: String? = nil
  ) -> SupportUserCommand {
    .endDevices(identifiers: identifiers, reason, app: app)
  }
}

extension UserRig {
  /// Identified at second 0.
  static func given(_ identity: SupportIdentity = .verified()) throws -> UserRig {
    var rig = UserRig()
    try rig.when(.identify(identity))
    return rig
  }

  var live: [String] { state.devices.filter(\.isLive).map(\.identifier) }

  func device(_ id: Int) throws -> SupportDevice { try #require(state[device: id]) }
}
