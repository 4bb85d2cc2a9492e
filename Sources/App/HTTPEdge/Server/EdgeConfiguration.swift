public import EdgeSecurity
import EntityRuntime
import EventSourcing
public import NIOCore
public import SupportAPI

/// How the HTTP edge listens and what it allows.
public struct EdgeConfiguration: Sendable {
  /// The address to listen on. While there is no access token, the server listens on loopback whatever stands here.
  public var host: String
  /// 0 takes any free port; `HTTPServer.boundPort` tells which.
  public var port: Int
  /// Nil: plain HTTP.
  public var tls: TLSFiles?
  public var limits: EdgeLimits
  /// Option `allowed_origins` of section `server`.
  public var allowedOrigins: OriginPolicy
  /// Options `identity` and `identity.…` of section `server`.
  public var identity = IdentityPolicy.open
  /// Options `proxy.trusted` and `proxy.header` of section `server`.
  public var proxies = TrustedProxies.none
  /// How long browsers remember that this server speaks TLS; 0 does not tell them. Spec: RFC 6797.
  public var strictTransportSeconds = 0
  /// Options `budget.…` of section `server`; the process's other ports share them.
  public var budgets = StrangerBudgets()
  public var messaging: MessagingEdgeSettings
  /// Asks apps' back ends who their users are; without one, nobody of theirs can sign in. Spec: support requests 2.
  public var verifyIdentity: SupportIdentityVerifier
  /// The clock that users' tokens are judged by.
  var now: @Sendable () -> Timestamp = { SystemTime().now }
  /// The server's version, which its description names.
  public var version = "0"
  /// The threads that serve connections; nil takes the process's shared ones.
  public var eventLoopGroup: (any EventLoopGroup)?

  public init(
    host: String = "127.0.0.1", port: Int = 8080, tls: TLSFiles? = nil, limits: EdgeLimits = EdgeLimits(),
    allowedOrigins: OriginPolicy = .none, messaging: MessagingEdgeSettings = MessagingEdgeSettings(),
    verifyIdentity: @escaping SupportIdentityVerifier = Self.verifiesNobody,
    eventLoopGroup: (any EventLoopGroup)? = nil
  ) {
    self.host = host
    self.port = port
    self.tls = tls
    self.limits = limits
    self.allowedOrigins = allowedOrigins
    self.messaging = messaging
    self.verifyIdentity = verifyIdentity
    self.eventLoopGroup = eventLoopGroup
  }

  public static let verifiesNobody: SupportIdentityVerifier = { (_, _) async throws(SupportIdentityFailure) in
    throw .unreachable(retryAfter: nil)
  }
}
