package import EdgeSecurity
package import EngineKit
package import Hummingbird
package import Logging
package import ServerKit

/// What every connection of one server shares.
package final class HTTPServices: Sendable {
  let settings: HTTPSettings
  /// Where requests are counted that have no other place.
  let otherSurface: HTTPSurface
  /// Where those are that become a WebSocket, or do not.
  let webSocketSurface: HTTPSurface
  /// Says whose a request is.
  package let identity: UserIdentity
  package let tokens: TokenStore
  let responder: RouterResponder<EdgeRequestContext>
  package let metrics: HTTPMetrics
  package let security: SecurityLog
  /// Of all ports of the process that share these budgets.
  package let guesses: GuessGuard
  package let securityFields: SecurityFields
  /// Requests that are polls and wait for their answer.
  package let heldPolls: OpenCount
  let connectionLimits: HTTPConnectionLimits
  let compressedAnswers = CompressedAnswers()
  package let logger: Logger
  /// Nil: nothing is ever written down.
  let accessLog: AccessLog?
  // Of the settings, what is looked at for each message.
  package let limits: EdgeLimits
  package let budgets: StrangerBudgets
  package let isTLS: Bool

  package init(
    _ settings: HTTPSettings, otherSurface: HTTPSurface, webSocketSurface: HTTPSurface, identity: UserIdentity,
    tokens: TokenStore, responder: RouterResponder<EdgeRequestContext>, metrics: HTTPMetrics, security: SecurityLog,
    guesses: GuessGuard, accessLog: AccessLog? = nil, logger: Logger
  ) {
    self.settings = settings
    self.otherSurface = otherSurface
    self.webSocketSurface = webSocketSurface
    self.identity = identity
    self.tokens = tokens
    self.responder = responder
    self.metrics = metrics
    heldPolls = metrics.heldPolls
    self.security = security
    self.guesses = guesses
    self.accessLog = accessLog
    self.logger = logger
    limits = settings.limits
    budgets = settings.budgets
    isTLS = settings.tls != nil
    connectionLimits = HTTPConnectionLimits(settings.limits)
    // Nobody believes it of an answer that came in the clear. Spec: RFC 6797, 7.2.
    securityFields = SecurityFields(
      strictTransportSeconds: isTLS ? settings.strictTransportSeconds : 0)
  }
}
