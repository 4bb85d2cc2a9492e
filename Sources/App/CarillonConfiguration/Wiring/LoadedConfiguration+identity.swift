public import HTTPEdge

/// The options `identity` and `identity.…` of section `server`, in the type that the edge wants.
extension IdentityPolicy {
  public init(_ configuration: LoadedConfiguration) {
    let reader = ServerOptionReader(configuration: configuration)
    switch reader.text("identity") {
    case "jwt": self = .token(TokenPolicy(reader))
    case "header-from-proxy": self = .proxyHeader(reader.text("identity.user_header").lowercased())
    default: self = .open
    }
  }
}

extension TokenPolicy {
  fileprivate init(_ reader: ServerOptionReader) {
    self.init()
    let configuration = reader.configuration
    header = reader.text("identity.token_header").lowercased()
    claim = reader.text("identity.claim")
    issuer = configuration.server("identity.issuer")
    audience = configuration.server("identity.audience")
    clockSkew = reader.seconds("identity.clock_skew")
    secret = configuration.server("identity.secret")
    keyFiles = OptionType.members(of: configuration.server("identity.key_files") ?? "")
    keySetFile = configuration.server("identity.jwks_file")
    keySetURL = configuration.server("identity.jwks_url")
    keySetInterval = reader.seconds("identity.jwks_interval")
    keySetLife = reader.seconds("identity.jwks_keep")
    trustRootsFile = configuration.server("identity.ca_file")
    revocationsFile = configuration.server("identity.revocations")
  }
}
