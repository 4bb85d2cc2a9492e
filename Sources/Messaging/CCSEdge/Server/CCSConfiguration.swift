public import EdgeSecurity
public import NIOCore

/// How the XMPP server for app servers listens and what it allows. Spec: GCM C1.
public struct CCSConfiguration: Sendable {
  /// PEM files of a certificate chain and its private key.
  public struct TLS: Sendable, Equatable {
    public var certificateChainPath: String
    public var privateKeyPath: String

    public init(certificateChainPath: String, privateKeyPath: String) {
      self.certificateChainPath = certificateChainPath
      self.privateKeyPath = privateKeyPath
    }
  }

  public var host: String
  /// 0 takes any free port; `CCSServer.boundPort` tells which.
  public var port: Int
  /// TLS begins with the first byte. Nil: no TLS, for tests and behind a proxy that does it.
  public var tls: TLS?
  public var limits: CCSLimits
  /// What strangers may do, shared with the process's other ports.
  public var budgets = StrangerBudgets()
  /// What clients may call this server, beside `gcm.googleapis.com` and `fcm.googleapis.com`.
  public var domains: [String]
  /// The threads that serve connections; nil takes the process's shared ones.
  public var eventLoopGroup: (any EventLoopGroup)?

  public init(
    host: String = "127.0.0.1", port: Int = 5_235, tls: TLS? = nil, limits: CCSLimits = CCSLimits(),
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
