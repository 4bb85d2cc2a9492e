import AgentEdge
import ChatAPI
import CometEdge
import ConsoleAPI
import DeviceEdge
import EdgeSecurity
import Engine
import Logging

/// The whole of what one server answers with.
final class EdgeServices: Sendable {
  let engine: Engine
  let services: HTTPServices
  let console: ConsoleSettings
  let comet: CometEndpoint
  let deviceSocket: DeviceSocketEndpoint
  let agentSocket: AgentSocketEndpoint
  /// Does what agents ask for, past the router.
  let agentActs: AgentActEndpoint
  /// Takes app servers' messages, past the router.
  let sending: SendEndpoint
  /// Takes its samples for as long as the server is there.
  let recorder: OverviewRecorder

  init(
    engine: Engine, tokens: TokenStore, configuration: EdgeConfiguration, exposition: MetricsExposition.Source?,
    logger: Logger
  ) {
    self.engine = engine
    console = configuration.console
    let tokens = console.isEnabled ? TokenStore(tokens, opening: engine.console) : tokens
    engine.agents.follow(tokens)
    let identity = UserIdentity(
      configuration.identity, proxies: configuration.proxies, limits: configuration.limits, now: configuration.now,
      security: engine.security, logger: logger
    ) { [chats = engine.chats] in chats.isGuestKey($0) }
    let guesses = GuessGuard(engine.security, configuration.budgets)
    let metrics = HTTPMetrics(surfaces: Surface.allCases.map(\.name), routes: EdgeRouter.routes)
    recorder = OverviewRecorder(engine: engine, metrics: metrics)
    let openID = OpenIDSignIn(
      limits: configuration.openIDLimits, security: engine.security, now: configuration.now
    ) { [options = engine.options] in options.current }
    let router = EdgeRouter(
      engine: engine, tokens: tokens, limits: configuration.limits, messaging: configuration.messaging,
      provesUsers: configuration.identity.provesUsers, verifyIdentity: configuration.verifyIdentity, guesses: guesses,
      configuration: configuration.inForce, recorder: recorder, version: configuration.version, exposition: exposition,
      logger: logger, openID: openID, console: console)
    services = HTTPServices(
      configuration.http, otherSurface: Surface.other.place, webSocketSurface: Surface.webSocket.place,
      identity: identity, tokens: tokens, responder: router.responder(),
      metrics: metrics, security: engine.security, guesses: guesses, accessLog: configuration.accessLog,
      logger: logger)
    comet = CometEndpoint(gateway: engine.comet) { engine.opensComet($0) }
    deviceSocket = DeviceSocketEndpoint(messaging: engine.messaging)
    agentSocket = AgentSocketEndpoint(routes: router.agentRoutes, acts: router.agentActs)
    agentActs = AgentActEndpoint(routes: router.agentRoutes, acts: router.agentActs)
    sending = SendEndpoint(messaging: engine.messaging, tokens: tokens)
    recorder.run()
  }
}

extension Engine {
  /// Whether `authorization` opens the Comet endpoint: the server's own pair does, and in its place an end user's access
  /// token. Spec: GMS 2.5; support requests 6.2.
  fileprivate func opensComet(_ authorization: String?) -> Bool {
    guard let pair = options.current.credentials() else { return true }
    if let credentials = BasicCredentials(authorization: authorization) {
      return credentials.matches(BasicCredentials(username: pair.username, password: pair.password))
    }
    return TokenStore.bearer(of: authorization).flatMap { support.endUser(bearing: $0) } != nil
  }
}
