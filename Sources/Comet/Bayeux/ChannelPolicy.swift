/// Which channels a client may subscribe to.
///
/// There is one application channel. A session must not listen in on others, so besides that channel only the patterns
/// that cover everything are open, and what the caller allows this one session. Spec: GMS 4.4; support requests 6.2.
public struct ChannelPolicy: Sendable, Equatable {
  /// Where events are sent.
  public let eventChannel: String

  public init(eventChannel: String = "/_genesys") {
    precondition(ChannelName.isValid(eventChannel), "The event channel must be a valid channel name.")
    self.eventChannel = eventChannel
  }

  /// What working through a `/meta/subscribe` or `/meta/unsubscribe` came to.
  public struct Outcome: Sendable, Equatable {
    /// The channels to add to, or to take from, the session's subscriptions.
    public var channels: [String] = []
    /// The first refusal; those before it stand.
    public var error: BayeuxError?

    public init(channels: [String] = [], error: BayeuxError? = nil) {
      self.channels = channels
      self.error = error
    }
  }

  /// Works through the subscription of a message in order and stops at the first refusal.
  /// - Parameter allowed: channels and patterns that this session may subscribe to as well.
  public func subscribe(_ message: BayeuxMessage, alsoTo allowed: Set<String> = []) -> Outcome {
    workThrough(message, allowed, otherwise: .subscribeDenied)
  }

  /// Channels that nobody can be subscribed to are not known here. Spec: Bayeux 1.0, unsubscribe.
  /// - Parameter followed: what this session is subscribed to.
  public func unsubscribe(_ message: BayeuxMessage, alsoFrom followed: Set<String> = []) -> Outcome {
    workThrough(message, followed, otherwise: .channelMissing)
  }

  /// Whether a session with these subscriptions gets the events. One copy, however many of them match.
  public func receivesEvents(_ subscriptions: some Sequence<String>) -> Bool {
    subscriptions.contains { ChannelName.matches(pattern: $0, channel: eventChannel) }
  }

  /// Why a client may not publish: on every channel that the caller does not take itself. Spec: GMS 4.8; Bayeux
  /// reference, decision 12.
  public func refusalOfPublish(to channel: String) -> BayeuxError {
    ChannelName.isValid(channel) ? .publishDenied : .channelInvalid
  }

  private func workThrough(
    _ message: BayeuxMessage, _ allowed: Set<String>, otherwise refusal: BayeuxError
  ) -> Outcome {
    guard message.subscriptionText != nil else { return Outcome(error: .subscriptionMissing) }
    guard let wanted = message.subscription, !wanted.isEmpty else { return Outcome(error: .subscriptionInvalid) }
    var outcome = Outcome()
    for channel in wanted {
      guard ChannelName.isValidPattern(channel) else {
        outcome.error = .subscriptionInvalid
        break
      }
      if channel == eventChannel || channel == "/*" || channel == "/**" || allowed.contains(channel) {
        outcome.channels.append(channel)
      } else {
        outcome.error = refusal
        break
      }
    }
    return outcome
  }
}
