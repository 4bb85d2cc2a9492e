import EdgeSecurity
import Engine
import Logging

/// Messaging: devices that check in and register, and app servers that send to them. Spec: GCM B, D, E.
struct MessagingRoutes {
  let engine: Engine
  let tokens: TokenStore
  let limits: EdgeLimits
  let settings: MessagingEdgeSettings
  let guesses: GuessGuard
  let logger: Logger

  func add(to router: EdgeRoutes) {
    // For devices and browsers.
    CheckInRoutes(engine: engine, settings: settings).add(to: router)
    RegisterRoutes(engine: engine, guesses: guesses, logger: logger).add(to: router)
    InstallationRoutes(engine: engine, tokens: tokens).add(to: router)
    DeviceFormRoutes(engine: engine, settings: settings).add(to: router)
    // For app servers.
    InstanceIDRoutes(engine: engine, tokens: tokens, limits: limits).add(to: router)
    TopicSubscriptionRoutes(engine: engine, tokens: tokens).add(to: router)
    GroupRoutes(engine: engine, tokens: tokens, limits: limits).add(to: router)
    WebPushRoutes(engine: engine, tokens: tokens, settings: settings).add(to: router)
    AccessTokenRoutes(tokens: tokens, limits: limits).add(to: router)
    // For those who watch and test; messages themselves are sent past the router, by `SendEndpoint`.
    SenderFaultRoutes(engine: engine, tokens: tokens, limits: limits).add(to: router)
    MessageStreamRoutes(engine: engine, tokens: tokens).add(to: router)
  }
}
