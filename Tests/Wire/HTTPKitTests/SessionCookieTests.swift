import NIOHTTP1
import Testing

@testable import HTTPKit

@Suite("The cookie of a session")
struct SessionCookieTests {
  private static let secret = SessionSecret()
  private static let cookie = "carillon_session=" + secret.text

  @Test("what it is found by and what a page proves itself with follow from the secret, and tell nothing of each other")
  func secrets() throws {
    let read = try #require(SessionSecret(Self.secret.text))
    #expect(read.key == Self.secret.key && read.antiForgeryToken == Self.secret.antiForgeryToken)
    #expect(read.key.utf8.count == 64 && read.text.utf8.count == 43)
    let (one, other) = (SessionSecret(), SessionSecret())
    #expect(Set([one.text, one.key, one.antiForgeryToken, other.text, other.key, other.antiForgeryToken]).count == 6)
  }

  @Test(
    "is read where there is one, and one alone",
    arguments: [
      ([cookie], true), (["a=b; " + cookie + "; c=d"], true), (["a=b;" + cookie], true), (["a=b", cookie], true),
      ([], false), ([""], false), (["carillon_session="], false), (["carillon_session"], false),
      ([cookie + "; " + cookie], false), ([cookie, cookie], false), ([cookie + "A"], false),
      ([String(cookie.dropLast())], false), (["Carillon_Session=" + secret.text], false), (["x" + cookie], false),
      (["carillon_session=\"" + secret.text + "\""], false), (["carillon_session= " + secret.text], false),
      ([String(repeating: ";", count: 10_000)], false),
    ])
  func reading(headers: [String], isThere: Bool) {
    #expect(SessionCookie.secret(in: headers)?.key == (isThere ? Self.secret.key : nil))
  }

  @Test("is for this server, its browser and no script; over TLS for TLS alone")
  func writing() {
    let plain = SessionCookie.field(Self.secret, seconds: 60, isSecure: false)
    #expect(plain == Self.cookie + "; Path=/; HttpOnly; SameSite=Strict; Max-Age=60")
    #expect(SessionCookie.field(Self.secret, seconds: 60, isSecure: true) == plain + "; Secure")
    #expect(
      SessionCookie.cleared(isSecure: true)
        == "carillon_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0; Secure")
  }

  @Test(
    "counts for requests of this server's own pages without a credential of their own",
    arguments: [
      ([], true), ([("Origin", "http://push.test")], true), ([("Origin", "https://PUSH.test")], true),
      ([("Origin", "http://push.test:81")], false), ([("Origin", "https://evil.test")], false),
      ([("Origin", "https://push.example.com"), ("Sec-Fetch-Site", "same-origin")], true),
      ([("Origin", "https://push.example.com"), ("Sec-Fetch-Site", "same-site")], false),
      ([("Origin", "https://push.example.com"), ("Sec-Fetch-Site", "cross-site")], false),
      ([("Origin", "null")], false), ([("Origin", "")], false), ([("Authorization", "Bearer x")], false),
    ] as [([(String, String)], Bool)])
  func showing(fields: [(String, String)], isShown: Bool) {
    let headers = HTTPHeaders([("Host", "push.test"), ("Cookie", Self.cookie)] + fields)
    let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/", headers: headers)
    #expect((ShownSession(head) != nil) == isShown)
  }
}
