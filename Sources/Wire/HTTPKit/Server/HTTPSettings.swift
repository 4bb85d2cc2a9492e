public import EdgeSecurity
public import NIOCore

/// How an HTTP server listens and what it allows.
public struct HTTPSettings: Sendable {
  /// The address to listen on. While there is no access token, the server listens on loopback whatever stands here.
  public var host: String
  /// 0 takes any free port; `HTTPServer.boundPort` tells which.
  public var port: Int
  /// Nil: plain HTTP.
  public var tls: TLSFiles?
  public var limits: EdgeLimits
  /// Option `allowed_origins` of section `server`.
  public var allowedOrigins: OriginPolicy
  /// Whose pages may use what agents and operators use: option `console.allowed_origins` of section `server`.
  public var staffOrigins = OriginPolicy.none
  /// Options `proxy.trusted` and `proxy.header` of section `server`.
  public var proxies = TrustedProxies.none
  /// How long browsers remember that this server speaks TLS; 0 does not tell them. Spec: RFC 6797.
  public var strictTransportSeconds = 0
  /// Whether TLS offers HTTP/2: option `http2` of section `server`.
  public var offersHTTP2 = true
  /// Whether clients may begin with HTTP/2 where there is no TLS: option `http2.cleartext` of section `server`.
  public var takesHTTP2InClear = false
  /// What strangers may do: options `budget.…` of section `server`; the process's other ports share them.
  public var budgets = StrangerBudgets()
  /// The threads that serve connections; nil takes the process's shared ones.
  public var eventLoopGroup: (any EventLoopGroup)?

  public init(
    host: String = "127.0.0.1", port: Int = 8080, tls: TLSFiles? = nil, limits: EdgeLimits = EdgeLimits(),
    allowedOrigins: OriginPolicy = .none, eventLoopGroup: (any EventLoopGroup)? = nil
  ) {
    self.host = host
    self.port = port
    self.tls = tls
    self.limits = limits
    self.allowedOrigins = allowedOrigins
    self.eventLoopGroup = eventLoopGroup
  }

  /// Whose pages may use a part of the server.
  func origins(on surface: HTTPSurface) -> OriginPolicy {
    surface.isForCustomers ? allowedOrigins : surface.isForStaff ? staffOrigins : .none
  }
}
