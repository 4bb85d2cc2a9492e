/// What application channels may cost. Queues are each session's own: ``SessionSettings``; requests': ``BayeuxLimits``.
public struct ChannelLimits: Sendable, Equatable {
  /// Channels and patterns at once that are subscribed to, or were published on a moment ago.
  public var channelsMaximum = 100_000
  /// Of these, those that one session is subscribed to.
  public var subscriptionsBySessionMaximum = 256
  /// The JSON text of what is published, and that of its `ext`.
  public var messageBytesMaximum = 65_536
  /// Between two sweeps; a channel that nobody is subscribed to outlives ``passesMaximum`` of them.
  public var sweepMilliseconds: Int64 = 997
  /// Spec: Bayeux reference, 3.
  public static let passesMaximum = 3
  /// How long a lazy message waits for something to ride on.
  public var lazyMilliseconds = 5_000
  /// Those who follow channels, and events that one may lag behind before it is ended: what waits is shared by all, and
  /// each may hold twice ``messageBytesMaximum``.
  public var followersMaximum = 32
  public var eventsWaitingMaximum = 1_024
  /// Sessions that get a message in one go, before others have their turn.
  public var deliveriesAtOnce = 64

  public init() {}
}
