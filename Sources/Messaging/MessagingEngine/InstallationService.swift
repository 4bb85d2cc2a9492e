import Crypto
import EngineKit
package import EntityRuntime
import EventSourcing
package import PushDomain
import PushEngine

/// Devices that have checked in, and what they have registered. Spec: GCM D2, D3, D4.
public final class InstallationService: Sendable {
  package let directory: EntityDirectory<Installation>
  let topics: TopicIndex
  private let proven = ProvenTokens()
  let queues: EntityDirectory<PushQueue>
  let context: RuntimeContext
  let identifiers: Identifiers
  let limits: EngineLimits

  init(
    directory: EntityDirectory<Installation>, topics: TopicIndex, queues: EntityDirectory<PushQueue>,
    context: RuntimeContext, identifiers: Identifiers, limits: EngineLimits
  ) {
    self.directory = directory
    self.topics = topics
    self.queues = queues
    self.context = context
    self.identifiers = identifiers
    self.limits = limits
  }

  // MARK: For devices

  /// Spec: GCM D2. Nil: a new device. With credentials, they must be its own.
  /// - Throws: `.unauthenticated` for a wrong token or unknown id, `.unavailable`.
  public func checkIn(_ known: InstallationCredentials?) async throws(InstallationFailure) -> InstallationCredentials {
    if let known {
      try await authenticate(known)
      return known
    }
    let fresh = InstallationCredentials(
      id: InstallationID(identifiers.positiveNumber()), securityToken: identifiers.positiveNumber())
    guard let device = directory.entity(String(fresh.id.androidID), limit: limits.installationsMaximum) else {
      throw .unavailable
    }
    let identity = InstallationIdentity(securityDigest: fresh.digest, seed: identifiers.bytes(32))
    _ = try await perform(.checkIn(identity), on: device) { _ in }
    return fresh
  }

  public func authenticate(_ credentials: InstallationCredentials) async throws(InstallationFailure) {
    _ = try await authenticated(credentials)
  }

  /// Registers an app; the same app, subtype and senders get the same token. Durable when it returns. Spec: GCM D3.
  public func register(
    _ form: RegistrationForm, _ credentials: InstallationCredentials
  ) async throws(InstallationFailure) -> String {
    let device = try await authenticated(credentials)
    return try await register(try form.checked(), on: device, credentials.id)
  }

  /// Ends the registrations of this app, subtype and instance id (with `senders` empty: whatever senders they have).
  /// Harmless if there is none. Spec: GCM D3.6.
  /// - Parameter isWhole: all that the app has registered, whatever subtype and instance id: it is uninstalled.
  public func unregister(
    app: String, subtype: String?, instanceID: String? = nil, senders: [String], isWhole: Bool = false,
    _ credentials: InstallationCredentials
  ) async throws(InstallationFailure) {
    let device = try await authenticated(credentials)
    let ending = RegistrationEnding(
      app: app, subtype: subtype, instanceID: instanceID, senders: senders, isWhole: isWhole, reason: "unregistered")
    try await perform(.end(ending), on: device) { _ in }
  }

  /// Subscribes one of the device's own tokens to a topic, or ends that. Spec: GCM D3.7.
  public func subscribe(
    _ token: String, to topic: String, on isOn: Bool, _ credentials: InstallationCredentials
  ) async throws(InstallationFailure) {
    let device = try await authenticated(credentials)
    guard case .live(let found) = await find(token), found.id == credentials.id else { throw .notRegistered }
    // A registration for several senders takes part in each one's topic.
    for sender in found.registration.senders {
      try await setTopic(SenderTopic(sender: sender, name: topic), of: found, device, isOn)
    }
  }

  /// Gives a registration the keys that a browser page decrypts with: what is sent to it is encrypted from then on.
  /// For `/v1/projects/P/registrations` and `/fcm/connect/subscribe`. Whoever has the token may, if it was made for
  /// a page. Spec: GCM D4.2-4.
  /// - Parameter authorizedEntity: the sender that the page knows; it may send from now on.
  /// - Returns: the token to send to (the same).
  public func setWebKeys(
    _ keys: WebPushKeys, of token: String, authorizedEntity: String?
  ) async throws(InstallationFailure) -> String {
    guard case .live(let found) = await find(token), let device = directory[String(found.id.androidID)] else {
      throw .notRegistered
    }
    // An app's token is known to its app servers, which have no business here.
    guard found.registration.isPage else { throw .invalidParameters("not a page's token") }
    let stored = BrowserKeys(
      publicKey: keys.publicKey, authenticationSecret: keys.authenticationSecret, authorizedEntity: authorizedEntity)
    try await perform(.setKeys(found.registration.number, stored), on: device) { _ in }
    return token
  }

  // MARK: For app servers

  /// What `/iid/info` tells. Spec: GCM B8.2.
  /// - Throws: `.notRegistered`, `.unauthenticated` if the token is not this sender's, `.unavailable`.
  public func info(_ token: String, sender: String) async throws(InstallationFailure) -> RegistrationInfo {
    let registration = try await found(token, sender: sender).registration
    return RegistrationInfo(
      app: registration.app, sender: sender, appVersion: registration.appVersion, platform: registration.platform,
      certificate: registration.certificate, scope: registration.scope,
      topics: registration.topics.filter { $0.topic.sender == sender }
        .map { (name: $0.topic.name, addedOn: String($0.since.iso8601.prefix(10))) })
  }

  /// Subscribes a token of this sender's to a topic, or ends that. Harmless if it is so already. Spec: GCM B8.3, B8.4.
  /// - Returns: false if it was so already.
  /// - Throws: `.notRegistered`, `.unauthenticated` (not this sender's), `.tooManyTopics`, `.unavailable`.
  public func setTopic(
    _ topic: String, of token: String, sender: String, on isOn: Bool
  ) async throws(InstallationFailure) -> Bool {
    let found = try await found(token, sender: sender)
    guard let device = directory[String(found.id.androidID)] else { throw .notRegistered }
    let topic = SenderTopic(sender: sender, name: topic)
    let isSo = found.registration.topics.contains { $0.topic == topic }
    try await setTopic(topic, of: found, device, isOn)
    return isSo != isOn
  }

  /// Makes a registration token of an APNs token, so that one API reaches all devices. Spec: GCM B8.5.
  public func importAPNs(
    token: String, application: String, isSandbox: Bool, sender: String
  ) async throws(InstallationFailure) -> String {
    guard let deviceID = try? DeviceIdentifier.cleaned(token, type: PushType.ios.rawValue) else {
      throw .invalidParameters("apns_token")
    }
    let address = PushAddress(
      type: PushType.ios.rawValue, deviceID: deviceID, provider: nil, language: nil, debug: isSandbox)
    // One device for one APNs token, however often it is imported: its number is the beginning of the address's hash.
    let hash = DeviceKey.of(address).prefix(16)
    let id = InstallationID(max(1, (UInt64(hash, radix: 16) ?? 1) >> 1))
    guard let device = directory.entity(String(id.androidID), limit: limits.installationsMaximum) else {
      throw .unavailable
    }
    let identity = InstallationIdentity(securityDigest: identifiers.bytes(32), seed: identifiers.bytes(32))
    try await perform(.checkIn(identity), on: device) { _ in }
    let form = RegistrationForm(app: application, senders: [sender], platform: "IOS")
    return try await register(try form.checked(relay: address), on: device, id)
  }

  // MARK: For the engine

  enum Found: Sendable {
    /// Malformed, or never given out.
    case never
    case ended
    case live(FoundRegistration)
  }

  func find(_ text: String) async -> Found {
    if let known = proven[text], let entity = directory[String(known.id.androidID)] {
      let sighting = InstallationSighting(entity)
      let found: Found? = await entity.peek { device in
        guard let identity = device.identity, known.isProved(by: identity.seed) else { return nil }
        return Self.found(known, on: device, sighting)
      }
      if let found { return found }
    }
    guard let token = RegistrationToken(text), let entity = directory[String(token.id.androidID)] else {
      return .never
    }
    let sighting = InstallationSighting(entity)
    return await entity.peek { [proven] device in
      guard let identity = device.identity, device.hasGiven(token.number),
        let known = ProvenToken(token, provedBy: identity.seed)
      else { return .never }
      proven.remember(text, known)
      return Self.found(known, on: device, sighting)
    }
  }

  private static func found(
    _ token: ProvenToken, on device: borrowing Installation, _ sighting: InstallationSighting
  ) -> Found {
    guard let registration = device[token.number], token.names(registration) else { return .ended }
    return .live(FoundRegistration(id: token.id, registration: registration, device: device, sighting))
  }

  /// The registration that a scope names, if it lives.
  func find(_ scope: MailScope) async -> FoundRegistration? {
    guard let entity = directory[String(scope.androidID)] else { return nil }
    let sighting = InstallationSighting(entity)
    return await entity.peek { device in
      device[scope.number].map { FoundRegistration(id: scope.id, registration: $0, device: device, sighting) }
    }
  }

  /// Called behind the turn that has stored a message: the registration may have ended between the look at it and that
  /// turn, and nobody else would tell the mailbox.
  func recheck(_ found: FoundRegistration, _ queue: Entity<PushQueue>) async {
    if found.sighting.isCurrent { return }
    let number = found.registration.number
    let isLive = await found.sighting.device.peek { $0[number] != nil }
    if !isLive { await queue.post(.endScope(found.scope.text)) }
  }

  /// The registration by which an app on this device talks to a sender.
  func find(app: String, subtype: String?, sender: String, on id: InstallationID) async -> FoundRegistration? {
    guard let entity = directory[String(id.androidID)] else { return nil }
    let sighting = InstallationSighting(entity)
    return await entity.peek { device in
      device.registrations.last { registration in
        registration.app == app && (subtype == nil || registration.subtype == subtype)
          && registration.senders.contains(sender)
      }.map { FoundRegistration(id: id, registration: $0, device: device, sighting) }
    }
  }

  /// The device that was let in with these credentials.
  func authenticated(
    _ credentials: InstallationCredentials
  ) async throws(InstallationFailure) -> Entity<Installation> {
    guard let device = directory[String(credentials.id.androidID)] else { throw .unauthenticated }
    let digest = await device.peek { $0.identity?.securityDigest }
    guard let digest, zip(digest, credentials.digest).reduce(UInt8(0), { $0 | ($1.0 ^ $1.1) }) == 0 else {
      throw .unauthenticated
    }
    return device
  }

  package func perform(_ effects: [InstallationEffect], of device: Entity<Installation>) async {
    guard let androidID = UInt64(device.id.key) else { return }
    let id = InstallationID(androidID)
    for effect in effects {
      switch effect {
      case .registered(let number):
        for topic in await device.peek({ $0[number]?.indexedTopics ?? [] }) {
          topics.add(MailScope(id, number), to: topic)
        }
      case .joined(let number, let topic): topics.add(MailScope(id, number), to: topic)
      case .left(let number, let topic): topics.remove(MailScope(id, number), from: topic)
      case .ended(let number, _): await queues[MailboxKey.device(id)]?.post(.endScope(MailScope(id, number).text))
      }
    }
  }

  /// Tells the mailbox once more what it must not miss: a kill may have come between the two records.
  func remind(_ key: String) async {
    guard let androidID = UInt64(key), let device = directory[key],
      let queue = queues[MailboxKey.device(InstallationID(androidID))]
    else { return }
    let live = await device.peek { Set($0.registrations.map(\.number)) }
    let scopes = await queue.peek { Set($0.mail.pending.map(\.scope)) }
    for scope in scopes.sorted() where MailScope(scope).map({ !live.contains($0.number) }) ?? false {
      await queue.post(.endScope(scope))
    }
  }

  func restored(_ key: String, _ note: InstallationNote) {
    guard let androidID = UInt64(key) else { return }
    for one in note.topics { topics.add(MailScope(InstallationID(androidID), one.number), to: one.topic) }
  }

  private func found(_ token: String, sender: String) async throws(InstallationFailure) -> FoundRegistration {
    guard case .live(let found) = await find(token) else { throw .notRegistered }
    guard found.admits(sender) else { throw .unauthenticated }
    return found
  }

  private func setTopic(
    _ topic: SenderTopic, of found: FoundRegistration, _ device: Entity<Installation>, _ isOn: Bool
  ) async throws(InstallationFailure) {
    let number = found.registration.number
    try await perform(
      isOn ? .join(number, topic) : .leave(number, topic), on: device
    ) { _ in }
  }

  private func register(
    _ registration: AppRegistration, on device: Entity<Installation>, _ id: InstallationID
  ) async throws(InstallationFailure) -> String {
    let token = try await perform(.register(registration), on: device) { device in
      device.identity.flatMap { identity in
        device.registration(like: registration).map { RegistrationToken.text(of: $0, on: id, seed: identity.seed) }
      }
    }
    guard let token else { throw .unavailable }
    return token
  }

  @discardableResult
  private func perform<Reply: Sendable>(
    _ command: InstallationCommand, on device: Entity<Installation>, reply: @Sendable (borrowing Installation) -> Reply
  ) async throws(InstallationFailure) -> Reply {
    do throws(TurnError<InstallationRejection>) {
      return try await device.perform(command, reply: reply)
    } catch {
      switch error {
      case .rejected(.unknownInstallation): throw .unauthenticated
      case .rejected(.unknownRegistration): throw .notRegistered
      case .rejected(.tooManyRegistrations): throw .tooManyRegistrations
      case .rejected(.tooManyTopics): throw .tooManyTopics
      case .tooLarge: throw .invalidParameters("too large")
      case .overloaded, .storageFull, .failed: throw .unavailable
      }
    }
  }
}

/// A registration that lives, and what else its device knows of it.
struct FoundRegistration: Sendable {
  let id: InstallationID
  let registration: AppRegistration
  let sighting: InstallationSighting
  private let seed: [UInt8]
  private let successors: [String: AppRegistration]

  init(
    id: InstallationID, registration: AppRegistration, device: borrowing Installation, _ sighting: InstallationSighting
  ) {
    self.id = id
    self.registration = registration
    self.sighting = sighting
    seed = device.identity?.seed ?? []
    var successors: [String: AppRegistration] = [:]
    if device.registrations.count > 1 {
      for sender in registration.senders { successors[sender] = device.canonical(of: registration, sender: sender) }
    }
    self.successors = successors
  }

  var scope: MailScope { MailScope(id, registration.number) }
  var token: String { RegistrationToken.text(of: registration, on: id, seed: seed) }

  /// The token that has taken the place of this one. Spec: GCM B4.6.
  func canonical(for sender: String) -> String? {
    successors[sender].map { RegistrationToken.text(of: $0, on: id, seed: seed) }
  }

  /// Whether this sender may send to it. Spec: GCM B1.3; a page's own sender too: D4.2.
  func admits(_ sender: String) -> Bool {
    registration.senders.contains(sender) || registration.keys?.authorizedEntity == sender
  }
}

/// A device at the moment before somebody looked at it.
///
/// A registration's end reaches the mailbox as an effect, long after the turn in which it ended: as long as nothing has
/// happened to the device, none can have come there before a message that was stored meanwhile.
struct InstallationSighting: Sendable {
  let device: Entity<Installation>
  private let progress: UInt64

  init(_ device: Entity<Installation>) {
    self.device = device
    progress = device.progressedTo
  }

  /// Nothing has happened to it since.
  var isCurrent: Bool { device.progressedTo == progress }
}

extension AppRegistration {
  /// Made for a browser's page: by its subtype, or for a VAPID key.
  var isPage: Bool {
    subtype?.hasPrefix("wp:") == true || senders.first.map { MessagingService.isPublicKey($0) } == true
  }
}

extension RegistrationForm {
  static let sendersMaximum = 100
  static let nameBytesMaximum = 256

  /// - Throws: `.invalidParameters` with the field's name, `.invalidSender`.
  func checked(relay: PushAddress? = nil) throws(InstallationFailure) -> AppRegistration {
    func isName(_ text: String) -> Bool {
      (1...Self.nameBytesMaximum).contains(text.utf8.count)
        && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
    }
    var seen: Set<String> = []
    let senders = self.senders.filter { seen.insert($0).inserted }
    guard isName(app) else { throw .invalidParameters("app") }
    guard (1...Self.sendersMaximum).contains(senders.count), senders.allSatisfy(isName) else { throw .invalidSender }
    for (name, value) in [
      ("X-subtype", subtype), ("appid", instanceID), ("app_ver", appVersion), ("cert", certificate), ("scope", scope),
      ("platform", platform),
    ] {
      if let value, value.utf8.count > Self.nameBytesMaximum { throw .invalidParameters(name) }
    }
    return AppRegistration(
      app: app, senders: senders, subtype: subtype, instanceID: instanceID, scope: scope, platform: platform,
      appVersion: appVersion, certificate: certificate, relay: relay)
  }
}

extension InstallationCredentials {
  /// What is kept of the security token.
  var digest: [UInt8] {
    Array(SHA256.hash(data: withUnsafeBytes(of: securityToken.bigEndian, Array.init)))
  }
}

public struct InstallationCredentials: Sendable, Hashable {
  public let id: InstallationID
  public let securityToken: UInt64
  public init(id: InstallationID, securityToken: UInt64) {
    self.id = id
    self.securityToken = securityToken
  }
}

/// What a device says when it registers an app.
public struct RegistrationForm: Sendable, Equatable {
  public var app: String
  public var senders: [String]
  public var subtype: String?
  /// `appid`: 11 characters; nil for a registration without one, which is given one.
  public var instanceID: String?
  public var appVersion: String?
  public var platform: String
  /// SHA-1 of the app's signing certificate.
  public var certificate: String?
  public var scope: String?

  public init(app: String, senders: [String], subtype: String? = nil, instanceID: String? = nil, platform: String) {
    self.app = app
    self.senders = senders
    self.subtype = subtype
    self.instanceID = instanceID
    self.platform = platform
  }
}

/// The public half of what a browser page decrypts with. Spec: RFC 8291, 2.
public struct WebPushKeys: Sendable, Equatable {
  /// Uncompressed P-256 point, 65 bytes.
  public let publicKey: [UInt8]
  /// 16 bytes.
  public let authenticationSecret: [UInt8]
  public init(publicKey: [UInt8], authenticationSecret: [UInt8]) {
    self.publicKey = publicKey
    self.authenticationSecret = authenticationSecret
  }
}

public struct RegistrationInfo: Sendable, Equatable {
  public let app: String
  public let sender: String
  public let appVersion: String?
  public let platform: String
  public let certificate: String?
  public let scope: String?
  /// With the day on which each was added, `YYYY-MM-DD`.
  public let topics: [(name: String, addedOn: String)]
  public static func == (left: Self, right: Self) -> Bool {
    left.app == right.app && left.sender == right.sender && left.topics.map(\.name) == right.topics.map(\.name)
  }
}
