import Engine
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// What every connection of one server shares.
final class EdgeServices: Sendable {
  let engine: Engine
  let tokens: TokenStore
  let configuration: EdgeConfiguration
  let responder: RouterResponder<EdgeRequestContext>
  /// Takes app servers' messages, past the router.
  let sending: SendEndpoint
  let metrics: EdgeMetrics
  /// Watched by the shutdown.
  let connections = OpenCount(label: "carillon_http_connections")
  /// Requests of the Comet endpoint that wait for their answer.
  let heldPolls = OpenCount(label: "carillon_http_held_polls")
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
    self.logger = logger
    metrics = EdgeMetrics()
    sending = SendEndpoint(engine: engine, tokens: tokens)
    responder = EdgeRouter(
      engine: engine, tokens: tokens, limits: configuration.limits, messaging: configuration.messaging,
      verifyIdentity: configuration.verifyIdentity, exposition: exposition, logger: logger
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
