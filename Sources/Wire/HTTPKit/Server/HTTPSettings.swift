package import EdgeSecurity
package import NIOCore

/// How an HTTP server listens and what it allows.
package struct HTTPSettings: Sendable {
  /// The address to listen on. While there is no access token, the server listens on loopback whatever stands here.
  let host: String
  /// 0 takes any free port; `HTTPServer.boundPort` tells which.
  let port: Int
  /// Nil: plain HTTP.
  let tls: TLSFiles?
  /// The threads that serve connections; nil takes the process's shared ones.
  let eventLoopGroup: (any EventLoopGroup)?
  let limits: EdgeLimits
  let allowedOrigins: OriginPolicy
  let proxies: TrustedProxies
  /// How long browsers remember that this server speaks TLS; 0 does not tell them. Spec: RFC 6797.
  let strictTransportSeconds: Int
  /// What strangers may do; the process's other ports share it.
  let budgets: StrangerBudgets
  /// Where requests are counted that have no other place.
  let otherSurface: HTTPSurface
  /// Where those are that become a WebSocket, or do not.
  let webSocketSurface: HTTPSurface

  package init(
    host: String, port: Int, tls: TLSFiles?, eventLoopGroup: (any EventLoopGroup)?, limits: EdgeLimits,
    allowedOrigins: OriginPolicy, proxies: TrustedProxies, strictTransportSeconds: Int, budgets: StrangerBudgets,
    otherSurface: HTTPSurface, webSocketSurface: HTTPSurface
  ) {
    self.host = host
    self.port = port
    self.tls = tls
    self.eventLoopGroup = eventLoopGroup
    self.limits = limits
    self.allowedOrigins = allowedOrigins
    self.proxies = proxies
    self.strictTransportSeconds = strictTransportSeconds
    self.budgets = budgets
    self.otherSurface = otherSurface
    self.webSocketSurface = webSocketSurface
  }
}
