public import EdgeSecurity
public import NIOCore

/// How devices' connections are listened for, and what they may take.
public struct MCSConfiguration: Sendable {
  public var host: String
  /// 0 takes any free port; `MCSServer.boundPort` tells which. Spec: GCM D6.1 has 5228.
  public var port: Int
  /// Nil: plain, for tests and behind something that ends TLS.
  public var tls: TLSFiles?
  public var limits: DeviceEdgeLimits
  /// What strangers may do, shared with the process's other ports.
  public var budgets = StrangerBudgets()
  /// The threads that serve connections; nil takes the process's shared ones.
  public var eventLoopGroup: (any EventLoopGroup)?

  public init(
    host: String = "127.0.0.1", port: Int = 5228, tls: TLSFiles? = nil, limits: DeviceEdgeLimits = DeviceEdgeLimits(),
    eventLoopGroup: (any EventLoopGroup)? = nil
  ) {
    self.host = host
    self.port = port
    self.tls = tls
    self.limits = limits
    self.eventLoopGroup = eventLoopGroup
  }
}
