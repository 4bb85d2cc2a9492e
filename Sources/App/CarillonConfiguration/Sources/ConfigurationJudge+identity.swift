import Engine
import HTTPEdge
import NetworkAddress
import OptionKit
import TextEncoding

// Proof of who customers are that could not work as it is configured, or that would prove nothing.
extension ConfigurationJudge {
  mutating func judgeIdentity() {
    judgeHeaderNames()
    judgeSecret()
    judgeKeySetURL()
    judgeTrust()
    let key = AccessOptions.keys.identity
    switch key.written(value(of: key, in: .server)?.value) ?? key.builtIn {
    case .jwt: judgeTokens()
    case .headerFromProxy:
      let proxies = AccessOptions.keys.proxies
      if value(of: proxies, in: .server)?.value.isEmpty ?? true {
        refuse(key, in: .server, "header-from-proxy needs option \(proxies.name) beside it")
      }
    case .open: warnOfWhatMeansNothing()
    }
  }

  private mutating func judgeTokens() {
    let tokens = TokenOptions.keys
    let sources = [tokens.secret.name, tokens.keyFiles.name, tokens.keySetFile.name, tokens.keySetURL.name]
    if !sources.contains(where: { value(of: $0, in: SectionKind.server.form) != nil }) {
      refuse(
        AccessOptions.keys.identity, in: .server,
        "jwt needs one of the options \(sources.joined(separator: ", ")) beside it")
    }
    warnOfTwoCredentials()
  }

  private mutating func warnOfWhatMeansNothing() {
    let (section, identity) = (SectionKind.server.form, AccessOptions.keys.identity.name)
    for option in (sections[section] ?? [:]).keys.sorted() where option.hasPrefix(identity + ".") {
      guard let (_, origin) = value(of: option, in: section) else { continue }
      warn(
        ConfigurationProblem(
          origin, section: section, option: option, reason: "means nothing while option \(identity) is open"))
    }
  }

  /// Whoever can be the proxy can say to be anybody, and to come from anywhere.
  private mutating func judgeTrust() {
    for text in OptionType.members(of: value(of: AccessOptions.keys.proxies, in: .server)?.value ?? "") {
      // Half of all addresses are no network of one's own either.
      guard let network = AddressBlock(text), let ipv4 = network.base.ipv4 else {
        if let network = AddressBlock(text), network.length < 8 {
          refuse(AccessOptions.keys.proxies, in: .server, "\(text) is nearly everybody")
        }
        continue
      }
      if network.length < 96 + 8 || ipv4 == 0 {
        refuse(AccessOptions.keys.proxies, in: .server, "\(text) is nearly everybody")
      }
    }
  }

  private mutating func judgeHeaderNames() {
    for key in [TokenOptions.keys.header, AccessOptions.keys.userHeader] {
      guard let name = value(of: key, in: .server)?.value else { continue }
      let isName = (1...64).contains(name.utf8.count) && name.utf8.allSatisfy(Self.isTokenCharacter)
      if !isName { refuse(key, in: .server, "is no name of a header") }
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

  private mutating func judgeSecret() {
    let key = TokenOptions.keys.secret
    guard let secret = value(of: key, in: .server)?.value else { return }
    if let reason = SharedSecret.objection(to: Array(secret.utf8)) { refuse(key, in: .server, reason) }
  }

  /// Keys that come over plain HTTP could be anybody's.
  private mutating func judgeKeySetURL() {
    guard let url = value(of: TokenOptions.keys.keySetURL, in: .server)?.value,
      url.lowercased().hasPrefix("http://"), !SecureURL.isOnLoopback(url)
    else { return }
    refuse(TokenOptions.keys.keySetURL, in: .server, "must be an https URL, unless it is on loopback")
  }

  /// One header cannot bring both.
  private mutating func warnOfTwoCredentials() {
    let (username, header) = (CredentialOptions.keys.username, TokenOptions.keys.header)
    guard let (_, origin) = value(of: username, in: .server),
      (value(of: header, in: .server)?.value ?? header.builtIn).lowercased() == TokenPolicy().header
    else { return }
    warn(
      username, in: .server, origin,
      "is asked for in Authorization, where users' tokens are too: set \(header.name) to another one")
  }
}
