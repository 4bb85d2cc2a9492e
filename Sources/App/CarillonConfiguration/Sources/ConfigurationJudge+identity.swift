import EdgeSecurity
import NetworkAddress

// Proof of who customers are that could not work as it is configured, or that would prove nothing.
extension ConfigurationJudge {
  mutating func judgeIdentity() {
    let section = "server"
    let identity = value(of: "identity", in: section)?.value ?? "open"
    judgeHeaderNames(section)
    judgeSecret(section)
    judgeKeySetURL(section)
    judgeTrust(section)
    switch identity {
    case "jwt":
      let sources = ["identity.secret", "identity.key_files", "identity.jwks_file", "identity.jwks_url"]
      if !sources.contains(where: { value(of: $0, in: section) != nil }) {
        refuse("identity", "jwt needs one of the options \(sources.joined(separator: ", ")) beside it")
      }
      warnOfTwoCredentials(section)
    case "header-from-proxy":
      if value(of: "proxy.trusted", in: section)?.value.isEmpty ?? true {
        refuse("identity", "header-from-proxy needs option proxy.trusted beside it")
      }
    default:
      for option in (sections[section] ?? [:]).keys.sorted() where option.hasPrefix("identity.") {
        guard let (_, origin) = value(of: option, in: section) else { continue }
        warn(
          ConfigurationProblem(
            origin, section: section, option: option, reason: "means nothing while option identity is open"))
      }
    }
  }

  /// Whoever can be the proxy can say to be anybody, and to come from anywhere.
  private mutating func judgeTrust(_ section: String) {
    for text in OptionType.members(of: value(of: "proxy.trusted", in: section)?.value ?? "") {
      // Half of all addresses are no network of one's own either.
      guard let network = AddressBlock(text), let ipv4 = network.base.ipv4 else {
        if let network = AddressBlock(text), network.length < 8 {
          refuse("proxy.trusted", "\(text) is nearly everybody")
        }
        continue
      }
      if network.length < 96 + 8 || ipv4 == 0 { refuse("proxy.trusted", "\(text) is nearly everybody") }
    }
  }

  private mutating func judgeHeaderNames(_ section: String) {
    for option in ["identity.token_header", "identity.user_header"] {
      guard let name = value(of: option, in: section)?.value else { continue }
      let isName = (1...64).contains(name.utf8.count) && name.utf8.allSatisfy(Self.isTokenCharacter)
      if !isName { refuse(option, "is no name of a header") }
    }
  }

  /// Letters, digits, and the marks that names of headers are made with.
  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private mutating func judgeSecret(_ section: String) {
    guard let secret = value(of: "identity.secret", in: section)?.value else { return }
    if let reason = SharedSecret.objection(to: Array(secret.utf8)) { refuse("identity.secret", reason) }
  }

  /// Keys that come over plain HTTP could be anybody's.
  private mutating func judgeKeySetURL(_ section: String) {
    guard let url = value(of: "identity.jwks_url", in: section)?.value.lowercased() else { return }
    guard let rest = url.removing(prefix: "http://") else { return }
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let host = authority.hasPrefix("[") ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
    let isLoopback = host == "localhost" || host == "::1" || (host.hasPrefix("127.") && AddressBlock(host) != nil)
    // A name and a password before the host would pass for one.
    if !isLoopback || authority.contains("@") {
      refuse("identity.jwks_url", "must be an https URL, unless it is on loopback")
    }
  }

  /// One header cannot bring both.
  private mutating func warnOfTwoCredentials(_ section: String) {
    guard let (_, origin) = value(of: "username", in: section),
      value(of: "identity.token_header", in: section)?.value.lowercased() ?? "authorization" == "authorization"
    else { return }
    warn(
      ConfigurationProblem(
        origin, section: section, option: "username",
        reason: "is asked for in Authorization, where users' tokens are too: set identity.token_header to another one"))
  }

  private mutating func refuse(_ option: String, _ reason: String) {
    guard let (_, origin) = value(of: option, in: "server") else { return }
    refuse(ConfigurationProblem(origin, section: "server", option: option, reason: reason))
  }
}
