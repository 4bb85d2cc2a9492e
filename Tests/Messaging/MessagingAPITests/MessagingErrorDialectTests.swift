import HTTPKit
import MessagingAPI
import Testing

@Suite("An error that no route of messaging has made")
struct MessagingErrorDialectTests {
  private static let failure = EdgeFailure.unavailable("The server is not ready")

  @Test(
    "is told in the words of whoever asks there",
    arguments: [
      ("/iid/info/token", #"{"error":"The server is not ready"}"#),
      ("/gcm/notification?x=1", #"{"error":"The server is not ready"}"#),
      ("/fcm/notification", #"{"error":"The server is not ready"}"#),
      ("/c2dm/register3", "Error=SERVICE_NOT_AVAILABLE"),
    ])
  func body(target: String, body: String) throws {
    let dialect = try #require(MessagingErrorDialect(target: target))
    #expect(String(decoding: dialect.body(Self.failure), as: UTF8.self) == body)
  }

  @Test("has a code of Google's below /v1/")
  func v1() throws {
    let dialect = try #require(MessagingErrorDialect(target: "/v1/projects/p/installations"))
    let body = String(decoding: dialect.body(Self.failure), as: UTF8.self)
    #expect(body.contains(#""status":"UNAVAILABLE""#) && body.contains(#""code":503"#))
  }

  @Test("is JSON, but for the registration, which is one line of text")
  func contentType() throws {
    for target in ["/v1/", "/iid/", "/gcm/notification"] {
      #expect("\(try #require(MessagingErrorDialect(target: target)).contentType)".hasPrefix("application/json"))
    }
    #expect("\(try #require(MessagingErrorDialect(target: "/c2dm/register3")).contentType)".hasPrefix("text/plain"))
  }

  @Test(
    "has everybody's shape elsewhere", arguments: ["/checkin", "/device/1/topics", "/wp/t", "/fcm/send/t", "/token"])
  func plain(target: String) { #expect(MessagingErrorDialect(target: target) == nil) }
}
