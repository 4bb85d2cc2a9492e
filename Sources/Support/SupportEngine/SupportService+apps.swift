import EngineKit
import EntityRuntime
import EventSourcing
import Logging
import SupportDomain

// Apps, for operators. Spec: support requests 3.4, 5.2.
extension SupportService {
  public func apps() async throws(SupportFailure) -> [SupportAppView] {
    var views: [SupportAppView] = []
    for client in options.current.supportApps { if let view = await view(of: client) { views.append(view) } }
    try await untilDurable()
    return views
  }

  /// - Parameters:
  ///   - base: nil keeps the base that there is.
  ///   - isRandom: a path component that nobody can guess is appended.
  ///   - overlap: how long the receiver is to accept the URL before it.
  ///   - by: the name of the operator's token.
  public func setWebhook(
    of client: String, base: String?, isRandom: Bool, overlap: Duration, by: String
  ) async throws(SupportFailure) -> SupportAppView {
    guard let settings = app(client) else { throw .notFound }
    let known = await apps[client]?.peek { $0.webhook?.base }
    guard let base = base ?? known ?? settings.webhookURL else { throw .missing(field: "url") }
    try check(base, "url", 8...1_900)
    guard base.hasPrefix("https://") || (settings.isTest && base.hasPrefix("http://")) else {
      throw .invalid(field: "url", reason: settings.isTest ? "is no http or https URL" : "is no https URL")
    }
    guard !isRandom || !base.contains(where: { $0 == "?" || $0 == "#" }) else {
      throw .invalid(field: "url", reason: "has a query: nothing can be appended to its path")
    }
    if let objection = await webhooks.objection(to: base, settings) {
      throw .invalid(field: "url", reason: "cannot be posted to: \(objection)")
    }
    let secret = isRandom ? identifiers.pathSecret() : nil
    let former = webhooks.url(of: settings)
    try await perform(
      .setWebhook(base: base, secret: secret, by: by, replacing: former, overlap: overlap), of: client)
    return try await durableView(of: client)
  }

  /// Back to the configuration's own.
  public func clearWebhook(of client: String, by: String) async throws(SupportFailure) -> SupportAppView {
    guard app(client) != nil else { throw .notFound }
    try await perform(.clearWebhook(by: by), of: client)
    return try await durableView(of: client)
  }

  /// Options have been read: which integrations are in use is for the record. Spec: `IntegrationChanged`.
  public func configured() async {
    index.refreshQueues()
    for client in options.current.supportApps {
      guard let integration = app(client)?.integration, let entity = apps.entity(client) else { continue }
      await entity.post(.configured(integration))
      webhooks.note(await entity.peek { $0.webhook }, of: client)
    }
    // A name server may take its time: nobody waits for it.
    _ = tasks.spawn { await self.warnOfRefusedURLs() }
  }

  /// A URL that cannot be posted to is told of when it is read, and not only by its first notification.
  private func warnOfRefusedURLs() async {
    for client in options.current.supportApps {
      guard let settings = app(client), settings.integration == .webhook, let url = webhooks.url(of: settings),
        let objection = await webhooks.objection(to: url, settings)
      else { continue }
      logger.warning("notifications cannot be posted", metadata: ["app": "\(client)", "reason": "\(objection)"])
    }
  }

  /// Brings the gauges up to date.
  public func report() {
    let integrations = Dictionary(
      uniqueKeysWithValues: options.current.supportApps.map { ($0, app($0)?.integration) })
    metrics.report(index.requestCounts, devices: index.deviceCounts, integrations)
  }

  // MARK: Parts

  private func perform(_ command: SupportAppCommand, of client: String) async throws(SupportFailure) {
    guard let entity = apps.entity(client) else { throw .unavailable }
    do { try await entity.perform(command) { _ in } } catch { throw SupportFailure(error) }
  }

  private func durableView(of client: String) async throws(SupportFailure) -> SupportAppView {
    guard let view = await view(of: client) else { throw .notFound }
    try await untilDurable()
    return view
  }

  private func view(of client: String) async -> SupportAppView? {
    guard let settings = app(client) else { return nil }
    let (webhook, previous) = await apps[client]?.peek { ($0.webhook, $0.previous) } ?? (nil, nil)
    let now = context.time.now
    let valid = previous.flatMap { $0.until > now ? $0 : nil }
    let counts = index.deviceCounts[client] ?? [:]
    let fitting = settings.integration.map { counts[$0.address] ?? 0 } ?? 0
    return SupportAppView(
      id: client, settings: settings, webhookURL: webhook?.url ?? settings.webhookURL, previousURL: valid?.url,
      previousUntil: valid?.until, rotatedAt: webhook?.at, rotatedBy: webhook?.by, devices: fitting,
      staleDevices: counts.values.reduce(0, +) - fitting)
  }

  func perform(_ effects: [SupportAppEffect], of app: Entity<SupportApp>) async {
    webhooks.note(await app.peek { $0.webhook }, of: app.id.key)
  }

  /// Those of a user's devices that can be reached now, in the order of their ids.
  func liveDevices(_ ids: [Int], of user: Int64) async -> [SupportDevice] {
    let devices = await users[String(user)]?.peek { user in ids.compactMap { user[device: $0] } } ?? []
    #if CARILLON_CANARIES
      if Canary.sings(.unregisteredStillTold) { return devices }
    #endif
    return devices.filter { $0.isLive && index.owner(of: $0.key)?.user == user }.sorted { $0.id < $1.id }
  }
}
