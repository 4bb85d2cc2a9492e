public import Bayeux

/// What somebody publishes on an application channel.
public struct PublishedMessage: Sendable, Equatable {
  public let channel: String
  /// JSON text.
  public internal(set) var data: [UInt8]
  /// JSON text of what the publisher wants others to see of its `ext`.
  public let ext: [UInt8]?
  /// The client; nil for a back end.
  public let publisher: ChannelParty?
}

/// A session on application channels, as back ends and handlers see it: its clientId is nobody's but the client's.
public struct ChannelParty: Sendable, Equatable {
  /// Of this process: not used again for another session.
  public let member: ChannelMember
  /// Its `gms_user`, or the reserved key of the user who came by an access token; nil for nobody's.
  public let userKey: String?
  public let standing: ChannelStanding
}

/// What code of this process makes of a message, before anybody gets it.
public enum ChannelVerdict: Sendable, Equatable {
  /// It goes on.
  case passes
  /// It goes on with other data, a JSON text.
  case replaced([UInt8])
  /// It goes on, and the client who published it gets these events on the same channel, each data a JSON text.
  case answered([[UInt8]])
  /// Nobody gets it; the publisher is told `404::message_deleted`.
  case refused
}

extension ApplicationChannels {
  /// Hears what clients publish. Called for one message of a client after the other: what takes long holds that client up.
  public typealias Handler = @Sendable (PublishedMessage) async -> ChannelVerdict
}
