package import OptionKit

/// What a token has to be like that proves who a customer is: options of section `server`.
package struct TokenOptions: OptionTable {
  package static let keys = TokenOptions()
  private static let standard = TokenPolicy()

  package let header = Self.key(
    "identity.token_header", .text, default: standard.header, "jwt: the header with the token, after Bearer or alone")
  package let claim = Self.key(
    "identity.claim", .text, default: standard.claim, "jwt: the claim that is the gms_user")
  package let issuer = Self.key("identity.issuer", .text, "jwt: what iss has to be; anything if absent")
  package let audience = Self.key(
    "identity.audience", .text, "jwt: what aud has to be or contain; anything if absent")
  package let clockSkew = Self.key(
    "identity.clock_skew", .seconds(0...300), default: standard.clockSkew,
    "jwt: how far the signer's clock may be from this one")
  package let secret = Self.key(
    "identity.secret", .text, "jwt: the shared secret of HS256, 32 bytes or more", .secret)
  package let keyFiles = Self.key(
    "identity.key_files", .list, "jwt: files of public keys or certificates, PEM, for RS256, ES256 and EdDSA")
  package let keySetFile = Self.key("identity.jwks_file", .path, "jwt: a file with a JSON Web Key Set")
  package let keySetURL = Self.key(
    "identity.jwks_url", .url, "jwt: where a JSON Web Key Set is read; https, or http on loopback")
  package let keySetInterval = Self.key(
    "identity.jwks_interval", .seconds(10...86_400), default: standard.keySetInterval,
    "jwt: between two readings of identity.jwks_url")
  package let keySetLife = Self.key(
    "identity.jwks_keep", .seconds(60...31_536_000), default: standard.keySetLife,
    "jwt: how long keys count after the last time that identity.jwks_url could be read")
  package let trustRootsFile = Self.key(
    "identity.ca_file", .path, "jwt: roots that identity.jwks_url is trusted by, PEM; the system's if absent")
  package let revocationsFile = Self.key(
    "identity.revocations", .path, "jwt: a file that says which tokens, by their iat, count no more")

  package init() {}

  private static func key<Value>(
    _ name: String, _ form: OptionForm<Value>, default builtIn: Value, _ summary: String
  ) -> OptionKey<Value> {
    OptionKey(name, in: [.server], form, default: builtIn, summary, takes: .restart)
  }

  private static func key<Value>(
    _ name: String, _ form: OptionForm<Value>, _ summary: String, _ traits: OptionSpecification.Traits = []
  ) -> OptionKey<Value?> {
    OptionKey(name, in: [.server], form, summary, takes: .restart, traits)
  }
}

extension TokenPolicy {
  init(_ options: some OptionReader) {
    self.init()
    let keys = TokenOptions.keys
    header = options[keys.header].lowercased()
    claim = options[keys.claim]
    issuer = options[keys.issuer]
    audience = options[keys.audience]
    clockSkew = options[keys.clockSkew]
    secret = options[keys.secret]
    keyFiles = options[keys.keyFiles] ?? []
    keySetFile = options[keys.keySetFile]
    keySetURL = options[keys.keySetURL]
    keySetInterval = options[keys.keySetInterval]
    keySetLife = options[keys.keySetLife]
    trustRootsFile = options[keys.trustRootsFile]
    revocationsFile = options[keys.revocationsFile]
  }
}
