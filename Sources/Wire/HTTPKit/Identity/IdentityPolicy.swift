/// How a customer shows who it is: option `identity` of section `server`. See `Sources/Wire/IDENTITY.md`.
public enum IdentityPolicy: Sendable, Equatable {
  /// Whoever names a `gms_user` is taken for that user.
  case open
  /// A signed token proves it.
  case token(TokenPolicy)
  /// A trusted proxy has found it out, and writes it into the header of this name.
  case proxyHeader(String)

  /// Whether every user key behind the edge is proven.
  public var provesUsers: Bool { self != .open }
}

/// What a token has to be like to prove who a customer is. Spec: RFC 7515, 7517, 7519.
public struct TokenPolicy: Sendable, Equatable {
  /// The header that brings the token, in small letters: `authorization` (as `Bearer …`), or one with the bare token.
  public var header = "authorization"
  /// The claim that is the user key.
  public var claim = "sub"
  /// What `iss` has to be; nil: anything.
  public var issuer: String?
  /// What `aud` has to be, or to contain; nil: anything.
  public var audience: String?
  /// How far the signer's clock may be from ours.
  public var clockSkew: Duration = .seconds(60)

  /// HS256.
  public var secret: String?
  /// Public keys or certificates, PEM.
  public var keyFiles: [String] = []
  public var keySetFile: String?
  public var keySetURL: String?
  /// What the key set's server is known by; nil: by the system's roots.
  public var trustRootsFile: String?
  /// Between two readings of the key set's URL.
  public var keySetInterval: Duration = .seconds(300)
  /// Between two questions for it, whoever wants one: an unknown key id may be anybody's invention.
  public var keySetPause: Duration = .seconds(10)
  /// How long keys count after the last time that their URL could be read.
  public var keySetLife: Duration = .seconds(86_400)
  /// What was issued before some time and counts no more; see `RevocationList`.
  public var revocationsFile: String?

  public init() {}
}

extension EdgeLimits {
  /// A token that names a customer.
  package static let userTokenBytesMaximum = 8_192
  /// Keys that tokens are verified with.
  package static let verificationKeysMaximum = 64
  /// A file of keys, a key set, or what a URL answers with one.
  package static let keySetBytesMaximum = 262_144
  /// Lines of the file of revocations, and its bytes.
  package static let revocationsMaximum = 100_000
  package static let revocationsBytesMaximum = 33_554_432
  /// Tokens that were verified and need not be so again.
  package static let verifiedTokensMaximum = 16_384
  /// From the question for a key set to the end of its answer.
  package static let keySetTimeout = Duration.seconds(5)
}
