import Crypto
import EventSourcing
import Foundation
import JSONEnvelope
import PushDomain
import StandInSupport
import Testing
import TextEncoding

@testable import PushProviders

@Suite("Web Push", .serialized, .standIn("webpush.py"))
struct WebPushTests {
  static let key = P256.Signing.PrivateKey()
  static let keyText = Base64.encodeForURL(key.rawRepresentation)

  static func subscription(_ service: StandIn, origin: String? = nil) -> String {
    let keys = service.hello["subscription"] as? [String: String] ?? [:]
    let origin = origin ?? "https://127.0.0.1:\(service.port)"
    let (point, secret) = (keys["p256dh"] ?? "", keys["auth"] ?? "")
    return
      #"{"endpoint":"\#(origin)/push/1","expirationTime":null,"keys":{"p256dh":"\#(point)","auth":"\#(secret)"}}"#
  }

  static func options(_ service: StandIn) -> [String: String] {
    [
      "webpush.private_key": keyText, "webpush.subject": "mailto:push@a.test",
      "webpush.ca_file": service.authority,
      "webhooks.allow_private": "127.0.0.1/32",
    ]
  }

  static func delivery(
    _ service: StandIn, origin: String? = nil, options: [String: String] = [:],
    now: Timestamp = .ofToday,
    _ message: (PushAddress) -> PushMessage = { .posted(to: $0) }
  ) -> PushDelivery {
    let target = PushAddress(type: "webpush", deviceID: subscription(service, origin: origin))
    return .posting(message(target), Self.options(service).merging(options) { $1 }, now: now)
  }

  @Test(
    "each answer",
    arguments: [
      (200, .delivered()), (201, .delivered()), (202, .delivered()), (204, .delivered()),
      (400, .unregistered(reason: "400 Bad Request", isSuspect: true)),
      (401, .unregistered(reason: "401 Unauthorized", isSuspect: true)),
      (403, .unregistered(reason: "403 Forbidden", isSuspect: true)),
      (404, .unregistered(reason: "404 Not Found")), (410, .unregistered(reason: "410 Gone")),
      (413, .refused(reason: "413 Payload Too Large")),
      (429, .retryable(reason: "429 Too Many Requests", after: .seconds(11))),
      (500, .retryable(reason: "500 Internal Server Error", after: .seconds(11))),
      (503, .retryable(reason: "503 Service Unavailable", after: .seconds(11))),
      (307, .retryable(reason: "307 Temporary Redirect")),
      (409, .retryable(reason: "409 Conflict")),
    ] as [(Int, PushOutcome)])
  func answers(status: Int, outcome: PushOutcome) async throws {
    try await withStandIn("webpush.py") { service, courier in
      try await service.willAnswer(
        status, headers: ["Retry-After": "11", "Location": "https://127.0.0.1/x"])
      #expect(await WebPushProvider(courier: courier).deliver(Self.delivery(service)) == outcome)
    }
  }

  @Test("the service takes the token, and the subscription's owner reads the text")
  func taken() async throws {
    let names = StagedNames(["receiver.test": [["127.0.0.1"]]])
    try await withStandIn("webpush.py", names: names) { service, courier in
      try await service.tell([
        "public_key": Base64.encodeForURL(Self.key.publicKey.x963Representation)
      ])
      let content = #"{"message":"Grüße 👋","serviceId":"412"}"#
      let now = Timestamp.ofToday
      let origin = "https://receiver.test:\(service.port)"
      let delivery = Self.delivery(service, origin: origin, now: now) {
        .posted(to: $0, content: content)
      }
      #expect(await WebPushProvider(courier: courier).deliver(delivery) == .delivered())
      let request = try #require(await service.next())
      #expect(request["problem"] == nil)
      #expect(request["plain"] as? String == content)
      let claims = try #require(request["claims"] as? [String: any Sendable])
      #expect(claims["aud"] as? String == origin)
      #expect(claims["sub"] as? String == "mailto:push@a.test")
      #expect(claims["exp"] as? Int == Int(now.wholeSeconds) + 43_200)
      let headers = try #require(request["headers"] as? [String: String])
      #expect(
        headers["ttl"] == "2419200" && headers["urgency"] == "high" && headers["topic"] == nil)
      #expect(
        headers["content-encoding"] == "aes128gcm" && headers["user-agent"] == "Carillon/1.2.3")
    }
  }

  @Test(
    "time to live, urgency and topic",
    arguments: [
      (60, false, nil, .normal, "60", "normal", nil),
      (nil, true, "abc_DEF-1", .high, "0", "high", "abc_DEF-1"),
      (
        90 * 86_400, false, String(repeating: "k", count: 32), .high, "2419200", "high",
        String(repeating: "k", count: 32)
      ),
      (-5, false, "with blank", .high, "0", "high", "hashed"),
      (1, false, String(repeating: "k", count: 33), .high, "1", "high", "hashed"),
      (1, false, "", .high, "1", "high", "hashed"),
    ] as [(Int?, Bool, String?, PushPriority, String, String, String?)])
  func headers(
    ttl: Int?, isNowOrNever: Bool, collapseKey: String?, priority: PushPriority, ttlText: String,
    urgency: String,
    topic: String?
  ) async throws {
    try await withStandIn("webpush.py") { service, courier in
      let now = Timestamp.ofToday
      let delivery = Self.delivery(service, now: now) {
        .posted(
          to: $0, expiry: ttl.map { now.advanced(by: .seconds($0)) }, collapseKey: collapseKey,
          priority: priority,
          isNowOrNever: isNowOrNever)
      }
      #expect(await WebPushProvider(courier: courier).deliver(delivery) == .delivered())
      let headers = try #require(await service.next()?["headers"] as? [String: String])
      #expect(headers["ttl"] == ttlText && headers["urgency"] == urgency)
      if topic == "hashed" {
        #expect(headers["topic"]?.count == 32 && headers["topic"] != collapseKey)
      } else {
        #expect(headers["topic"] == topic)
      }
    }
  }

  @Test("what is to be displayed, with the content as its data")
  func display() async throws {
    var display = PushDisplay()
    (display.title, display.badge, display.image) = ("T", 2, "https://a.test/i.png")
    try await withStandIn("webpush.py") { [display] service, courier in
      let delivery = Self.delivery(service) {
        .posted(to: $0, content: #"{"a":1}"#, display: display, form: .members)
      }
      #expect(await WebPushProvider(courier: courier).deliver(delivery) == .delivered())
      #expect(
        await service.next()?["plain"] as? String
          == #"{"title":"T","body":"New message from Agent","image":"https://a.test/i.png","badge":2,"data":{"a":1}}"#
      )
    }
  }

  @Test(
    "the longest text goes out whole, a longer one without its bulk, else not at all",
    arguments: [(3_993, nil, true), (3_994, "{}", true), (3_994, nil, false), (0, nil, true)]
      as [(Int, String?, Bool)])
  func size(bytes: Int, compact: String?, isSent: Bool) async throws {
    try await withStandIn("webpush.py") { service, courier in
      let content = String(repeating: "x", count: bytes)
      let delivery = Self.delivery(service) {
        .posted(to: $0, content: content, compactContent: compact)
      }
      let outcome = await WebPushProvider(courier: courier).deliver(delivery)
      guard isSent else {
        #expect(outcome == .refused(reason: "content too long"))
        return
      }
      #expect(outcome == .delivered())
      #expect(await service.next()?["plain"] as? String == (bytes == 0 ? "{}" : compact ?? content))
    }
  }

  @Test("one token serves an origin for most of its life, and each origin has its own")
  func tokens() throws {
    let tokens = VAPIDTokens()
    let key = try #require(VAPIDKey(Array(Self.keyText.utf8)))
    let start = Timestamp(milliseconds: 1_700_000_000_000)
    func token(_ audience: String, after seconds: Int) throws -> String {
      try tokens.authorization(
        key, subject: "mailto:a@b", audience: audience, now: start.advanced(by: .seconds(seconds)))
    }
    let first = try token("https://a.test", after: 0)
    #expect(try token("https://a.test", after: 42_000) == first)
    #expect(try token("https://b.test", after: 0) != first)
    let second = try token("https://a.test", after: 42_700)
    #expect(second != first)
    #expect(try token("https://a.test", after: 0) != second)
  }

  @Test("keys in each form, and what stands in the way")
  func keys() async throws {
    try await withStandIn("webpush.py") { service, courier in
      let provider = WebPushProvider(courier: courier)
      let file = service.directory + "/vapid.pem"
      try Self.key.pemRepresentation.write(toFile: file, atomically: true, encoding: .utf8)
      try await service.tell([
        "public_key": Base64.encodeForURL(Self.key.publicKey.x963Representation)
      ])
      for options in [
        [:], ["webpush.private_key": Self.key.pemRepresentation],
        ["webpush.private_key": "", "webpush.private_key_file": file],
      ] {
        let delivery = Self.delivery(service, options: options)
        #expect(provider.obstacle(delivery.message.target, delivery.options) == nil)
        #expect(await provider.deliver(delivery) == .delivered())
      }
      for (options, obstacle) in [
        (["webpush.private_key": ""], "not set: webpush.private_key or webpush.private_key_file"),
        (["webpush.private_key": "geheim"], "malformed: webpush.private_key"),
        (
          ["webpush.private_key": "", "webpush.private_key_file": "/no/file"],
          "unreadable: webpush.private_key_file"
        ),
        (
          ["webpush.private_key": "", "webpush.private_key_file": service.authority],
          "malformed: webpush.private_key_file"
        ),
        (["webpush.subject": ""], "not set: webpush.subject"),
        (["webpush.subject": "me"], "malformed: webpush.subject"),
        (["webpush.ca_file": "/no/file"], "unreadable: webpush.ca_file"),
        (["webhooks.ports": "x"], "malformed: webhooks.ports"),
      ] {
        let delivery = Self.delivery(service, options: options)
        #expect(provider.obstacle(delivery.message.target, delivery.options) == obstacle)
        #expect(await provider.deliver(delivery) == .laneBroken(reason: obstacle))
      }
    }
  }

  @Test("a key file is read once, and again after a reload")
  func reload() async throws {
    try await withStandIn("webpush.py") { service, courier in
      let provider = WebPushProvider(courier: courier)
      let file = service.directory + "/vapid.txt"
      try Self.keyText.write(toFile: file, atomically: true, encoding: .utf8)
      let delivery = Self.delivery(
        service, options: ["webpush.private_key": "", "webpush.private_key_file": file])
      #expect(provider.obstacle(delivery.message.target, delivery.options) == nil)
      try "broken".write(toFile: file, atomically: true, encoding: .utf8)
      #expect(provider.obstacle(delivery.message.target, delivery.options) == nil)
      provider.reload()
      #expect(
        provider.obstacle(delivery.message.target, delivery.options)
          == "malformed: webpush.private_key_file")
    }
  }

  @Test("endpoints come from clients: the guard holds for them, and public ones are https")
  func guarded() async throws {
    try await withStandIn("webpush.py", ["--plain"]) { service, courier in
      let provider = WebPushProvider(courier: courier)
      let origin = "http://127.0.0.1:\(service.port)"
      let closed = Self.delivery(service, origin: origin, options: ["webhooks.allow_private": ""])
      #expect(await provider.deliver(closed) == .refused(reason: "private address"))
      #expect(
        provider.obstacle(closed.message.target, closed.options) == "device id: private address")
      let plain = Self.delivery(service, origin: "http://8.8.8.8", options: [:])
      #expect(provider.obstacle(plain.message.target, plain.options) == "device id: not https")
      #expect(await provider.deliver(Self.delivery(service, origin: origin)) == .delivered())
    }
  }

  @Test("a certificate that is not trusted stops the lane of that service")
  func untrusted() async throws {
    try await withStandIn("webpush.py") { service, courier in
      let delivery = Self.delivery(service, options: ["webpush.ca_file": ""])
      let outcome = await WebPushProvider(courier: courier).deliver(delivery)
      #expect(outcome == .laneBroken(reason: "certificate not trusted"))
    }
  }

  @Test("lanes: one for each key and service, the label without either")
  func lanes() async throws {
    try await withStandIn("webpush.py") { service, courier in
      let provider = WebPushProvider(courier: courier)
      func lane(_ origin: String, _ options: [String: String] = [:]) -> CourierLane {
        let delivery = Self.delivery(service, origin: origin, options: options)
        return provider.lane(of: delivery.message.target, delivery.options)
      }
      #expect(lane("https://a.test") == lane("https://a.test:443"))
      #expect(lane("https://a.test") != lane("https://b.test"))
      let other = Base64.encodeForURL(P256.Signing.PrivateKey().rawRepresentation)
      #expect(lane("https://a.test") != lane("https://a.test", ["webpush.private_key": other]))
      #expect(lane("https://a.test").label == "webpush:default")
    }
  }
}
