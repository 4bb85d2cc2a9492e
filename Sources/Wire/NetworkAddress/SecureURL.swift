/// URLs whose answers nobody on the way can write.
public enum SecureURL {
  /// Whether it is `https`, or `http` on loopback, with a host, and no name and password before it, which would pass for
  /// one.
  public static func isSecure(_ url: String) -> Bool { isTLS(url) || isOnLoopback(url) }

  /// Whether it is `https`.
  public static func isTLS(_ url: String) -> Bool { authority(of: url, behind: "https://") != nil }

  /// Whether it is `http` on loopback.
  public static func isOnLoopback(_ url: String) -> Bool {
    guard let authority = authority(of: url, behind: "http://") else { return false }
    let host = authority.hasPrefix("[") ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
    return host == "localhost" || host == "::1" || (host.hasPrefix("127.") && AddressBlock(host) != nil)
  }

  /// Nil for another scheme, for an authority that is none, and for what no header could hold.
  private static func authority(of url: String, behind scheme: String) -> Substring? {
    guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    let url = url.lowercased()
    guard url.hasPrefix(scheme) else { return nil }
    let authority = url.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    // A backslash ends an authority for some readers of URLs, and not for others.
    return authority.isEmpty || authority.contains { $0 == "@" || $0 == "\\" } ? nil : authority
  }
}
