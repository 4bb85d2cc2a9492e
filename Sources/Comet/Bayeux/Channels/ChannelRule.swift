/// To whom an application channel may be open.
public enum ChannelGrant: String, Sendable, CaseIterable {
  /// Every session.
  case anyone
  /// Sessions of a `gms_user`.
  case user = "gms_user"
  /// Sessions whose handshake has shown a good access token.
  case token = "access_token"
}

/// By what a session came.
public enum ChannelStanding: Sendable, CaseIterable {
  case unnamed, user, token
}

/// Channels that the configuration opens to applications, and to whom.
public struct ChannelRule: Sendable, Equatable {
  /// Names of channels, and patterns of them.
  public let patterns: [String]
  public let subscribers: Set<ChannelGrant>
  public let publishers: Set<ChannelGrant>
  /// What is published there wakes no connect. Spec: Bayeux reference, 11, lazy messages.
  public let isLazy: Bool

  public init(
    patterns: [String], subscribers: Set<ChannelGrant> = [], publishers: Set<ChannelGrant> = [], isLazy: Bool = false
  ) {
    self.patterns = patterns
    self.subscribers = subscribers
    self.publishers = publishers
    self.isLazy = isLazy
  }
}

/// All application channels that there may be. A rule only opens: what one does not allow another may.
public struct ChannelRules: Sendable, Equatable {
  private let rules: [ChannelRule]
  /// The server's own channel, which no rule opens.
  private let eventChannel: String

  /// Roots of channels that the protocol or the server speaks on itself; no rule opens what is below them.
  public static let reservedRoots = ["/meta", "/support/requests"]

  /// No rule, no application channel.
  public init(_ rules: [ChannelRule] = [], eventChannel: String = ChannelPolicy().eventChannel) {
    self.rules = rules
    self.eventChannel = eventChannel
  }

  public var isEmpty: Bool { rules.isEmpty }

  /// Whether a channel, or a pattern of them, is the server's own.
  public func isReserved(_ name: String) -> Bool {
    name == eventChannel || Self.reservedRoots.contains { name == $0 || name.hasPrefix($0 + "/") }
  }

  /// Whether a session may subscribe: one rule has to open all that the subscription covers.
  public func maySubscribe(to subscription: String, _ standing: ChannelStanding) -> Bool {
    contains { $0.subscribers.includes(standing) && $0.opens(subscription) } && !isReserved(subscription)
  }

  public func mayPublish(to channel: String, _ standing: ChannelStanding) -> Bool {
    contains { $0.publishers.includes(standing) && $0.opens(channel) } && !isReserved(channel)
  }

  /// Whether this is an application channel at all: back ends may publish on it.
  public func isOpen(_ channel: String) -> Bool { contains { $0.opens(channel) } && !isReserved(channel) }

  public func isLazy(_ channel: String) -> Bool { contains { $0.isLazy && $0.opens(channel) } }

  private func contains(where isSought: (ChannelRule) -> Bool) -> Bool { rules.contains(where: isSought) }
}

extension ChannelRule {
  fileprivate func opens(_ name: String) -> Bool {
    patterns.contains { ChannelName.covers(pattern: $0, subscription: name) }
  }
}

extension Set<ChannelGrant> {
  fileprivate func includes(_ standing: ChannelStanding) -> Bool {
    switch standing {
    case .unnamed: contains(.anyone)
    case .user: contains(.anyone) || contains(.user)
    case .token: contains(.anyone) || contains(.token)
    }
  }
}
