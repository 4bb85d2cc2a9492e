public import JSONEnvelope

/// What one body or frame may demand. Beyond that it is refused as a whole, unless it says otherwise.
public struct BayeuxLimits: Sendable, Equatable {
  public var json = JSONLimits(documentBytesMaximum: 1_048_576)
  /// Messages that are worked through; of a larger request each one is refused by itself, with its id.
  public var messagesMaximum = 64
  /// Messages that are read at all.
  public var messagesReadMaximum = 1_024
  /// Channels in one subscription, connection types in one handshake.
  public var listMaximum = 32
  /// The JSON text of an `id`, which we send back.
  public var idBytesMaximum = 128
  /// The JSON text of a `subscription`, which we send back.
  public var subscriptionBytesMaximum = 8_192

  public init() {}
}
