public import JSONEnvelope

/// What one body or frame may demand. Beyond that it is refused as a whole.
public struct BayeuxLimits: Sendable, Equatable {
  public var json = JSONLimits(documentBytesMaximum: 1_048_576)
  public var messagesMaximum = 64
  /// Channels in one subscription, connection types in one handshake.
  public var listMaximum = 32
  /// The JSON text of an `id`, which we send back.
  public var idBytesMaximum = 128
  /// The JSON text of a `subscription`, which we send back.
  public var subscriptionBytesMaximum = 8_192

  public init() {}
}
