import Crypto
import EventSourcing
import Foundation
import PushDomain
import StandInSupport
import Synchronization
import Testing
import TextEncoding

@testable import PushProviders

extension PushDelivery {
  /// To a receiver on this machine, for an app that is marked as test.
  static func support(
    _ url: String, type: String = "support-webhook", content: String = SupportWebhookTests.body,
    options: [String: String] = [:], now: Timestamp = .ofToday
  ) -> PushDelivery {
    .posting(
      .posted(to: PushAddress(type: type, deviceID: url), content: content),
      ["support.test": "true", "webhooks.allow_private": "127.0.0.1/32"].merging(options) { $1 }, now: now)
  }
}

@Suite("Support webhook, what goes out", .serialized, .standIn("webhook.py", "--plain"))
struct SupportWebhookTests {
  static let body =
    #"{"devices":[{"identifier":"oiuytrdsdfghjk","type":"ios"}],"notification":{"body":"Grüße","#
    + #""title":"Agent replied","ticket_id":"5"}}"#
  static let standardSecret = "whsec_" + Base64.encode((0..<32).map { UInt8($0) })
  /// The one of Zendesk's documentation.
  static let zendeskSecret = "dGhpc19zZWNyZXRfaXNfZm9yX3Rlc3Rpbmdfb25seQ=="

  @Test("the body goes byte for byte to the callback URL, with Zendesk's headers", arguments: types)
  func request(type: String) async throws {
    try await withReceiver { server, courier in
      let provider = SupportWebhookProvider(courier: courier)
      let delivery = PushDelivery.support(server.url("/status/200?k=a%20b"), type: type)
      #expect(await provider.deliver(delivery) == .delivered())
      let request = try #require(server.log.requests.first)
      #expect(request.method == "POST")
      #expect(request.path == "/status/200?k=a%20b")
      #expect(request.text == Self.body)
      #expect(request.headers["content-type"] == "application/json")
      #expect(request.headers["accept"] == "application/json")
      #expect(request.headers["user-agent"] == "Carillon/1.2.3")
      #expect(request.headers["webhook-id"] == PushDelivery.pushID)
      #expect(request.headers["webhook-timestamp"] == "\(delivery.now.wholeSeconds)")
      #expect(!request.headers.keys.contains { $0 == "webhook-signature" || $0.hasPrefix("x-zendesk") })
    }
  }

  static let types = ["support-webhook", "support-events"]

  @Test("both signatures hold for who checks them; only notifications have Zendesk's", arguments: types)
  func signatures(type: String) async throws {
    try await withStandIn("webhook.py", ["--plain"]) { receiver, courier in
      try await receiver.tell(["secrets": [Self.standardSecret]])
      let delivery = PushDelivery.support(
        "http://127.0.0.1:\(receiver.port)/", type: type,
        options: [
          "webhooks.secret": Self.standardSecret, "support.zendesk_signature_secret": Self.zendeskSecret,
        ])
      #expect(await SupportWebhookProvider(courier: courier).deliver(delivery) == .delivered())
      let request = try #require(await receiver.next())
      #expect(request["verified"] as? [String] == ["v1:0"])
      let headers = try #require(request["headers"] as? [String: String])
      let timestamp = headers["x-zendesk-webhook-signature-timestamp"]
      guard type == "support-webhook" else {
        #expect(timestamp == nil && headers["x-zendesk-webhook-signature"] == nil)
        return
      }
      let text = try #require(timestamp)
      #expect(text == delivery.now.iso8601 && text.hasSuffix("Z"))
      let signature = try #require(
        headers["x-zendesk-webhook-signature"].flatMap { Data(base64Encoded: $0) })
      #expect(
        HMAC<SHA256>.isValidAuthenticationCode(
          signature, authenticating: Data((text + Self.body).utf8),
          using: SymmetricKey(data: Data(Self.zendeskSecret.utf8))))
    }
  }

  /// Computed by Python's `hmac`.
  @Test("Zendesk's signature of a known request")
  func knownSignature() throws {
    let options = PushOptions(["support.zendesk_signature_secret": Self.zendeskSecret])
    let signature = try #require(try ZendeskSignature(options))
    let headers = signature.headers(
      for: Array(Self.body.utf8), at: Timestamp(milliseconds: 1_700_000_000_999))
    #expect(headers.map(\.value) == ["2023-11-14T22:13:20Z", "xn89nr9AFNdTUTXr5GUL84psvqLIP3L/q0NstsUC39E="])
    #expect(
      headers.map(\.name) == ["X-Zendesk-Webhook-Signature-Timestamp", "X-Zendesk-Webhook-Signature"])
  }

  @Test(
    "what stands in the way is named without its value, and stops the lane if it is tried all the same",
    arguments: [
      (["webhooks.secret": "geheim"], "malformed: webhooks.secret"),
      (["webhooks.allow_private": "10/8"], "malformed: webhooks.allow_private"),
      (["webhooks.ca_file": "/does/not/exist"], "unreadable: webhooks.ca_file"),
      (["support.webhook_timeout": "0"], "malformed: support.webhook_timeout"),
      (["support.webhook_timeout": "61"], "malformed: support.webhook_timeout"),
      (["support.webhook_timeout": "10s"], "malformed: support.webhook_timeout"),
      (
        ["support.zendesk_signature_secret": String(repeating: "s", count: 1_025)],
        "malformed: support.zendesk_signature_secret"
      ),
    ] as [([String: String], String)])
  func obstacles(options: [String: String], obstacle: String) async throws {
    try await withReceiver { server, courier in
      let provider = SupportWebhookProvider(courier: courier)
      let delivery = PushDelivery.support(server.url("/status/200"), options: options)
      #expect(provider.obstacle(delivery.message.target, delivery.options) == obstacle)
      #expect(await provider.deliver(delivery) == .laneBroken(reason: obstacle))
      #expect(server.log.requests.isEmpty)
      let fine = PushDelivery.support(
        server.url("/status/200"),
        options: ["support.webhook_timeout": "60", "support.zendesk_signature_secret": "s"])
      #expect(provider.obstacle(fine.message.target, fine.options) == nil)
    }
  }

  @Test("ten seconds for the answer unless the option says otherwise", arguments: [(nil, 10), ("1", 1), ("60", 60)])
  func answerTimeout(option: String?, seconds: Int) throws {
    let options = PushOptions(["support.webhook_timeout": option ?? ""])
    let target = PushAddress(type: "support-webhook", deviceID: "https://a.test/")
    #expect(try SupportWebhookProvider.Terms(target, options).answerTimeout == .seconds(seconds))
  }

  @Test(
    "a URL is judged when it is set, with the addresses that its name has then",
    arguments: [
      ("https://10.0.0.1/", "private address"), ("http://a.test/", "not https"), ("ftp://a.test/", "invalid URL"),
      ("https://inside.test/", "private address"), ("https://both.test/", "private address"),
      ("https://a.test:22/", "port not allowed"), ("https://a.test/", nil), ("https://nobody.test/", nil),
    ] as [(String, String?)])
  func objection(url: String, reason: String?) async throws {
    let names = StagedNames([
      "a.test": [["93.184.216.34"]], "inside.test": [["192.168.1.1"]], "both.test": [["93.184.216.34", "127.0.0.1"]],
    ])
    try await withCourier(names: names) { courier in
      let provider = SupportWebhookProvider(courier: courier)
      let target = PushAddress(type: "support-webhook", deviceID: url)
      #expect(await provider.objection(to: target, PushOptions()) == reason)
    }
  }

  @Test("lanes: one for each endpoint and type, and a label without the URL")
  func lanes() async throws {
    try await withCourier { courier in
      let provider = SupportWebhookProvider(courier: courier)
      #expect(provider.types == ["support-webhook", "support-events"])
      func lane(_ url: String, _ type: String = "support-webhook") -> CourierLane {
        provider.lane(of: PushAddress(type: type, deviceID: url), PushOptions())
      }
      // One of many at its host may be gone while the others are not.
      #expect(lane("https://a.test/secret-1") == lane("https://A.test/secret-1"))
      #expect(lane("https://a.test/secret-1") != lane("https://a.test/secret-2"))
      #expect(lane("https://a.test/secret-1").endpoint == "https://a.test/…et-1")
      #expect(lane("https://a.test/") != lane("https://b.test/"))
      #expect(lane("https://a.test/") != lane("https://a.test/", "support-events"))
      #expect(lane("https://a.test/x").label == "webhook:support-webhook")
      #expect(lane("https://a.test/x").isEndpoint && lane("https://a.test/x").inFlightMaximum == 16)
    }
  }
}

@Suite("Support webhook, what comes back", .serialized, .standIn("webhook.py", "--plain"))
struct SupportWebhookAnswerTests {
  @Test(
    "each status",
    arguments: [
      (200, .delivered()), (201, .delivered()), (202, .delivered()), (204, .delivered()), (299, .delivered()),
      (301, .retryable(reason: "301 Moved Permanently")), (400, .rejected(reason: "400 Bad Request")),
      (401, .rejected(reason: "401 Unauthorized")), (404, .rejected(reason: "404 Not Found")),
      // Everybody's receiver is gone, and not one user's device.
      (410, .endpointGone(reason: "410 Gone")),
      (429, .retryable(reason: "429 Too Many Requests", after: .seconds(7))),
      (500, .retryable(reason: "500 Internal Server Error")),
      (502, .retryable(reason: "502 Bad Gateway", after: .seconds(7))),
      (503, .retryable(reason: "503 Service Unavailable", after: .seconds(7))),
    ] as [(Int, PushOutcome)])
  func statuses(status: Int, outcome: PushOutcome) async throws {
    try await withStandIn("webhook.py", ["--plain"]) { receiver, courier in
      try await receiver.willAnswer(status, headers: ["Retry-After": "7"])
      let delivery = PushDelivery.support("http://127.0.0.1:\(receiver.port)/")
      #expect(await SupportWebhookProvider(courier: courier).deliver(delivery) == outcome)
    }
  }

  @Test("of an answer that is no success the first kilobyte is shown, of one that is nothing")
  func noted() async throws {
    try await withReceiver { server, courier in
      let seen = AnswerSeen()
      func deliver(_ path: String) async -> PushOutcome {
        let delivery = PushDelivery.support(server.url(path))
        return await SupportWebhookProvider(courier: courier).deliver(
          PushDelivery(
            message: delivery.message, id: delivery.id, attempt: 1, options: delivery.options, now: delivery.now,
            noteAnswer: { seen.note($0) }))
      }
      #expect(await deliver("/body") == .delivered())
      #expect(seen.answers.isEmpty)
      #expect(await deliver("/status/404") == .rejected(reason: "404 Not Found"))
      #expect(seen.answers.count == 1)
    }
  }

  @Test("a redirect is not followed")
  func redirect() async throws {
    try await withReceiver { server, courier in
      let outcome = await SupportWebhookProvider(courier: courier).deliver(.support(server.url("/redirect")))
      #expect(outcome == .retryable(reason: "302 Found"))
      #expect(server.log.requests.map(\.path) == ["/redirect"])
    }
  }

  @Test(
    "a receiver that hangs is given up when the option says so, long before the settings do",
    arguments: ["/silent", "/drip"])
  func hangs(path: String) async throws {
    try await withReceiver(.with(connect: .seconds(300), read: .seconds(300))) { server, courier in
      let start = ContinuousClock.now
      let outcome = await SupportWebhookProvider(courier: courier).deliver(
        .support(server.url(path), options: ["support.webhook_timeout": "1"]))
      let duration = ContinuousClock.now - start
      #expect(outcome == .retryable(reason: "no answer in time", mayBeDelivered: true, isTransport: true))
      #expect(duration >= .milliseconds(900) && duration < .seconds(60))
    }
  }

  @Test("a receiver that is slower than the settings allow, but not than the option")
  func patient() async throws {
    try await withStandIn("webhook.py", ["--plain"]) { receiver, _ in
      try await withCourier(.with(read: .milliseconds(100))) { courier in
        let provider = SupportWebhookProvider(courier: courier)
        let url = "http://127.0.0.1:\(receiver.port)/"
        try await receiver.tell(["answers": [["delay": 0.6]]])
        #expect(await provider.deliver(.support(url, options: ["support.webhook_timeout": "60"])) == .delivered())
        // The settings hold for everybody else.
        try await receiver.tell(["answers": [["delay": 0.6]]])
        guard case .retryable = await HTTPCallbackProvider(courier: courier).deliver(.callback(url)) else {
          Issue.record("waited for a slow receiver")
          return
        }
      }
    }
  }

  @Test("an endpoint that hangs does not delay the others")
  func others() async throws {
    try await withReceiver(.with(read: .seconds(30))) { slow, courier in
      let quick = try await ReceiverServer.start()
      let provider = SupportWebhookProvider(courier: courier)
      let url = slow.url("/hold")
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<16 { group.addTask { _ = await provider.deliver(.support(url)) } }
        await slow.log.waitUntilHeld(16)
        for _ in 0..<4 {
          #expect(await provider.deliver(.support(quick.url("/status/200"))) == .delivered())
        }
        slow.log.release()
      }
      try await quick.stop()
    }
  }
}

@Suite("Support webhook, where it may go")
struct SupportWebhookGuardTests {
  @Test(
    "plain http only for a test app, private addresses only where the operator allows them",
    arguments: [
      ([:], nil),
      (["support.test": "false"], "not https"), (["support.test": ""], "not https"),
      (["webhooks.allow_private": ""], "private address"),
      (["webhooks.allow_private": "10.0.0.0/8"], "private address"),
      (["support.test": "", "webhooks.allow_private": ""], "not https"),
    ] as [([String: String], String?)], SupportWebhookTests.types)
  func addresses(_ row: ([String: String], String?), type: String) async throws {
    try await withReceiver { server, courier in
      let provider = SupportWebhookProvider(courier: courier)
      let delivery = PushDelivery.support(server.url("/status/200"), type: type, options: row.0)
      #expect(await provider.deliver(delivery) == row.1.map { .refused(reason: $0) } ?? .delivered())
      #expect(provider.obstacle(delivery.message.target, delivery.options) == row.1.map { "device id: \($0)" })
      #expect(server.log.connections == (row.1 == nil ? 1 : 0))
    }
  }

  @Test("a name is judged by its addresses, and not even asked for if the URL is not https")
  func names() async throws {
    let names = StagedNames(["inside.test": [["10.0.0.7"]]])
    try await withCourier(names: names) { courier in
      let provider = SupportWebhookProvider(courier: courier)
      let plain = PushDelivery.support("http://inside.test/", options: ["support.test": ""])
      #expect(await provider.deliver(plain) == .refused(reason: "not https"))
      #expect(names.asked.isEmpty)
      let inside = PushDelivery.support("https://inside.test/", options: ["support.test": ""])
      #expect(provider.obstacle(inside.message.target, inside.options) == nil)
      #expect(await provider.deliver(inside) == .refused(reason: "private address"))
    }
  }

  @Test(
    "what is wrong with a URL can be told before anything is sent",
    arguments: [
      ("https://a.test/hook", nil), ("http://a.test/hook", "device id: not https"),
      ("ftp://a.test/", "device id: invalid URL"), ("", "device id: invalid URL"),
      ("https://u:p@a.test/", "device id: invalid URL"), ("https://8.8.8.8:22/", "device id: port not allowed"),
      ("https://192.168.1.1/", "device id: private address"), ("https://127.0.0.1:9/", nil),
    ] as [(String, String?)])
  func obstacle(url: String, obstacle: String?) async throws {
    try await withCourier { courier in
      let delivery = PushDelivery.support(url, options: ["support.test": "false"])
      let provider = SupportWebhookProvider(courier: courier)
      #expect(provider.obstacle(delivery.message.target, delivery.options) == obstacle)
    }
  }

  @Test("over TLS the certificate must be one that is trusted for the name")
  func tls() async throws {
    let names = StagedNames(["receiver.test": [["127.0.0.1"]], "other.test": [["127.0.0.1"]]])
    try await withStandIn("webhook.py", names: names) { receiver, courier in
      let provider = SupportWebhookProvider(courier: courier)
      func outcome(_ host: String, _ options: [String: String]) async -> PushOutcome {
        await provider.deliver(
          .support("https://\(host):\(receiver.port)/", options: options.merging(["support.test": "false"]) { $1 }))
      }
      let trusting = ["webhooks.ca_file": receiver.authority]
      let untrusted = PushOutcome.retryable(reason: "certificate not trusted", isTransport: true)
      #expect(await outcome("receiver.test", trusting) == .delivered())
      #expect(await outcome("other.test", trusting) == untrusted)
      #expect(await outcome("receiver.test", [:]) == untrusted)
    }
  }
}

private final class AnswerSeen: Sendable {
  private let all = Mutex<[[UInt8]]>([])
  func note(_ answer: [UInt8]) { all.withLock { $0.append(answer) } }
  var answers: [[UInt8]] { all.withLock { $0 } }
}

@Suite("Operator's events, what goes out", .serialized, .standIn("webhook.py", "--plain"))
struct OperatorEventsProviderTests {
  private static let body = #"{"type":"device.ended","timestamp":"2026-11-22T18:00:00Z","data":{"device":"ab"}}"#

  private static func delivery(_ url: String, _ options: [String: String] = [:]) -> PushDelivery {
    .posting(
      .posted(to: PushAddress(type: "push-events", deviceID: "operator"), content: body),
      ["push.events_url": url].merging(options) { $1 })
  }

  @Test("the event is the body, signed with the events' own secret; private addresses are the operator's own")
  func request() async throws {
    try await withStandIn("webhook.py", ["--plain"]) { receiver, courier in
      let secret = "whsec_" + String(repeating: "QUJD", count: 10)
      let provider = OperatorEventsProvider(courier: courier)
      let delivery = Self.delivery("http://127.0.0.1:\(receiver.port)/events", ["push.events_secret": secret])
      #expect(provider.obstacle(delivery.message.target, delivery.options) == nil)
      #expect(await provider.deliver(delivery) == .delivered())
      let request = try #require(await receiver.next())
      #expect(request["path"] as? String == "/events" && request["text"] as? String == Self.body)
    }
  }

  @Test("without a URL it waits, and a receiver that is gone is switched off")
  func failures() async throws {
    try await withReceiver { server, courier in
      let provider = OperatorEventsProvider(courier: courier)
      #expect(await provider.deliver(Self.delivery("")) == .laneBroken(reason: "not set: push.events_url"))
      #expect(await provider.deliver(Self.delivery(server.url("/status/410"))) == .endpointGone(reason: "410 Gone"))
      #expect(await provider.deliver(Self.delivery(server.url("/status/204"))) == .delivered())
    }
  }

  @Test("the event's tag comes as a header, as with all webhooks")
  func tag() async throws {
    try await withReceiver { server, courier in
      let delivery = Self.delivery(server.url("/status/200"))
      #expect(await OperatorEventsProvider(courier: courier).deliver(delivery) == .delivered())
      #expect(server.log.requests.first?.headers["carillon-event"] == delivery.message.tag)
    }
  }
}
