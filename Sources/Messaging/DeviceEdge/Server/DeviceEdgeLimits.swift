public import MCSProtocol

/// Every bound of the devices' connections, in one place.
public struct DeviceEdgeLimits: Sendable, Equatable {
  /// What the protocol itself bounds.
  public var session = MCSLimits()
  /// Open connections; beyond it a new one is closed at once.
  public var connectionsMaximum = 16_000
  /// Of these, from one address. Loopback is exempt: whoever is there speaks for many, such as a proxy.
  public var connectionsPerAddressMaximum = 1_000
  /// Of these, not logged in yet: bounds the handshakes and the login requests that are under way.
  public var anonymousConnectionsMaximum = 4_000
  /// Bytes that may wait to be written on one connection; a client that reads slower is dropped.
  public var backlogBytesMaximum = 2_097_152
  /// From the last word of ours to the end of the connection.
  public var closeTimeout: Duration = .seconds(5)
  /// How long a peer may leave bytes of ours unconfirmed before TCP gives it up.
  public var deadPeerTimeout: Duration = .seconds(60)
  /// What a stopping server grants its clients to read their `Close`.
  public var shutdownGrace: Duration = .seconds(5)

  public init() {}
}

extension DeviceEdgeLimits {
  /// The smallest and the largest read buffer.
  static let readBufferBytes = (initial: 512, maximum: 8_192)
}
