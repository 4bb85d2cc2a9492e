package import ChatEngine
package import CometEngine
import Crypto
package import EngineKit
import EntityRuntime
import EventSourcing
import Logging
import OptionKit
import PushDomain
package import PushEngine
package import StorageEngine
import SupportDomain

/// Support requests, their people and devices, for apps, agents and operators. Each call returns once what it did is
/// durable. Spec: support requests.
///
/// ```
///   comment ─> SupportRequest ─ publish ──> open streams of its requester
///                  │  ▲  └──── duty ──────> PushQueue ─> SupportCourier ─> webhook, Airship
///                  │  └─ refreshed, due            └───> (direct) APNs, FCM
///   register ─> SupportUser ── devices ─────────────────────┘
/// ```
public final class SupportService: Sendable {
  let requests: EntityDirectory<SupportRequest>
  let users: EntityDirectory<SupportUser>
  let apps: EntityDirectory<SupportApp>
  let index: SupportIndex
  let webhooks: SupportWebhooks
  let options: OptionStore
  let settings: SupportSettings
  let dispatcher: PushDispatcher
  let comet: CometGateway
  let chats: ChatService
  let storage: StorageService
  let feed: AgentFeed
  let timers: KeyedTimers<SupportTimer>
  let tasks: TaskPool
  let identifiers: Identifiers
  let context: RuntimeContext
  let limits: EngineLimits
  let metrics: SupportMetrics
  let logger: Logger

  package init(
    _ partitions: Partitions, dispatcher: PushDispatcher, providers: @escaping ProviderLookUp, chats: ChatService,
    comet: CometGateway, storage: StorageService, feed: AgentFeed
  ) {
    let node = partitions.node
    requests = partitions.directory(.supportRequest)
    users = partitions.directory(.supportUser)
    apps = partitions.directory(.supportApp)
    timers = partitions.timers()
    options = node.options
    settings = SupportSettings(options, keeps: { $0 != nil }) { SupportAppSettings($1, $0) }
    index = SupportIndex { [settings] device in
      settings[device.app]?.directAddress(of: device.key).map { DeviceKey.of($0) }
    }
    webhooks = SupportWebhooks(
      options: options, pushOptions: dispatcher.optionCache, settings: settings, providers: providers)
    self.dispatcher = dispatcher
    self.comet = comet
    self.chats = chats
    self.storage = storage
    self.feed = feed
    tasks = node.tasks
    identifiers = node.identifiers
    context = partitions.context
    limits = node.limits
    metrics = SupportMetrics()
    logger = node.logger
    // People first: requests name them.
    partitions.add(SupportUserHost(service: self))
    partitions.add(SupportRequestHost(service: self))
    partitions.add(SupportAppHost(service: self))
    dispatcher.producers.register(self)
    dispatcher.couriers.add(SupportCourier(self))
    comet.serve(SupportStreams(service: self))
  }

  /// Before the number of a request, in the names of pushes' producers.
  static let prefix = "request/"
  /// For the look-up of options.
  package static let tag = "support.comment"
  package static let eventTag = "support.event"

  /// Whom pushes are for, as queues know it, and Comet sessions.
  static func ownerName(_ user: Int64) -> String { ReservedUserKey.of(user) }

  var current: SupportLimits { SupportLimits(options.current) }

  // MARK: Apps

  /// Nil if no app of this client id is configured.
  public func app(_ clientID: String) -> SupportAppSettings? { settings[clientID] }

  /// By the id that the SDK asks with.
  public func app(id: String) -> SupportAppSettings? {
    options.current.supportApps.lazy.compactMap { self.app($0) }.first { $0.appID == id }
  }

  // MARK: Identity

  /// - Parameter guid: nil makes a new user.
  /// - Returns: the secret of an access token.
  public func signIn(
    anonymous guid: String?, name: String?, email: String?, app: String
  ) async throws(SupportFailure) -> String {
    guard let settings = self.app(app) else { throw .unknownApp }
    guard settings.identity == .anonymous else { throw .identityMismatch }
    let guid = guid ?? identifiers.uuid()
    try check(guid, "user.sdk_guid", 1...Self.nameBytesMaximum)
    let identity = SupportIdentity(key: .anonymous(app: app, guid: guid), name: name, email: email)
    return try await signIn(identity, usedID: nil, app: app)
  }

  /// Somebody for whom the app's back end vouches. - Parameter id: of the back end's token, which counts once.
  public func signIn(
    externalID: String?, name: String, email: String, tokenID id: String, app: String
  ) async throws(SupportFailure) -> String {
    guard let settings = self.app(app) else { throw .unknownApp }
    guard settings.identity == .jwt else { throw .identityMismatch }
    try check(id, "jti", 1...Self.nameBytesMaximum)
    if let externalID { try check(externalID, "external_id", 1...Self.nameBytesMaximum) }
    try check(email, "email", 3...Self.nameBytesMaximum)
    let key = externalID.map { "external:\($0)" } ?? "email:\(email.lowercased())"
    let used = SupportUser.UsedID(id: id, until: context.time.now.advanced(by: Self.usedIDsKept))
    let identity = SupportIdentity(key: .verified(key), name: name, email: email)
    return try await signIn(identity, usedID: used, app: app)
  }

  /// Spec: support requests 2, `jti`.
  private static let usedIDsKept = Duration.seconds(86_400)
  /// Bytes of names, e-mails and ids.
  static let nameBytesMaximum = 256

  private func signIn(
    _ identity: SupportIdentity, usedID: SupportUser.UsedID?, app: String
  ) async throws(SupportFailure) -> String {
    if let name = identity.name { try check(name, "user.name", 0...Self.nameBytesMaximum) }
    if let email = identity.email { try check(email, "user.email", 0...Self.nameBytesMaximum) }
    let secret = identifiers.secureKey()
    let token = SupportAccessToken(digest: Self.digest(of: secret), app: app, issuedAt: context.time.now)
    let user = try entity(of: identity.key)
    let uses = index.uses(of: Int64(user.id.key) ?? 0)
    try await perform(.signIn(identity, token, usedID: usedID, uses: uses, limits: current.user), on: user) { _ in }
    return secret
  }

  /// Nil for a token that opens nothing (any more). It counts as a use of the token: see `SupportUserCommand.signIn`.
  public func endUser(bearing token: String) -> SupportActor? {
    let digest = Self.digest(of: token)
    guard let bearer = index.bearer(of: digest, now: context.time.now, noting: Self.useNoted) else { return nil }
    if bearer.isToNote {
      let key = String(bearer.user)
      // Nobody waits for it, and it is worth no sync of its own.
      context.lanes[EntityID(.supportUser, key).hashValue].enqueue { [users] in
        await users[key]?.post(.noteUse(digest: digest), lazy: true)
      }
    }
    return .endUser(number: bearer.user, app: bearer.app)
  }

  /// A token's use is offered to its user so often; the user records one a day.
  private static let useNoted = Duration.seconds(3_600)

  /// The agent who holds a token of this name. - Parameter services: apps and services that the token names; nil for all.
  public func agent(
    named name: String, services: Set<String>? = nil
  ) async throws(SupportFailure) -> SupportActor {
    let key = SupportIdentity.Key.agent(name)
    let known = index.number(of: key).flatMap { index[user: $0]?.identity }
    let identity = SupportIdentity(
      key: key, name: options.current.section(.supportAgents).text(of: name) ?? known?.name)
    let user = try entity(of: key)
    if known != identity { try await perform(.identify(identity), on: user) { _ in } }
    return .agent(number: Int64(user.id.key) ?? 0, services: services)
  }

  /// What an app is configured for, and what its user has, must be of one kind. Every call of an end user's asks.
  /// Spec: support requests 2.
  public func admit(_ actor: SupportActor) throws(SupportFailure) {
    guard case .endUser(let number, let app) = actor else { return }
    guard let settings = self.app(app) else { throw .unknownApp }
    switch (index[user: number]?.identity?.key, settings.identity) {
    case (.anonymous, .anonymous), (.verified, .jwt): break
    case (nil, _): throw .notFound
    default: throw .identityMismatch
    }
  }

  // MARK: Parts

  func entity(of key: SupportIdentity.Key) throws(SupportFailure) -> Entity<SupportUser> {
    let number = index.claim(key)
    guard let user = users.entity(String(number), limit: limits.supportUsersMaximum) else {
      index.release(key, number)
      throw .limitReached("support_users")
    }
    return user
  }

  func perform<Reply: Sendable>(
    _ command: SupportUserCommand, on user: Entity<SupportUser>, reply: @Sendable (borrowing SupportUser) -> Reply
  ) async throws(SupportFailure) -> Reply {
    do throws(TurnError<SupportUserRejection>) { return try await user.perform(command, reply: reply) } catch {
      switch error {
      case .rejected(.unknown): throw .notFound
      case .rejected(.replayed): throw .replayed
      default: throw SupportFailure(error)
      }
    }
  }

  func check(_ text: String, _ field: String, _ bounds: ClosedRange<Int>) throws(SupportFailure) {
    guard !text.isEmpty || bounds.contains(0) else { throw .missing(field: field) }
    guard bounds.contains(text.utf8.count) else {
      throw .invalid(field: field, reason: "has not \(bounds.lowerBound) to \(bounds.upperBound) bytes")
    }
    guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
      throw .invalid(field: field, reason: "holds control characters")
    }
  }

  func untilDurable() async throws(SupportFailure) {
    do throws(EventLogError) { try await context.untilDurable() } catch {
      throw error == .failed ? .unavailable : .limitReached("journal")
    }
  }

  static func digest(of secret: String) -> [UInt8] { Array(SHA256.hash(data: Array(secret.utf8))) }
}

enum SupportTimer: Hashable, Sendable {
  case alarm
}

extension SupportFailure {
  /// What is no rejection.
  init<Rejection>(_ error: TurnError<Rejection>) {
    self =
      switch error {
      case .rejected, .failed: .unavailable
      case .overloaded: .limitReached("journal")
      case .tooLarge: .limitReached("journal record")
      case .storageFull: .storageFull
      }
  }

  init(_ failure: StorageFailure) {
    self =
      switch failure {
      case .unknown, .unknownKey, .unknownInstance: .notFound
      case .invalid(let field, let reason): .invalid(field: field, reason: reason)
      case .tooLarge(let limit): .tooLarge(limit: limit)
      case .full: .storageFull
      case .quota(let what, let limit, let holder): .quota(what, limit: limit, of: holder)
      case .limitReached(let name): .limitReached(name)
      case .damaged, .unavailable: .unavailable
      }
  }
}
