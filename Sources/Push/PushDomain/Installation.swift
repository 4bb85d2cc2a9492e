public import EventSourcing

/// One device that has checked in, and the apps that have registered on it. Spec: GCM D2, D3.
///
/// ```
///   (unknown) ──checkIn──> known ──register──> registration 1, 2, 3, … ──end──> ended (its number stays known)
/// ```
/// A registration's number and the device's seed make its token; so that a token needs no index, and one that was good
/// once is told from one that never was.
public struct Installation: Decider, Codable, Equatable {
  public typealias Command = InstallationCommand
  public typealias Event = InstallationEvent
  public typealias Rejection = InstallationRejection
  public typealias Effect = InstallationEffect

  /// Nil before the first check-in, and once everything about it is erased.
  public internal(set) var identity: InstallationIdentity?
  /// Those that live, in the order of their numbers.
  public internal(set) var registrations: [AppRegistration] = []
  /// Of those that have ended too.
  public internal(set) var highestNumber = 0

  public init() {}

  public var outstandingEffects: [InstallationEffect] { [] }

  /// Never: an ended registration must go on being told from one that never was.
  public var isFinished: Bool { false }

  public var rest: Rest { .asleep(until: nil) }

  /// The registration with this number, if it lives.
  public subscript(_ number: Int) -> AppRegistration? { registrations.first { $0.number == number } }

  /// The one that registering `fresh` has led to.
  public func registration(like fresh: AppRegistration) -> AppRegistration? {
    registrations.last { $0.isTwin(of: fresh) }
  }

  /// True for a number that was given out, whether it lives or not.
  public func hasGiven(_ number: Int) -> Bool { (1...max(1, highestNumber)).contains(number) && highestNumber > 0 }

  /// The number of the registration that has taken the place of this one for `sender`: the newest of the same app, if it
  /// is another. Spec: GCM B4.6.
  public func canonical(of registration: AppRegistration, sender: String) -> AppRegistration? {
    guard let newest = registrations.last(where: { $0.isSameApp(as: registration) && $0.senders.contains(sender) }),
      newest.number != registration.number
    else { return nil }
    return newest
  }

  public func decide(_ command: InstallationCommand, now: Timestamp) throws(InstallationRejection)
    -> [InstallationEvent]
  {
    switch command {
    case .checkIn(let fresh):
      return identity == nil ? [.checkedIn(fresh)] : []
    case .register(let fresh, let limits):
      return try register(fresh, limits, now)
    case .end(let ending):
      return registrations.filter { ending.covers($0) }.map { .registrationEnded($0.number, reason: ending.reason) }
    case .setKeys(let number, let keys):
      guard let registration = self[number] else { throw .unknownRegistration }
      return registration.keys == keys ? [] : [.keysSet(number, keys)]
    case .join(let number, let topic, let limits):
      guard let registration = self[number] else { throw .unknownRegistration }
      if registration.topics.contains(where: { $0.topic == topic }) { return [] }
      guard registration.topics.count < limits.topicsMaximum else { throw .tooManyTopics }
      return [.topicJoined(number, topic)]
    case .leave(let number, let topic):
      guard let registration = self[number] else { throw .unknownRegistration }
      return registration.topics.contains { $0.topic == topic } ? [.topicLeft(number, topic)] : []
    case .erase:
      return identity == nil ? [] : [.erased(state: erased.stateBytes)]
    case .restate:
      return [.erased(state: stateBytes)]
    }
  }

  private func register(
    _ fresh: AppRegistration, _ limits: InstallationLimits, _ now: Timestamp
  ) throws(InstallationRejection) -> [InstallationEvent] {
    guard identity != nil else { throw .unknownInstallation }
    // Spec: GCM D3.5, the same again gets the same.
    if let known = registrations.last(where: { $0.isTwin(of: fresh) }) {
      let renewed = known.renewed(by: fresh)
      return renewed == known ? [] : [.registered(renewed)]
    }
    var events: [InstallationEvent] = []
    if registrations.count >= limits.registrationsMaximum {
      // One that another has taken the place of is the least loss.
      guard
        let superseded = registrations.first(where: { old in
          old.senders.allSatisfy { canonical(of: old, sender: $0) != nil }
        })
      else { throw .tooManyRegistrations }
      events.append(.registrationEnded(superseded.number, reason: "superseded"))
    }
    return events + [.registered(fresh.numbered(highestNumber + 1))]
  }

  public mutating func evolve(_ event: InstallationEvent, at time: Timestamp) {
    switch event {
    case .checkedIn(let fresh):
      identity = fresh
    case .registered(let registration):
      highestNumber = max(highestNumber, registration.number)
      registrations.removeAll { $0.number == registration.number }
      registrations.insert(
        registration, at: registrations.firstIndex { $0.number > registration.number } ?? registrations.count)
    case .registrationEnded(let number, _):
      registrations.removeAll { $0.number == number }
    case .keysSet(let number, let keys):
      change(number) { $0.keys = keys }
    case .topicJoined(let number, let topic):
      change(number) { $0.topics.append(TopicMembership(topic: topic, since: time)) }
    case .topicLeft(let number, let topic):
      change(number) { $0.topics.removeAll { $0.topic == topic } }
    case .erased(let state):
      // Bytes that are no state are refused when the event is decoded.
      if let state = try? Installation(stateBytes: state) { self = state }
    }
  }

  public func react(to event: InstallationEvent) -> [InstallationEffect] {
    switch event {
    case .checkedIn, .erased: []
    case .registered(let registration): [.registered(registration.number)]
    case .keysSet(let number, _): [.registered(number)]
    case .topicJoined(let number, let topic): [.joined(number, topic)]
    case .topicLeft(let number, let topic): [.left(number, topic)]
    case .registrationEnded(let number, let reason): [.ended(number, reason: reason)]
    }
  }

  private mutating func change(_ number: Int, _ body: (inout AppRegistration) -> Void) {
    guard let place = registrations.firstIndex(where: { $0.number == number }) else { return }
    body(&registrations[place])
  }

  /// Nothing of what was registered; the identity goes with it, and the device has to check in anew.
  var erased: Installation {
    var rest = Installation()
    rest.highestNumber = highestNumber
    return rest
  }
}

/// What makes a device itself. Spec: GCM D2.
public struct InstallationIdentity: Sendable, Equatable, Codable {
  /// SHA-256 of the security token.
  public let securityDigest: [UInt8]
  /// What its registration tokens are derived from: 32 random bytes.
  public let seed: [UInt8]

  public init(securityDigest: [UInt8], seed: [UInt8]) {
    self.securityDigest = securityDigest
    self.seed = seed
  }
}

/// One app on a device, registered for some senders.
public struct AppRegistration: Sendable, Equatable, Codable {
  /// From 1; 0 for one that has none yet.
  public let number: Int
  /// Package name, extension id, bundle id.
  public let app: String
  /// In the order of the request, without repetitions; 1 to 100. Spec: GCM S61.
  public let senders: [String]
  public let subtype: String?
  /// 11 characters; nil if the app gave none.
  public let instanceID: String?
  public let scope: String?
  public let platform: String
  public let appVersion: String?
  public let certificate: String?
  /// Where to push to instead, for a device that keeps no connection to us: an imported APNs token. Spec: GCM B8.5.
  public let relay: PushAddress?
  public internal(set) var keys: BrowserKeys?
  public internal(set) var topics: [TopicMembership] = []

  public init(
    number: Int = 0, app: String, senders: [String], subtype: String? = nil, instanceID: String? = nil,
    scope: String? = nil, platform: String, appVersion: String? = nil, certificate: String? = nil,
    relay: PushAddress? = nil
  ) {
    self.number = number
    self.app = app
    self.senders = senders
    self.subtype = subtype
    self.instanceID = instanceID
    self.scope = scope
    self.platform = platform
    self.appVersion = appVersion
    self.certificate = certificate
    self.relay = relay
  }

  /// The same app, seen from an app server: a newer registration takes the place of an older one.
  func isSameApp(as other: AppRegistration) -> Bool {
    app == other.app && subtype == other.subtype && relay == other.relay
  }

  /// One registration for both. Spec: GCM D3.5.
  func isTwin(of other: AppRegistration) -> Bool {
    isSameApp(as: other) && instanceID == other.instanceID && Set(senders) == Set(other.senders)
  }

  func numbered(_ number: Int) -> AppRegistration {
    var copy = AppRegistration(
      number: number, app: app, senders: senders, subtype: subtype, instanceID: instanceID, scope: scope,
      platform: platform, appVersion: appVersion, certificate: certificate, relay: relay)
    copy.keys = keys
    copy.topics = topics
    return copy
  }

  /// What this one leaves open is as it was.
  fileprivate func renewed(by fresh: AppRegistration) -> AppRegistration {
    var copy = AppRegistration(
      number: number, app: app, senders: senders, subtype: subtype, instanceID: instanceID,
      scope: fresh.scope ?? scope, platform: fresh.platform, appVersion: fresh.appVersion ?? appVersion,
      certificate: fresh.certificate ?? certificate, relay: relay)
    copy.keys = keys
    copy.topics = topics
    return copy
  }
}

/// The public half of what a browser page decrypts with, and for whom it was made. Spec: RFC 8291, 2; GCM D4.4.
public struct BrowserKeys: Sendable, Equatable, Codable {
  public let publicKey: [UInt8]
  public let authenticationSecret: [UInt8]
  /// The sender that the page knows: what it is told as `from`.
  public let authorizedEntity: String?

  public init(publicKey: [UInt8], authenticationSecret: [UInt8], authorizedEntity: String?) {
    self.publicKey = publicKey
    self.authenticationSecret = authenticationSecret
    self.authorizedEntity = authorizedEntity
  }
}

/// A topic of one sender.
public struct SenderTopic: Sendable, Hashable, Codable {
  public let sender: String
  /// Without `/topics/`.
  public let name: String

  public init(sender: String, name: String) {
    self.sender = sender
    self.name = name
  }
}

public struct TopicMembership: Sendable, Equatable, Codable {
  public let topic: SenderTopic
  public let since: Timestamp

  init(topic: SenderTopic, since: Timestamp) {
    self.topic = topic
    self.since = since
  }
}

public struct InstallationLimits: Sendable, Equatable {
  public var registrationsMaximum = 256
  /// Of one registration. Spec: GCM B6.4.
  public var topicsMaximum = 2_000

  public init() {}
}

public enum InstallationCommand: Sendable, Equatable {
  /// Changes nothing if it has an identity.
  case checkIn(InstallationIdentity)
  case register(AppRegistration, limits: InstallationLimits = InstallationLimits())
  case end(RegistrationEnding)
  case setKeys(Int, BrowserKeys)
  case join(Int, SenderTopic, limits: InstallationLimits = InstallationLimits())
  case leave(Int, SenderTopic)
  /// Everything about the device is erased.
  case erase
  /// States the whole device anew, so that records before this moment can be erased.
  case restate
}

/// Which registrations end, and why.
public struct RegistrationEnding: Sendable, Equatable {
  public let app: String
  public let subtype: String?
  public let instanceID: String?
  /// Those that have all of these; empty for whatever senders they have.
  public let senders: [String]
  /// One of them only.
  public let number: Int?
  /// All of the app.
  public let isWhole: Bool
  public let reason: String

  public init(
    app: String, subtype: String? = nil, instanceID: String? = nil, senders: [String] = [], number: Int? = nil,
    isWhole: Bool = false, reason: String
  ) {
    self.isWhole = isWhole
    self.app = app
    self.subtype = subtype
    self.instanceID = instanceID
    self.senders = senders
    self.number = number
    self.reason = reason
  }

  func covers(_ registration: AppRegistration) -> Bool {
    if let number { return registration.number == number }
    if isWhole { return registration.app == app }
    return registration.app == app && registration.subtype == subtype && registration.instanceID == instanceID
      && senders.allSatisfy { registration.senders.contains($0) }
  }
}

public enum InstallationRejection: Error, Equatable {
  case unknownInstallation
  case unknownRegistration
  case tooManyRegistrations
  case tooManyTopics
}

public enum InstallationEffect: Sendable, Equatable {
  /// The index of topics has to follow.
  case registered(Int)
  case joined(Int, SenderTopic)
  case left(Int, SenderTopic)
  /// What waits for this registration is not to be sent any more.
  case ended(Int, reason: String)
}
