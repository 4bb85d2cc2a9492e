import Crypto
import EventSourcing
import JSONEnvelope
import PushDomain
import Testing
import TextEncoding

@testable import PushProviders

enum IdentitySamples {
  static let now = Timestamp(milliseconds: 1_700_000_000_000)
  static let secret = "0c8d7f3b5a914e26b0d4c7e8f91a2b3c4d5e6f708192a3b4"
  static let jti = "b1a8d6f0-6e0c-4c0a-9d9e-4f2f5f0a7c11"

  static func identity(externalID: String? = nil) -> VerifiedIdentity {
    VerifiedIdentity(
      jti: jti, issuedAt: now, name: "Ann Example", email: "ann@example.com", externalID: externalID)
  }

  /// Made by PyJWT 2.15.1 with `secret` and `iat` 1700000000; the claims of the last three are the same.
  enum PyJWT {
    static let textID =
      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJqdGkiOiJiMWE4ZDZmMC02ZTBjLTRjMGEtOWQ5ZS00ZjJmNWYwYTdjMTEiLCJpYXQiOjE3M"
      + "DAwMDAwMDAsIm5hbWUiOiJBbm4gRXhhbXBsZSIsImVtYWlsIjoiYW5uQGV4YW1wbGUuY29tIiwiZXh0ZXJuYWxfaWQiOiJ1LTE3In0.YjzTxp"
      + "st3pJUbziCUqewL6AQkWwmNjQXwwDw_ZDoZrQ"
    static let numberID =
      "eyJhbGciOiJIUzI1NiIsImtpZCI6ImsxIiwidHlwIjoiSldUIn0.eyJqdGkiOiJiMWE4ZDZmMC02ZTBjLTRjMGEtOWQ5ZS00ZjJmNWYwYTdjMT"
      + "EiLCJpYXQiOjE3MDAwMDAwMDAsIm5hbWUiOiJBbm4gRXhhbXBsZSIsImVtYWlsIjoiYW5uQGV4YW1wbGUuY29tIiwiZXh0ZXJuYWxfaWQiOjE3"
      + "fQ.ZcyZ0r0IJHR4iUHMlJfkbmOUy1p5_0d1I3O7jfRjay4"
    static let noID = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." + claims + ".mWzJ6iyd3-bL0IVqZBp9zbtxgwEfRp8HLEEif9beF08"
    static let hs512 =
      "eyJhbGciOiJIUzUxMiIsInR5cCI6IkpXVCJ9." + claims
      + ".8VG5d8y5wvsf8n9mrxtjy-9kRVz818g0uybUfNJR_cpSNphKE9sGTazYtzwcff8j5o_niUxq9_-rpx-vxycFxg"
    static let unsigned = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0." + claims + "."

    private static let claims =
      "eyJqdGkiOiJiMWE4ZDZmMC02ZTBjLTRjMGEtOWQ5ZS00ZjJmNWYwYTdjMTEiLCJpYXQiOjE3MDAwMDAwMDAsIm5hbWUiOiJBbm4gRXhhbXBsZ"
      + "SIsImVtYWlsIjoiYW5uQGV4YW1wbGUuY29tIn0"
  }

  /// A token with these claims over those of `identity`; JSON text, and `nil` takes one out.
  static func jwt(
    _ changes: [String: String?] = [:], header: String = #"{"alg":"HS256"}"#, secret: String = secret
  ) -> String {
    var claims: [String: String?] = [
      "jti": #""\#(jti)""#, "iat": "1700000000", "name": #""Ann Example""#, "email": #""ann@example.com""#,
    ]
    claims.merge(changes) { $1 }
    let members = claims.compactMap { name, value in value.map { #""\#(name)":\#($0)"# } }
    return jwt(header: header, claims: "{\(members.joined(separator: ","))}", secret: secret)
  }

  static func jwt(header: String, claims: String, secret: String = secret) -> String {
    let signed = [header, claims].map { Base64.encodeForURL($0.utf8) }.joined(separator: ".")
    let code = HMAC<SHA256>.authenticationCode(
      for: Array(signed.utf8), using: SymmetricKey(data: Array(secret.utf8)))
    return "\(signed).\(Base64.encodeForURL(code))"
  }
}

@Suite("Identity, the token that vouches for it")
struct IdentityClaimsTests {
  static func read(_ jwt: String, now: Timestamp = IdentitySamples.now) async throws -> VerifiedIdentity {
    let key = try await SignedToken.signer(IdentitySamples.secret)
    return try IdentityClaims.read(jwt, signedBy: key, limits: IdentityLimits(), now: now)
  }

  static func flaw(_ jwt: String, now: Timestamp = IdentitySamples.now) async throws -> String? {
    do {
      _ = try await read(jwt, now: now)
      return nil
    } catch let flaw as IdentityClaims.Flaw {
      return flaw.reason
    }
  }

  @Test(
    "tokens of another library",
    arguments: [
      (IdentitySamples.PyJWT.textID, "u-17"), (IdentitySamples.PyJWT.numberID, "17"), (IdentitySamples.PyJWT.noID, nil),
    ] as [(String, String?)])
  func pyJWT(jwt: String, externalID: String?) async throws {
    #expect(try await Self.read(jwt) == IdentitySamples.identity(externalID: externalID))
  }

  @Test(
    "what is signed otherwise, or not at all",
    arguments: [
      (IdentitySamples.PyJWT.hs512, "jwt: algorithm is not HS256"),
      (IdentitySamples.PyJWT.unsigned, "jwt: algorithm is not HS256"),
      (IdentitySamples.jwt(header: #"{"alg":"none"}"#), "jwt: algorithm is not HS256"),
      (IdentitySamples.jwt(header: #"{"alg":"hs256"}"#), "jwt: algorithm is not HS256"),
      (IdentitySamples.jwt(header: #"{"alg":"RS256"}"#), "jwt: algorithm is not HS256"),
      (IdentitySamples.jwt(header: "{}"), "jwt: algorithm is not HS256"),
      (IdentitySamples.jwt(header: #"{"alg":"HS256","crit":["b64"],"b64":false}"#), "jwt: critical header"),
      (IdentitySamples.jwt(secret: String(IdentitySamples.secret.reversed())), "jwt: wrong signature"),
      (String(IdentitySamples.PyJWT.textID.prefix { $0 != "." }) + "..", "jwt: wrong signature"),
      (IdentitySamples.jwt() + "AAAA", "jwt: wrong signature"),
      (IdentitySamples.jwt(header: #"{"alg":"HS256"}"#, claims: "[]"), "jwt: malformed"),
      (IdentitySamples.jwt(header: #"{"alg":"HS256"}"#, claims: "{"), "jwt: malformed"),
      (IdentitySamples.jwt(header: "HS256"), "jwt: malformed"),
      ("", "jwt: malformed"), ("..", "jwt: malformed"), ("a.b", "jwt: malformed"),
      (IdentitySamples.jwt() + ".x", "jwt: malformed"), ("ä.ö.ü", "jwt: malformed"),
      (String(repeating: "a", count: 16_385), "jwt: too long"),
    ])
  func signature(jwt: String, flaw: String) async throws {
    #expect(try await Self.flaw(jwt) == flaw)
  }

  @Test("a token whose claims were changed after it was signed")
  func tampered() async throws {
    let parts = IdentitySamples.PyJWT.noID.split(separator: ".")
    let claims = Base64.encodeForURL(
      #"{"jti":"x","iat":1700000000,"name":"Eve","email":"eve@example.com"}"#.utf8)
    #expect(try await Self.flaw("\(parts[0]).\(claims).\(parts[2])") == "jwt: wrong signature")
  }

  @Test(
    "claims that are missing, of another kind, empty or too long",
    arguments: [
      (["jti": nil], "jti is missing"), (["jti": "null"], "jti is missing"), (["jti": "7"], "jti is no string"),
      (["jti": #""""#], "jti is empty"), (["jti": #""\#(long(257))""#], "jti is too long"),
      (["jti": #""a\u0000b""#], "jti has control characters"),
      (["name": nil], "name is missing"), (["name": #""""#], "name is empty"), (["name": #"" \t ""#], "name is empty"),
      (["name": "[]"], "name is no string"), (["name": #""\#(long(1_025))""#], "name is too long"),
      (["name": #""Ann\r\nX: y""#], "name has control characters"),
      (["email": nil], "email is missing"), (["email": #""""#], "email is empty"),
      (["email": "true"], "email is no string"), (["email": #""ann.example.com""#], "email is no address"),
      (["email": #""a@b@c""#], "email is no address"), (["email": #""@example.com""#], "email is no address"),
      (["email": #""ann@""#], "email is no address"), (["email": #""ann @example.com""#], "email is no address"),
      (["email": #""\#(long(250))@a.b""#], nil), (["email": #""\#(long(251))@a.b""#], "email is too long"),
      (["iat": nil], "iat is missing"), (["iat": #""1700000000""#], "iat is no number"),
      (["iat": "true"], "iat is no number"),
      (["iat": "1e300"], "iat is out of range"), (["iat": "-1e300"], "iat is out of range"),
      // Milliseconds.
      (["iat": "1700000000000"], "iat is in the future"), (["iat": "0"], "iat is too long ago"),
      (["external_id": "1.5"], "external_id is neither string nor whole number"),
      (["external_id": "{}"], "external_id is neither string nor whole number"),
      (["external_id": "true"], "external_id is neither string nor whole number"),
      (["external_id": #""\#(long(256))""#], "external_id is too long"),
      (["external_id": #""\#(long(255))""#], nil),
    ] as [([String: String?], String?)])
  func claims(changes: [String: String?], flaw: String?) async throws {
    #expect(try await Self.flaw(IdentitySamples.jwt(changes)) == flaw.map { "jwt: \($0)" })
  }

  static func long(_ count: Int) -> String { String(repeating: "x", count: count) }

  @Test(
    "an external id that is not there",
    arguments: [nil, "null", #""""#] as [String?])
  func noExternalID(value: String?) async throws {
    #expect(try await Self.read(IdentitySamples.jwt(["external_id": value])) == IdentitySamples.identity())
  }

  @Test(
    "`iat` counts for three minutes, either way",
    arguments: [
      (0, true), (180_000, true), (180_001, false), (-180_000, true), (-180_001, false), (86_400_000, false),
    ])
  func age(milliseconds: Int, isGood: Bool) async throws {
    let now = IdentitySamples.now.advanced(by: .milliseconds(milliseconds))
    let flaw = milliseconds > 0 ? "jwt: iat is too long ago" : "jwt: iat is in the future"
    #expect(try await Self.flaw(IdentitySamples.PyJWT.textID, now: now) == (isGood ? nil : flaw))
  }

  @Test("`iat` may have a fraction")
  func fraction() async throws {
    let identity = try await Self.read(IdentitySamples.jwt(["iat": "1700000000.25"]))
    #expect(identity.issuedAt == Timestamp(milliseconds: 1_700_000_000_250))
  }

  @Test("an identity does not tell itself")
  func description() {
    #expect("\(IdentitySamples.identity())" == "verified identity")
  }
}
