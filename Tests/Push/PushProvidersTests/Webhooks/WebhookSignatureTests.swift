import Crypto
import EventSourcing
import PushDomain
import StandInSupport
import Testing
import TextEncoding

@testable import PushProviders

@Suite("Webhook signatures", .serialized, .standIn("webhook.py", "--plain"))
struct WebhookSignatureTests {
  /// The example of the Standard Webhooks libraries.
  @Test("the published example")
  func example() throws {
    let secrets = try WebhookSecrets(secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    let signature = secrets.signatures(
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek", at: Timestamp(milliseconds: 1_614_265_330_999),
      Array(#"{"test": 2432232314}"#.utf8))
    #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  }

  static let current = "whsec_" + Base64.encode((0..<24).map { UInt8($0) })
  static let previous = "whsec_" + Base64.encode((0..<64).map { UInt8($0 + 100) })
  static let key = Curve25519.Signing.PrivateKey()
  static let seed = "whsk_" + Base64.encode(key.rawRepresentation)
  static let pair =
    "whsk_"
    + Base64.encode(Array(key.rawRepresentation) + Array(key.publicKey.rawRepresentation))

  @Test(
    "the receiver's library verifies each of them, for both types",
    arguments: [
      ([:], []), (["webhooks.secret": current], ["v1:0"]),
      (["webhooks.secret": current, "webhooks.previous_secret": previous], ["v1:0", "v1:1"]),
      (["webhooks.previous_secret": previous], ["v1:1"]),
      (
        [
          "webhooks.secret": current, "webhooks.previous_secret": previous,
          "webhooks.previous_secret_until": "2199-01-01T00:00:00Z",
        ], ["v1:0", "v1:1"]
      ),
      (
        [
          "webhooks.secret": current, "webhooks.previous_secret": previous,
          "webhooks.previous_secret_until": "2001-01-01T00:00:00Z",
        ], ["v1:0"]
      ),
      (["webhooks.signing_key": seed], ["v1a"]), (["webhooks.signing_key": pair], ["v1a"]),
      (["webhooks.secret": current, "webhooks.signing_key": seed], ["v1:0", "v1a"]),
    ] as [([String: String], [String])])
  func verified(options: [String: String], signatures: [String]) async throws {
    try await withStandIn("webhook.py", ["--plain"]) { receiver, courier in
      try await receiver.tell([
        "secrets": [Self.current, Self.previous],
        "public_key": Base64.encode(Self.key.publicKey.rawRepresentation),
      ])
      let url = "http://127.0.0.1:\(receiver.port)/x"
      for (provider, delivery) in [
        (
          HTTPCallbackProvider(courier: courier) as any PushProvider,
          PushDelivery.callback(url, options: options)
        ),
        (CustomHTTPProvider(courier: courier), .custom(url, options: options)),
      ] {
        #expect(await provider.deliver(delivery) == .delivered())
        let request = try #require(await receiver.next())
        #expect(request["verified"] as? [String] == signatures)
        #expect(request["signatures"] as? Int == signatures.count)
        let headers = request["headers"] as? [String: String] ?? [:]
        #expect(headers["webhook-id"] == PushDelivery.pushID)
        #expect(headers["webhook-timestamp"] == "\(delivery.now.wholeSeconds)")
      }
    }
  }

  @Test("another attempt: the same id, its own time, another signature")
  func attempts() async throws {
    try await withStandIn("webhook.py", ["--plain"]) { receiver, courier in
      try await receiver.tell(["secrets": [Self.current]])
      let target = PushAddress(type: "customhttp", deviceID: "d")
      let options = [
        "customhttp.url": "http://127.0.0.1:\(receiver.port)/", "webhooks.secret": Self.current,
      ]
      let start = Timestamp.ofToday
      var seen: [[String: String]] = []
      for attempt in 1...2 {
        let delivery = PushDelivery.posting(
          .posted(to: target), options, attempt: attempt,
          now: start.advanced(by: .seconds(attempt * 10)))
        #expect(await CustomHTTPProvider(courier: courier).deliver(delivery) == .delivered())
        let request = try #require(await receiver.next())
        #expect(request["verified"] as? [String] == ["v1:0"])
        seen.append(request["headers"] as? [String: String] ?? [:])
      }
      #expect(seen[0]["webhook-id"] == seen[1]["webhook-id"])
      #expect(seen[0]["webhook-timestamp"] != seen[1]["webhook-timestamp"])
      #expect(seen[0]["webhook-signature"] != seen[1]["webhook-signature"])
    }
  }

  @Test(
    "secrets that are none",
    arguments: [
      "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_", "whsec_AAAA",
      "whsec_!!!!" + String(repeating: "A", count: 40),
      "whsec_" + Base64.encode([UInt8](repeating: 1, count: 23)),
      "whsec_" + Base64.encode([UInt8](repeating: 1, count: 65)), seed,
    ])
  func malformed(secret: String) {
    #expect(throws: OptionProblem("malformed: webhooks.secret")) {
      try WebhookSecrets(secret: secret)
    }
  }

  @Test("a signing key whose halves do not belong together is none")
  func mismatch() {
    let other = Curve25519.Signing.PrivateKey().publicKey.rawRepresentation
    let text = "whsk_" + Base64.encode(Array(Self.key.rawRepresentation) + Array(other))
    #expect(throws: OptionProblem("malformed: webhooks.signing_key")) {
      try WebhookSecrets(secret: nil, signingKey: text)
    }
  }

  @Test("they do not tell themselves")
  func description() throws {
    #expect("\(try WebhookSecrets(secret: Self.current))" == "webhook secrets")
  }
}
