import EdgeSecurity
import Engine
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServerKit

/// What every connection of one server shares.
final class EdgeServices: Sendable {
  let engine: Engine
  let tokens: TokenStore
  /// Says whose a request is.
  let identity: UserIdentity
  let configuration: EdgeConfiguration
  let responder: RouterResponder<EdgeRequestContext>
  /// Takes app servers' messages, past the router.
  let sending: SendEndpoint
  let metrics: EdgeMetrics
  let securityFields: SecurityFields
  let budgets: StrangerBudgets
  /// Of all ports of the process that share these budgets.
  let guesses: GuessGuard
  /// Requests of the Comet endpoint that wait for their answer.
  let heldPolls = OpenCount(EdgeMetricKeys.keys.heldPolls)
  let connectionLimits: HTTPConnectionLimits
  let logger: Logger

  var limits: EdgeLimits { configuration.limits }
  var isTLS: Bool { configuration.tls != nil }

  init(
    engine: Engine, tokens: TokenStore, configuration: EdgeConfiguration, exposition: @escaping @Sendable () -> String,
    logger: Logger
  ) {
    self.engine = engine
    self.tokens = tokens
    self.configuration = configuration
    identity = UserIdentity(
      configuration.identity, proxies: configuration.proxies, limits: configuration.limits, now: configuration.now,
      security: engine.security, logger: logger
    ) { [chats = engine.chats] in chats.isGuestKey($0) }
    self.logger = logger
    metrics = EdgeMetrics()
    connectionLimits = HTTPConnectionLimits(configuration.limits)
    // Nobody believes it of an answer that came in the clear. Spec: RFC 6797, 7.2.
    securityFields = SecurityFields(
      strictTransportSeconds: configuration.tls == nil ? 0 : configuration.strictTransportSeconds)
    budgets = configuration.budgets
    guesses = GuessGuard(engine.security, budgets)
    sending = SendEndpoint(messaging: engine.messaging, tokens: tokens)
    responder = EdgeRouter(
      engine: engine, tokens: tokens, limits: configuration.limits, messaging: configuration.messaging,
      provesUsers: configuration.identity.provesUsers, verifyIdentity: configuration.verifyIdentity, guesses: guesses,
      version: configuration.version, exposition: exposition, logger: logger
    ).responder()
  }

  /// Whether `authorization` opens the Comet endpoint: the server's own pair does, and in its place an end user's access
  /// token. Spec: GMS 2.5; support requests 6.2.
  func opensServer(_ authorization: String?) -> Bool {
    guard let pair = engine.options.current.credentials() else { return true }
    if let credentials = BasicCredentials(authorization: authorization) {
      return credentials.matches(BasicCredentials(username: pair.username, password: pair.password))
    }
    return TokenStore.bearer(of: authorization).flatMap { engine.support.endUser(bearing: $0) } != nil
  }
}
