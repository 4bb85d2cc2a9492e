/// The limits of a server's connections, once for all of them: each connection refers to them and keeps no copy.
public final class SharedMCSLimits: Sendable {
  public let limits: MCSLimits

  public init(_ limits: MCSLimits) { self.limits = limits }
}
