public import EventSourcing

/// One device: an address that pushes go to, whose it is, and whether it still lives.
///
/// ```
///   (unknown) ──register──> live ──end──> ended
///                          │  ▲            │
///                          └──┘            │
///                 register: renewed,       │
///                 or moved to a new owner  │
///                            live <──register (revived)
/// ```
public struct Device: Decider, Codable, Equatable {
  public typealias Command = DeviceCommand
  public typealias Event = DeviceEvent
  public typealias Effect = DeviceEffect

  /// What the app said last; nil before the first registration.
  public internal(set) var registration: DeviceRegistration?
  public internal(set) var firstRegisteredAt = Timestamp.epoch
  /// When the device showed its address last.
  public internal(set) var registeredAt = Timestamp.epoch
  /// Why it has ended; nil while it lives.
  public internal(set) var ending: Ending?
  /// The address that took the place of this one, if a provider said so.
  public internal(set) var successor: PushAddress?

  public struct Ending: Sendable, Equatable, Codable {
    /// `unregistered by its owner`, `410 Unregistered`, …
    public let reason: String
    public let at: Timestamp
  }

  public init() {}

  public var isLive: Bool { registration != nil && ending == nil }

  public var outstandingEffects: [DeviceEffect] { [] }

  /// Never: the address may come back, and an operator may ask why it went.
  public var isFinished: Bool { false }

  public var rest: Rest { .asleep(until: nil) }

  public func decide(_ command: DeviceCommand, now: Timestamp) throws(DeviceRejection) -> [DeviceEvent] {
    switch command {
    case .register(let fresh):
      return register(fresh)
    case .end(let reason, let owner):
      guard let registration else { throw .unknown }
      // Another's device is as unknown as none at all.
      if let owner, registration.owner != owner { throw .unknown }
      return isLive ? [.ended(reason: reason)] : []
    case .replace(let address):
      return isLive && address != registration?.address ? [.replaced(by: address)] : []
    case .erase:
      return registration == nil ? [] : [.erased(state: erased.stateBytes)]
    case .restate:
      return [.erased(state: stateBytes)]
    }
  }

  private func register(_ fresh: DeviceRegistration) -> [DeviceEvent] {
    guard let registration else { return [.registered(fresh)] }
    // What has ended comes back as new: who has signed out is its owner again only if somebody says so.
    let merged = isLive ? fresh.completed(by: registration) : fresh
    if let former = registration.owner, merged.owner != former,
      DeviceIdentifier.isToken(type: merged.address.type)
    {
      return [.moved(merged)]
    }
    // Also a mere repetition is recorded: what a provider says of an earlier moment does not count any more.
    return !isLive || merged != registration ? [.registered(merged)] : [.renewed]
  }

  public mutating func evolve(_ event: DeviceEvent, at time: Timestamp) {
    switch event {
    case .registered(let fresh), .moved(let fresh):
      if registration == nil { firstRegisteredAt = time }
      registration = fresh
      registeredAt = time
      ending = nil
      successor = nil
    case .renewed:
      registeredAt = time
    case .replaced(let address):
      ending = Ending(reason: "replaced by the provider", at: time)
      successor = address
    case .ended(let reason):
      ending = Ending(reason: reason, at: time)
    case .erased(let state):
      // Bytes that are no state are refused when the event is decoded.
      if let state = try? Device(stateBytes: state) { self = state }
    }
  }

  public func react(to event: DeviceEvent) -> [DeviceEffect] {
    switch event {
    case .registered: [.opened, .changed]
    case .renewed: [.opened]
    case .moved(let fresh): [.handedOver(to: fresh.owner ?? ""), .opened, .changed]
    case .replaced: [.closed(reason: "replaced by the provider"), .changed]
    case .ended(let reason): [.closed(reason: reason), .changed]
    case .erased: [.changed]
    }
  }

  /// Without anything of the customer: the address is gone with the owner, and a registration makes it new.
  var erased: Device {
    var device = Device()
    device.firstRegisteredAt = firstRegisteredAt
    device.registeredAt = registeredAt
    device.ending = ending
    return device
  }
}

/// What an app says of its device when it registers it.
public struct DeviceRegistration: Sendable, Equatable, Codable {
  /// Type, token, provider, environment (`debug`), language.
  public let address: PushAddress
  /// `ios`, `android`, `web`, …; nil if nobody said.
  public let platform: String?
  /// The app's identifier, such as a bundle id.
  public let app: String?
  /// Whose device it is, such as `gms_user`; nil for nobody in particular.
  public let owner: String?

  public init(address: PushAddress, platform: String? = nil, app: String? = nil, owner: String? = nil) {
    self.address = address
    self.platform = platform
    self.app = app
    self.owner = owner
  }

  /// What this registration leaves open is as it was; but one person's language and password are not another's.
  func completed(by former: DeviceRegistration) -> DeviceRegistration {
    let isAnothers = owner != nil && former.owner != nil && owner != former.owner
    return DeviceRegistration(
      address: PushAddress(
        type: address.type, deviceID: address.deviceID, provider: address.provider,
        language: address.language ?? (isAnothers ? nil : former.address.language), debug: address.debug,
        authorization: address.authorization ?? (isAnothers ? nil : former.address.authorization)),
      platform: platform ?? former.platform, app: app ?? former.app, owner: owner ?? former.owner)
  }
}

public enum DeviceCommand: Sendable, Equatable {
  /// Harmless if it is registered already; gives an ended device back its life, and another's device a new owner.
  case register(DeviceRegistration)
  /// - Parameter owner: who asks, if it is not the operator or a provider.
  case end(reason: String, owner: String? = nil)
  /// The provider has named another address for the same device.
  case replace(by: PushAddress)
  /// Everything about its owner is erased, the address included.
  case erase
  /// States the whole device anew, so that records before this moment can be erased.
  case restate
}

/// What an app is told.
public enum DeviceRejection: Error, Equatable {
  case unknown
}

public enum DeviceEffect: Sendable, Equatable {
  /// The queue may take pushes.
  case opened
  case closed(reason: String)
  /// What waits for another owner must not go out any more.
  case handedOver(to: String)
  /// The index has to follow.
  case changed
}
