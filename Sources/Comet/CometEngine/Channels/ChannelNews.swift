package import EventSourcing

/// Something that happened on application channels, for back ends that listen.
package struct ChannelNews: Sendable, Equatable {
  package enum Kind: String, Sendable, CaseIterable {
    /// Somebody has published; on a service channel only handlers and those who listen get it.
    case message
    /// A session has subscribed, to a channel or a pattern.
    case joined
    /// It is not subscribed any more: it said so, has ended, or the rule that let it is gone.
    case left
  }

  package let at: Timestamp
  package let kind: Kind
  /// For `joined` and `left` what was subscribed to.
  package let channel: String
  /// Nil for a message of a back end.
  package let party: ChannelParty?
  /// Of a message: JSON text.
  package let data: [UInt8]?
  package let ext: [UInt8]?
}
