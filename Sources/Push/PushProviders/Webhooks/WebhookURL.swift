internal import NetworkAddress

#if canImport(FoundationEssentials)
  internal import struct FoundationEssentials.URL
#else
  internal import struct Foundation.URL
#endif

/// A URL to post to: `http` or `https` with a host, without user name and password.
///
/// Read strictly: where two readers of URLs could disagree about the host, it is no URL. Spec: providers 4.5.
struct WebhookURL: Sendable, Equatable {
  /// Bytes of the whole URL.
  static let lengthMaximum = 2_048
  /// Bytes of a host's name, and of each of its labels. Spec: RFC 1035, 2.3.4.
  static let nameLengthMaximum = 253
  static let labelLengthMaximum = 63

  /// Scheme and host in lower case, without the fragment.
  let text: String
  let isTLS: Bool
  /// The host alone in lower case, without the brackets of an IPv6 address.
  let host: String
  /// The address, if the host is written as one.
  let address: IPAddress?
  let port: Int

  /// Nil for anything else than such a URL.
  init?(_ text: String) {
    guard text.utf8.count <= Self.lengthMaximum,
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }), let colon = text.firstIndex(of: ":")
    else { return nil }
    let scheme = text[..<colon].lowercased()
    guard scheme == "http" || scheme == "https", text[colon...].hasPrefix("://") else { return nil }
    let afterScheme = text[text.index(colon, offsetBy: 3)...]
    let authority = afterScheme.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let rest = afterScheme[authority.endIndex...].prefix { $0 != "#" }
    guard let (host, portText) = Self.split(authority) else { return nil }

    isTLS = scheme == "https"
    self.host = host.lowercased()
    if host.utf8.contains(UInt8(ascii: ":")) {
      guard let address = IPAddress(host) else { return nil }
      self.address = address
    } else {
      address = IPAddress(host)
      guard address != nil || Self.isName(self.host) else { return nil }
    }
    var port = isTLS ? 443 : 80
    if let portText {
      guard portText.utf8.count <= 5, portText.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), let number = Int(portText),
        (1...65_535).contains(number)
      else { return nil }
      port = number
    }
    self.port = port
    let bracketed = self.host.utf8.contains(UInt8(ascii: ":")) ? "[\(self.host)]" : self.host
    self.text = "\(scheme)://\(bracketed)\(portText.map { _ in ":\(port)" } ?? "")\(rest)"

    // The HTTP client reads it with this parser; what is checked here must be what is connected to.
    guard let url = URL(string: self.text), url.scheme == scheme, url.user == nil, url.password == nil,
      url.host?.drop(while: { $0 == "[" }).prefix(while: { $0 != "]" }) == self.host[...], url.port ?? port == port
    else { return nil }
  }

  /// Scheme, host and port: what one receiver is.
  var origin: String { "\(isTLS ? "https" : "http")://\(host):\(port)" }

  /// The origin as the web writes it: brackets, and the port only if it is not the scheme's own. Spec: RFC 6454, 6.2.
  var serializedOrigin: String {
    let bracketed = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    return "\(isTLS ? "https" : "http")://\(bracketed)\(port == (isTLS ? 443 : 80) ? "" : ":\(port)")"
  }

  /// The origin and the last four characters of a longer rest: what else it says may be a secret.
  var masked: String {
    let rest = text.dropFirst(text.prefix { $0 != ":" }.count + 3).drop { $0 != "/" && $0 != "?" }
    return serializedOrigin + "/…" + (rest.count > 5 ? rest.suffix(4) : "")
  }

  /// True for the names of this machine, which no name server is to be asked for. Spec: RFC 6761, 6.3.
  var isLocalhost: Bool { host == "localhost" || host.hasSuffix(".localhost") }

  private static func split(_ authority: Substring) -> (host: Substring, port: Substring?)? {
    guard authority.hasPrefix("[") else {
      let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      return parts.count == 2 ? (parts[0], parts[1]) : (authority, nil)
    }
    guard let end = authority.firstIndex(of: "]") else { return nil }
    let host = authority[authority.index(after: authority.startIndex)..<end]
    let rest = authority[authority.index(after: end)...]
    guard host.utf8.contains(UInt8(ascii: ":")), rest.isEmpty || rest.hasPrefix(":") else { return nil }
    return (host, rest.isEmpty ? nil : rest.dropFirst())
  }

  /// Letters, digits, hyphens and underscores; not a number at the end, which some would read as an IPv4 address
  /// (`0x7f.1`, `2130706433`), and not the dot that would make it a second spelling of the same host.
  private static func isName(_ host: String) -> Bool {
    guard (1...nameLengthMaximum).contains(host.utf8.count) else { return false }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    guard
      labels.allSatisfy({ label in
        (1...labelLengthMaximum).contains(label.utf8.count)
          && label.utf8.allSatisfy {
            ($0 >= 97 && $0 <= 122) || ($0 >= 48 && $0 <= 57) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
          }
      }), let last = labels.last
    else { return false }
    return !last.utf8.allSatisfy { $0 >= 48 && $0 <= 57 } && !last.hasPrefix("0x")
  }
}
