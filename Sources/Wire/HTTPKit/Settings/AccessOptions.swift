import EdgeSecurity
package import NetworkAddress
package import OptionKit

/// Who may use the HTTP edge, and how it knows them: options of section `server`.
package struct AccessOptions: OptionTable {
  package static let keys = AccessOptions()

  /// Origins, or `*`.
  package let allowedOrigins = OptionKey(
    "allowed_origins", in: [.server], .list, default: [],
    "web origins whose pages may use the server; * is every page there is", takes: .restart)
  package let strictTransportSeconds = OptionKey(
    "hsts_seconds", in: [.server], .integer(0...63_072_000), default: 0,
    "how long browsers insist on TLS (HSTS); 0: they are not told to", takes: .restart)
  package let http2 = OptionKey(
    "http2", in: [.server], .flag, default: true, "TLS offers HTTP/2; false: HTTP/1.1 alone is spoken", takes: .restart)
  package let http2InClear = OptionKey(
    "http2.cleartext", in: [.server], .flag, default: false,
    "without TLS: clients that know of it may begin with HTTP/2, such as a proxy before this server", takes: .restart)
  package let identity = OptionKey(
    "identity", in: [.server], .choice, default: Identity.open,
    "how a customer shows who it is; open: whoever names a gms_user is taken for that user", takes: .restart)
  package let userHeader = OptionKey(
    "identity.user_header", in: [.server], .text, default: "gms_user",
    "header-from-proxy: the header in which a proxy of proxy.trusted names the user", takes: .restart)
  package let proxies = OptionKey<[AddressBlock]?>(
    "proxy.trusted", in: [.server], .networks,
    "proxies before this server: their word on a client's address is taken", takes: .restart)
  package let proxyHeader = OptionKey(
    "proxy.header", in: [.server], .choice, default: ProxyHeader.xForwardedFor,
    "the header that those proxies write the client's address into; the other one is not looked at", takes: .restart)
  package let cometURL = OptionKey(
    "comet_url", in: [.server], .url, "URL of the Comet endpoint; external_url_base with /cometd if absent",
    takes: .reload)

  package init() {}

  /// How a customer shows who it is.
  package enum Identity: String, Sendable, CaseIterable {
    case open
    case jwt
    case headerFromProxy = "header-from-proxy"
  }
}

extension IdentityPolicy {
  package init(_ options: some OptionReader) {
    let keys = AccessOptions.keys
    switch options[keys.identity] {
    case .open: self = .open
    case .jwt: self = .token(TokenPolicy(options))
    case .headerFromProxy: self = .proxyHeader(options[keys.userHeader].lowercased())
    }
  }
}
