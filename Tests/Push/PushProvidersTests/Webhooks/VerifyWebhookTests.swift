import Foundation
import Testing

@Suite("The sample for receivers of webhooks")
struct VerifyWebhookTests {
  // The example of the Standard Webhooks' specification and libraries.
  private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
  private static let id = "msg_p5jXN8AQM9LWM0D4loKWxJek"
  private static let seconds = 1_614_265_330
  private static let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
  private static let body = #"{"test": 2432232314}"#

  struct Shown: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var secret = VerifyWebhookTests.secret
    var id = VerifyWebhookTests.id
    var timestamp = "\(VerifyWebhookTests.seconds)"
    var signatures = VerifyWebhookTests.signature
    var body = VerifyWebhookTests.body
    var age = 0
  }

  private func isTaken(_ shown: Shown) -> Bool {
    isGenuine(
      secret: shown.secret, id: shown.id, timestamp: shown.timestamp, signatures: shown.signatures,
      body: Data(shown.body.utf8), now: Date(timeIntervalSince1970: Double(Self.seconds + shown.age)))
  }

  @Test(
    "takes what is genuine",
    arguments: [
      Shown(testDescription: "as it comes"), Shown(testDescription: "five minutes old", age: 300),
      Shown(testDescription: "while the secret is changed", signatures: "v1,AAAA \(signature)"),
      Shown(testDescription: "beside another kind", signatures: "v1a,AAAA \(signature)"),
    ])
  func genuine(_ shown: Shown) { #expect(isTaken(shown)) }

  @Test(
    "refuses what is not",
    arguments: [
      Shown(testDescription: "another secret", secret: "whsec_c29tZWJvZHkgZWxzZQ=="),
      Shown(testDescription: "no secret", secret: "whsec_%"), Shown(testDescription: "another id", id: "msg_2"),
      Shown(testDescription: "another time", timestamp: "\(seconds + 1)"),
      Shown(testDescription: "no time", timestamp: "now"), Shown(testDescription: "no signature", signatures: ""),
      Shown(testDescription: "another version", signatures: "v2" + signature.dropFirst(2)),
      Shown(testDescription: "half a signature", signatures: String(signature.prefix(20))),
      Shown(testDescription: "another body", body: body + " "), Shown(testDescription: "too old", age: 301),
      Shown(testDescription: "of the future", age: -301),
    ])
  func forged(_ shown: Shown) { #expect(!isTaken(shown)) }
}
