public import EdgeSecurity
public import NIOCore

/// How the XMPP server for app servers listens and what it allows. Spec: GCM C1.
public struct CCSConfiguration: Sendable {
  public var host: String
  /// 0 takes any free port; `CCSServer.boundPort` tells which.
  public var port: Int
  /// TLS begins with the first byte. Nil: no TLS, for tests and behind a proxy that does it.
  public var tls: TLSFiles?
  public var limits: CCSLimits
  /// What strangers may do, shared with the process's other ports.
  public var budgets = StrangerBudgets()
  /// What clients may call this server, beside `gcm.googleapis.com` and `fcm.googleapis.com`.
  public var domains: [String]
  /// The threads that serve connections; nil takes the process's shared ones.
  public var eventLoopGroup: (any EventLoopGroup)?

  public init(
    host: String = "127.0.0.1", port: Int = 5_235, tls: TLSFiles? = nil, limits: CCSLimits = CCSLimits(),
    domains: [String] = [], eventLoopGroup: (any EventLoopGroup)? = nil
  ) {
    self.host = host
    self.port = port
    self.tls = tls
    self.limits = limits
    self.domains = domains
    self.eventLoopGroup = eventLoopGroup
  }
}
