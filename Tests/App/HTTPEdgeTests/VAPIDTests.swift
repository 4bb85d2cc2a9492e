import Crypto
import Testing
import TextEncoding

@testable import MessagingAPI

@Suite("VAPID, the senders' signature")
struct VAPIDTests {
  static let key = P256.Signing.PrivateKey()
  static let now: Int64 = 1_700_000_000
  static let origins: Set<String> = ["https://push.test", "https://fcm.googleapis.com"]

  static func publicKey(_ key: P256.Signing.PrivateKey = key) -> String {
    Base64.encodeForURL(key.publicKey.x963Representation)
  }

  static func token(
    _ claims: String, header: String = #"{"typ":"JWT","alg":"ES256"}"#, key: P256.Signing.PrivateKey = key
  ) throws -> String {
    let text = Base64.encodeForURL(header.utf8) + "." + Base64.encodeForURL(claims.utf8)
    return text + "." + Base64.encodeForURL(try key.signature(for: Array(text.utf8)).rawRepresentation)
  }

  static func claims(aud: String = #""https://push.test""#, exp: String = "\(now + 3_600)") -> String {
    #"{"aud":\#(aud),"exp":\#(exp),"sub":"mailto:a@b.test"}"#
  }

  private func verify(_ authorization: String, cryptoKey: String? = nil) throws -> String {
    let vapid = try VAPIDAuthorization(authorization: authorization, cryptoKey: cryptoKey)
    try vapid.verify(origins: Self.origins, now: Self.now)
    return vapid.publicKey
  }

  @Test("the newer form and the older one, with blanks and quotation marks as clients put them")
  func forms() throws {
    let (token, key) = (try Self.token(Self.claims()), Self.publicKey())
    for header in ["vapid t=\(token), k=\(key)", "vapid t=\(token),k=\(key)", #"Vapid k="\#(key)",t="\#(token)""#] {
      #expect(try verify(header) == key)
    }
    for scheme in ["WebPush", "Bearer"] {
      #expect(try verify("\(scheme) \(token)", cryptoKey: "dh=BAAA;p256ecdsa=\(key)") == key)
      #expect(try verify("\(scheme) \(token)", cryptoKey: "keyid=p256dh;dh=BAAA,p256ecdsa=\(key)=") == key)
    }
  }

  @Test(
    "audiences and ends that will do",
    arguments: [
      (#""https://push.test/""#, "\(now + 1)"), (#""HTTPS://Push.Test""#, "\(now + 86_400)"),
      (#"["https://a.test","https://push.test"]"#, "\(now).5"), (#""https://fcm.googleapis.com""#, "\(now - 59)"),
    ])
  func accepted(aud: String, exp: String) throws {
    #expect(
      try verify("vapid t=\(Self.token(Self.claims(aud: aud, exp: exp))),k=\(Self.publicKey())") == Self.publicKey())
  }

  @Test(
    "audiences and ends that will not",
    arguments: [
      (#""https://other.test""#, "\(now + 1)"), (#""http://push.test""#, "\(now + 1)"), ("null", "\(now + 1)"),
      ("[]", "\(now + 1)"), (#""https://push.test.evil""#, "\(now + 1)"), (#""https://push.test""#, "\(now - 61)"),
      (#""https://push.test""#, "\(now + 86_461)"), (#""https://push.test""#, "null"),
      (#""https://push.test""#, #""\#(now + 1)""#), (#""https://push.test""#, "1e400"),
    ])
  func rejected(aud: String, exp: String) throws {
    let header = "vapid t=\(try Self.token(Self.claims(aud: aud, exp: exp))),k=\(Self.publicKey())"
    #expect(throws: VAPIDAuthorization.Failure.self) { try verify(header) }
  }

  @Test("a signature of another key")
  func foreignKey() throws {
    let other = Self.publicKey(P256.Signing.PrivateKey())
    let header = "vapid t=\(try Self.token(Self.claims())),k=\(other)"
    #expect(throws: VAPIDAuthorization.Failure.rejected("the signature is not that of the key")) { try verify(header) }
  }

  @Test(
    "what cannot be read",
    arguments: [
      "", "vapid", "vapid t=a.b.c", "vapid k=\(publicKey())", "vapid t=,k=", "vapid t=a.b.c,k=\(publicKey())",
      "vapid t=\(Base64.encodeForURL("{}".utf8)).e30.AAAA,k=\(publicKey())", "WebPush a.b.c", "Basic abc",
      "vapid t=\(String(repeating: "a", count: 2_049)),k=\(publicKey())", "vapid t=a.b.c.d,k=\(publicKey())",
    ])
  func malformed(header: String) {
    #expect(throws: VAPIDAuthorization.Failure.malformed) { try verify(header) }
  }

  @Test("no algorithm but ES256", arguments: ["none", "HS256", "RS256", "es256"])
  func algorithm(name: String) throws {
    let token = try Self.token(Self.claims(), header: #"{"alg":"\#(name)"}"#)
    #expect(throws: VAPIDAuthorization.Failure.malformed) { try verify("vapid t=\(token),k=\(Self.publicKey())") }
  }
}
