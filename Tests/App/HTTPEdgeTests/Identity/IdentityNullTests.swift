import Crypto
import EventSourcing
import Testing
import TextEncoding

@testable import HTTPEdge

@Suite("A null in a token or a key set is an absent member")
struct IdentityNullTests {
  private static let secret = Array(String(repeating: "s", count: 32).utf8)
  private static let now = Timestamp(milliseconds: 1_772_355_900_000)

  /// As a key set names it, with every member that one may have.
  private static let keySet =
    #"{"keys":[{"kty":"oct","k":"\#(Base64.encodeForURL(secret))","alg":null,"use":null,"kid":null,"key_ops":null,"#
    + #""d":null,"x5c":null}]}"#

  private static func token(_ claims: String, header: String = #"{"alg":"HS256"}"#) -> String {
    let text = Base64.encodeForURL(Array(header.utf8)) + "." + Base64.encodeForURL(Array(claims.utf8))
    let code = HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: secret))
    return text + "." + Base64.encodeForURL(Array(code))
  }

  /// - Parameter policy: nil: whatever a token says of its issuer and its audience.
  private static func user(of token: String, policy: TokenPolicy? = nil) async throws -> ProvenUser {
    var keys: [VerificationKey] = []
    for key in try KeyReader.keys(set: Array(keySet.utf8), takesSecrets: true) {
      keys.append(try #require(await VerificationKey(id: key.id, key.material)))
    }
    return try UserTokenReader(policy: policy ?? TokenPolicy(), limits: EdgeLimits()).user(
      of: token, keys: keys, now: now)
  }

  @Test("claims and headers that need not be there, and a key's members")
  func optional() async throws {
    let user = try await Self.user(
      of: Self.token(
        #"{"sub":"u","exp":1772356000,"iat":null,"nbf":null,"iss":null,"aud":null,"jti":null}"#,
        header: #"{"alg":"HS256","typ":null,"kid":null,"cty":null}"#))
    #expect(user.key == "u" && user.issuedAt == nil)
  }

  @Test(
    "what has to be there is missing",
    arguments: [
      (#"{"sub":null,"exp":1772356000,"iss":"i","aud":"a"}"#, TokenFlaw.noUser),
      (#"{"sub":"u","exp":null,"iss":"i","aud":"a"}"#, .endless),
      (#"{"sub":"u","exp":1772356000,"iss":null,"aud":"a"}"#, .issuer),
      (#"{"sub":"u","exp":1772356000,"iss":"i","aud":null}"#, .audience),
    ])
  func required(claims: String, flaw: TokenFlaw) async throws {
    var policy = TokenPolicy()
    policy.issuer = "i"
    policy.audience = "a"
    let judged = policy
    await #expect(throws: flaw) { _ = try await Self.user(of: Self.token(claims), policy: judged) }
  }

  @Test("but whatever crit is, it says that there is something to be understood. Spec: RFC 7515, 4.1.11")
  func critical() async throws {
    await #expect(throws: TokenFlaw.criticalHeader) {
      _ = try await Self.user(
        of: Self.token(#"{"sub":"u","exp":1772356000}"#, header: #"{"alg":"HS256","crit":null}"#))
    }
  }
}
