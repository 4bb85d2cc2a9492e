/// The grammar of channel names, and what patterns match. Spec: Bayeux 1.0, "Channels", "Channel Globbing".
public enum ChannelName {
  public static let handshake = "/meta/handshake"
  public static let connect = "/meta/connect"
  public static let disconnect = "/meta/disconnect"
  public static let subscribe = "/meta/subscribe"
  public static let unsubscribe = "/meta/unsubscribe"

  public static let bytesMaximum = 256

  /// Whether this is the name of one channel: segments of token characters, no wildcard.
  public static func isValid(_ name: String) -> Bool { form(of: name) == .plain }

  /// Whether this may be subscribed to: a channel, or a pattern with `*` or `**` as its whole last segment.
  public static func isValidPattern(_ name: String) -> Bool { form(of: name) != nil }

  /// Whether a subscription covers a channel: `/a/*` one further segment, `/a/**` one or more, neither `/a` itself.
  /// Both must be valid.
  public static func matches(pattern: String, channel: String) -> Bool {
    if pattern.hasSuffix("/**") { return isBelow(channel, pattern.dropLast(2)) }
    if pattern.hasSuffix("/*") {
      let parent = pattern.dropLast()
      return isBelow(channel, parent) && !channel.dropFirst(parent.count).contains("/")
    }
    return pattern == channel
  }

  /// Whether a pattern covers all that a subscription does: itself, and what is narrower. Both must be valid.
  public static func covers(pattern: String, subscription: String) -> Bool {
    guard isWildcard(subscription) else { return matches(pattern: pattern, channel: subscription) }
    if pattern == subscription { return true }
    guard pattern.hasSuffix("/**") else { return false }
    // `/a/**` covers `/a/*`, and whatever has more in place of the asterisk.
    return isBelow(subscription, pattern.dropLast(2))
  }

  /// Whether a valid name is a pattern.
  public static func isWildcard(_ name: String) -> Bool { name.utf8.last == UInt8(ascii: "*") }

  /// What may be subscribed to in order to get what is published on a channel, itself first: as many as it has segments,
  /// and two. Spec: Bayeux reference, 3.
  public static func subscriptions(covering channel: String) -> [String] {
    var names = [channel]
    var parent = channel[...]
    while let slash = parent.lastIndex(of: "/") {
      parent = parent[..<slash]
      if names.count == 1 { names.append(parent + "/*") }
      names.append(parent + "/**")
    }
    return names
  }

  /// Whether messages go to handlers of the server alone. Spec: Bayeux 1.0, "Service Channels".
  public static func isService(_ name: String) -> Bool { name.hasPrefix("/service/") }

  private static func isBelow(_ channel: String, _ parent: Substring) -> Bool {
    channel.hasPrefix(parent) && channel.utf8.count > parent.utf8.count
  }

  private enum Form { case plain, pattern }

  private static func form(of name: String) -> Form? {
    guard name.utf8.count <= bytesMaximum, name.utf8.first == UInt8(ascii: "/") else { return nil }
    var form = Form.plain
    for segment in name.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      if segment.isEmpty || form == .pattern { return nil }
      if segment.elementsEqual("*".utf8) || segment.elementsEqual("**".utf8) {
        form = .pattern
      } else if !segment.allSatisfy(isToken) {
        return nil
      }
    }
    return form
  }

  /// The characters of the specification and those that servers in the field add to them.
  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "!"), UInt8(ascii: "~"), UInt8(ascii: "("),
      UInt8(ascii: ")"), UInt8(ascii: "$"), UInt8(ascii: "@"), UInt8(ascii: " "), UInt8(ascii: "#"),
      UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "{"), UInt8(ascii: "}"):
      true
    default: false
    }
  }
}
