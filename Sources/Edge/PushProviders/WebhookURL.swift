#if canImport(FoundationEssentials)
  internal import struct FoundationEssentials.URL
#else
  internal import struct Foundation.URL
#endif

/// A URL to post to: `http` or `https` with a host, without user name and password.
struct WebhookURL: Sendable, Equatable {
  /// Bytes of the whole URL.
  static let lengthMaximum = 2_048

  let text: String
  /// Scheme, host and port: what one receiver is for the bound of posts in flight.
  let origin: String
  /// The host alone, without the brackets of an IPv6 address.
  let host: String

  /// Nil for anything else than such a URL. The HTTP client reads it with the same parser, so that what is checked here
  /// is what is connected to.
  init?(_ text: String) {
    guard text.utf8.count <= Self.lengthMaximum, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      let url = URL(string: text), let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
      let host = url.host, !host.isEmpty, url.user == nil, url.password == nil
    else { return nil }
    let port = url.port ?? (scheme == "http" ? 80 : 443)
    guard (1...65_535).contains(port) else { return nil }
    self.text = text
    self.host = String(host.lowercased().drop { $0 == "[" }.prefix { $0 != "]" })
    origin = "\(scheme)://\(self.host):\(port)"
  }
}
