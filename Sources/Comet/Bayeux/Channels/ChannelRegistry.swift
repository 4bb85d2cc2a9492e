/// A session, as the registry of channels knows it.
public struct ChannelMember: RawRepresentable, Sendable, Hashable, Comparable {
  public let rawValue: UInt64
  public init(rawValue: UInt64) { self.rawValue = rawValue }
  public static func < (left: ChannelMember, right: ChannelMember) -> Bool { left.rawValue < right.rawValue }
}

/// Which application channels there are, and who is subscribed to them.
///
/// ```
///              subscribed to, published on             nobody subscribed, sweep × 3
///  (unknown) ─────────────────────────────▶ KNOWN ────────────────────────────────────▶ (unknown)
/// ```
///
/// A pattern is a channel like any other: who is subscribed to it gets what is published on all that it covers, one copy
/// through however many subscriptions. A value without I/O and without a clock: `decide` has the rules, `evolve` records.
/// Nothing of it is journalled; the sessions' records hold their subscriptions. Spec: Bayeux reference, 3 and 8.
public struct ChannelRegistry: Sendable {
  public enum Command: Sendable, Equatable {
    case subscribe(ChannelMember, to: String)
    case unsubscribe(ChannelMember, from: String)
    /// The session has ended.
    case leave(ChannelMember)
    case publish(on: String)
    /// One pass over the channels that nobody is subscribed to.
    case sweep
  }

  public enum Event: Sendable, Equatable {
    case opened(String)
    case joined(String, ChannelMember)
    case left(String, ChannelMember)
    /// It was published on, and its passes begin anew.
    case renewed(String)
    /// A pass: these have lived through the last one that they are given.
    case swept([String])
  }

  private let limits: ChannelLimits
  private var members: [String: Set<ChannelMember>] = [:]
  private var subscriptions: [ChannelMember: Set<String>] = [:]
  /// Channels without subscribers, by the passes that they have lived through: a sweep touches those alone that end.
  private var idle = [Set<String>](repeating: [], count: ChannelLimits.passesMaximum)
  /// Patterns among the channels; while there is none, nothing has to be looked up for them.
  private var patternCount = 0

  public init(limits: ChannelLimits = ChannelLimits()) { self.limits = limits }

  // MARK: The rules

  /// - Throws: what the client is told.
  public func decide(_ command: Command) throws(BayeuxError) -> [Event] {
    switch command {
    case .subscribe(let member, let channel):
      let own = subscriptions[member]
      guard own?.contains(channel) != true else { return [] }
      guard own?.count ?? 0 < limits.subscriptionsBySessionMaximum else {
        throw .subscriptionLimit(limits.subscriptionsBySessionMaximum)
      }
      return try opening(channel) + [.joined(channel, member)]
    case .unsubscribe(let member, let channel):
      guard let present = members[channel] else { throw .channelMissing }
      return present.contains(member) ? [.left(channel, member)] : []
    case .leave(let member):
      return (subscriptions[member] ?? []).sorted().map { .left($0, member) }
    case .publish(let channel):
      return idle.dropFirst().contains { $0.contains(channel) } ? [.renewed(channel)] : try opening(channel)
    case .sweep:
      return needsSweep ? [.swept((idle.last ?? []).sorted())] : []
    }
  }

  private func opening(_ channel: String) throws(BayeuxError) -> [Event] {
    if members[channel] != nil { return [] }
    guard members.count < limits.channelsMaximum else { throw .channelLimit(limits.channelsMaximum) }
    return [.opened(channel)]
  }

  // MARK: The record

  public mutating func evolve(_ event: Event) {
    switch event {
    case .opened(let channel):
      members[channel] = []
      idle[0].insert(channel)
      if ChannelName.isWildcard(channel) { patternCount += 1 }
    case .joined(let channel, let member):
      members[channel, default: []].insert(member)
      subscriptions[member, default: []].insert(channel)
      unidle(channel)
    case .left(let channel, let member):
      members[channel]?.remove(member)
      if members[channel]?.isEmpty == true { idle[0].insert(channel) }
      subscriptions[member]?.remove(channel)
      if subscriptions[member]?.isEmpty == true { subscriptions[member] = nil }
    case .renewed(let channel):
      unidle(channel)
      idle[0].insert(channel)
    case .swept(let channels):
      for channel in channels {
        members[channel] = nil
        if ChannelName.isWildcard(channel) { patternCount -= 1 }
      }
      idle.removeLast()
      idle.insert([], at: 0)
    }
  }

  private mutating func unidle(_ channel: String) {
    for age in idle.indices where idle[age].remove(channel) != nil { return }
  }

  // MARK: What it knows

  /// There are channels that a sweep brings nearer to their end.
  public var needsSweep: Bool { idle.contains { !$0.isEmpty } }

  public var channelCount: Int { members.count }

  /// Every channel and pattern, with how many are subscribed to just it.
  public var channels: [(name: String, subscribers: Int)] { members.map { ($0.key, $0.value.count) } }

  public func isKnown(_ channel: String) -> Bool { members[channel] != nil }

  public func subscriptions(of member: ChannelMember) -> Set<String> { subscriptions[member] ?? [] }

  /// Who gets what is published on a channel, each once.
  public func receivers(of channel: String) -> [ChannelMember] {
    guard patternCount > 0 else { return Array(members[channel] ?? []) }
    var found: Set<ChannelMember> = []
    for name in ChannelName.subscriptions(covering: channel) {
      guard let some = members[name], !some.isEmpty else { continue }
      if found.isEmpty { found = some } else { found.formUnion(some) }
    }
    return Array(found)
  }
}
