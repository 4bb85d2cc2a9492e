import EventSourcing
import JSONEnvelope
import PushDomain
import StandInSupport
import Testing

@testable import PushProviders

@Suite("Airship", .serialized, .standIn("airship.py"))
struct AirshipTests {
  static let now = Timestamp(milliseconds: 1_700_000_000_000)

  static func options(_ airship: StandIn) -> [String: String] {
    [
      "airship.app_key": "app-key-22-characters.",
      "airship.master_secret": "secret-22-characters..",
      "airship.base_url": "https://127.0.0.1:\(airship.port)/",
      "airship.ca_file": airship.authority,
    ]
  }

  static func delivery(
    _ airship: StandIn, to deviceID: String = "ios_channel:c-1", options: [String: String] = [:],
    _ message: (PushAddress) -> PushMessage = { .posted(to: $0) }
  ) -> PushDelivery {
    .posting(
      message(PushAddress(type: "airship", deviceID: deviceID)),
      Self.options(airship).merging(options) { $1 }, now: now)
  }

  @Test(
    "each answer",
    arguments: [
      (202, #"{"ok":true,"push_ids":["p-1","p-2"]}"#, .delivered(id: "p-1")),
      (202, "nonsense", .delivered()),
      (202, #"{"ok":true,"push_ids":["a secret <text>"]}"#, .delivered()),
      (200, #"{"ok":true}"#, .delivered()),
      (
        400,
        #"{"ok":false,"error":"x","error_code":40211,"details":{"error":"y","path":"notification.ios.extra"}}"#,
        .refused(reason: "400 40211 notification.ios.extra")
      ),
      (400, #"{"ok":false,"error_code":40000}"#, .refused(reason: "400 40000")),
      (400, "nonsense", .refused(reason: "400 Bad Request")),
      (400, #"{"details":{"path":"token <abc>"}}"#, .refused(reason: "400 Bad Request")),
      (401, "", .laneBroken(reason: "401 Unauthorized")),
      (403, "", .laneBroken(reason: "403 Forbidden")),
      (404, "", .laneBroken(reason: "404 Not Found")),
      (405, "", .laneBroken(reason: "405 Method Not Allowed")),
      (406, "", .laneBroken(reason: "406 Not Acceptable")),
      (415, "", .laneBroken(reason: "415 Unsupported Media Type")),
      (302, "", .laneBroken(reason: "302 Found")),
      (413, "", .refused(reason: "413 Payload Too Large")),
      (429, "", .retryable(reason: "429 Too Many Requests", after: .seconds(11))),
      (408, "", .retryable(reason: "408 Request Timeout", after: .seconds(11))),
      (500, "", .retryable(reason: "500 Internal Server Error", after: .seconds(11))),
      (503, "", .retryable(reason: "503 Service Unavailable", after: .seconds(11))),
      (418, "", .retryable(reason: "418 I'm a teapot")),
    ] as [(Int, String, PushOutcome)])
  func answers(status: Int, body: String, outcome: PushOutcome) async throws {
    try await withStandIn("airship.py") { airship, courier in
      try await airship.willAnswer(status, headers: ["Retry-After": "11"], body: body)
      #expect(await AirshipProvider(courier: courier).deliver(Self.delivery(airship)) == outcome)
    }
  }

  @Test("a push is taken, and its id is theirs")
  func taken() async throws {
    try await withStandIn("airship.py") { airship, courier in
      let outcome = await AirshipProvider(courier: courier).deliver(Self.delivery(airship))
      #expect(outcome == .delivered(id: "5cb18dc5-5d4c-4a1b-8ba3-3f0a4c1d2e99"))
      let request = try #require(await airship.next())
      #expect(request["path"] as? String == "/api/push")
      #expect(
        request["text"] as? String
          == #"{"audience":{"ios_channel":"c-1"},"device_types":["ios"],"notification":"#
          + #"{"alert":"New message from Agent","ios":{"extra":"#
          + #"{"message":"{\"message\":\"New message from Agent\"}"}}}}"#)
    }
  }

  @Test(
    "the audience",
    arguments: [
      ("ios_channel:c", "ios_channel", "c", ["ios"]),
      ("android_channel:c", "android_channel", "c", ["android"]),
      ("named_user:a:b@c", "named_user", "a:b@c", ["ios", "android"]),
      ("c-9", "channel", "c-9", ["ios", "android"]),
      ("channel:c-9", "channel", "c-9", ["ios", "android"]),
    ])
  func audience(deviceID: String, selector: String, id: String, types: [String]) async throws {
    try await withStandIn("airship.py") { airship, courier in
      guard
        case .delivered = await AirshipProvider(courier: courier).deliver(
          Self.delivery(airship, to: deviceID))
      else {
        Issue.record("not taken")
        return
      }
      let body = try JSONValue(parsing: try #require(await airship.next()?["text"] as? String))
      #expect(body["audience"] == .object([selector: .string(id)]))
      #expect(body["device_types"]?.array?.compactMap(\.string) == types)
    }
  }

  @Test(
    "device ids that are none",
    arguments: [
      "", "all:", "tag:vip", "ios_channel:", "x\u{1}", String(repeating: "a", count: 129),
    ])
  func badAudience(deviceID: String) async throws {
    try await withStandIn("airship.py") { airship, courier in
      let delivery = Self.delivery(airship, to: deviceID)
      let provider = AirshipProvider(courier: courier)
      #expect(
        provider.obstacle(delivery.message.target, delivery.options) == "device id: malformed")
      #expect(await provider.deliver(delivery) == .refused(reason: "device id: malformed"))
    }
  }

  @Test("everything that a producer can say arrives in its place")
  func display() async throws {
    var display = PushDisplay()
    (display.title, display.subtitle, display.body, display.badge) = ("T", "S", "B", 3)
    (display.sound, display.threadID, display.category, display.interruptionLevel) = (
      "s.caf", "th", "cat", "active"
    )
    (display.isContentAvailable, display.isMutableContent) = (true, true)
    try await withStandIn("airship.py") { [display] airship, courier in
      let delivery = Self.delivery(airship, to: "named_user:u") {
        .posted(
          to: $0, content: #"{"n":1,"s":"x","o":{"a":[null]}}"#, compactContent: #"{"n":1}"#,
          expiry: Self.now.advanced(by: .seconds(3_600)),
          collapseKey: String(repeating: "k", count: 65),
          priority: .normal, display: display, form: .members)
      }
      guard case .delivered = await AirshipProvider(courier: courier).deliver(delivery) else {
        Issue.record("not taken")
        return
      }
      let body = try JSONValue(parsing: try #require(await airship.next()?["text"] as? String))
      let collapseID = try #require(body["notification"]?["ios"]?["collapse_id"]?.string)
      #expect(collapseID.utf8.count == 43)
      #expect(
        body == [
          "audience": ["named_user": "u"], "device_types": ["ios", "android"],
          "notification": [
            "alert": "B",
            "ios": [
              "title": "T", "subtitle": "S", "extra": ["n": "1"], "badge": 3, "sound": "s.caf",
              "collapse_id": .string(collapseID), "thread_id": "th", "category": "cat",
              "expiry": 3_600,
              "content_available": true, "mutable_content": true, "interruption_level": "active",
            ],
            "android": [
              "title": "T", "extra": ["n": "1", "s": "x", "o": #"{"a":[null]}"#],
              "collapse_key": .string(String(repeating: "k", count: 65)), "time_to_live": 3_600,
              "delivery_priority": "normal",
            ],
          ], "options": ["expiry": 3_600],
        ])
    }
  }

  @Test("now or never is an expiry of 0; members that are no object are refused")
  func edges() async throws {
    try await withStandIn("airship.py") { airship, courier in
      let provider = AirshipProvider(courier: courier)
      let now = Self.delivery(airship, to: "c") { .posted(to: $0, content: "", isNowOrNever: true) }
      guard case .delivered = await provider.deliver(now) else {
        Issue.record("not taken")
        return
      }
      let text = try #require(await airship.next()?["text"] as? String)
      #expect(try JSONValue(parsing: text)["options"] == ["expiry": 0])
      #expect(!text.contains("extra"))
      let list = Self.delivery(airship) { .posted(to: $0, content: "[1]", form: .members) }
      #expect(await provider.deliver(list) == .refused(reason: "content is no object"))
    }
  }

  @Test(
    "what stands in the way",
    arguments: [
      (["airship.app_key": ""], "not set: airship.app_key"),
      (
        ["airship.app_key": "", "airship.master_secret": ""],
        "not set: airship.app_key, airship.master_secret"
      ),
      (["airship.app_key": "a:b"], "malformed: airship.app_key"),
      (["airship.base_url": "go"], "malformed: airship.base_url"),
      (["airship.base_url": "https://a.test/?x"], "malformed: airship.base_url"),
      (["airship.ca_file": "/does/not/exist"], "unreadable: airship.ca_file"),
    ] as [([String: String], String)])
  func obstacles(options: [String: String], obstacle: String) async throws {
    try await withStandIn("airship.py") { airship, courier in
      let provider = AirshipProvider(courier: courier)
      let fine = Self.delivery(airship)
      #expect(provider.obstacle(fine.message.target, fine.options) == nil)
      let delivery = Self.delivery(airship, options: options)
      #expect(provider.obstacle(delivery.message.target, delivery.options) == obstacle)
      #expect(await provider.deliver(delivery) == .laneBroken(reason: obstacle))
    }
  }

  @Test(
    "wrong credentials and an untrusted certificate stop the lane; a service that is away does not")
  func broken() async throws {
    try await withStandIn("airship.py") { airship, courier in
      let provider = AirshipProvider(courier: courier)
      let wrong = Self.delivery(airship, options: ["airship.master_secret": "other"])
      #expect(await provider.deliver(wrong) == .laneBroken(reason: "401 Unauthorized"))
      let untrusted = Self.delivery(airship, options: ["airship.ca_file": ""])
      #expect(await provider.deliver(untrusted) == .laneBroken(reason: "certificate not trusted"))
      #expect(
        provider.lane(of: wrong.message.target, wrong.options)
          != provider.lane(of: wrong.message.target, untrusted.options))
      try await airship.tell(["answers": [["close": true]]])
      #expect(
        await provider.deliver(Self.delivery(airship))
          == .retryable(reason: "connection closed", mayBeDelivered: true, isTransport: true))
    }
    try await withCourier { courier in
      let gone = PushDelivery.posting(
        .posted(to: PushAddress(type: "airship", deviceID: "c")),
        [
          "airship.app_key": "a", "airship.master_secret": "b",
          "airship.base_url": "https://127.0.0.1:1",
        ])
      #expect(
        await AirshipProvider(courier: courier).deliver(gone)
          == .retryable(reason: "connection failed", isTransport: true))
    }
  }

  @Test("the check sends nothing, and finds wrong credentials")
  func validate() async throws {
    try await withStandIn("airship.py") { airship, courier in
      let provider = AirshipProvider(courier: courier)
      #expect(await provider.validate(Self.delivery(airship)) == .delivered())
      #expect(await airship.next()?["path"] as? String == "/api/push/validate")
      #expect(
        await provider.validate(PushOptions(Self.options(airship)), now: Self.now) == .delivered())
      let wrong = Self.options(airship).merging(["airship.app_key": "other"]) { $1 }
      #expect(
        await provider.validate(PushOptions(wrong), now: Self.now)
          == .laneBroken(reason: "401 Unauthorized"))
    }
  }

  @Test("the lane's label has the provider's name and no more")
  func lane() async throws {
    try await withCourier { courier in
      let provider = AirshipProvider(courier: courier)
      let options = PushOptions([
        "airship.app_key": "the-app", "airship.master_secret": "the-secret",
      ])
      let lane = provider.lane(
        of: PushAddress(type: "airship", deviceID: "c", provider: "sales"), options)
      #expect(lane.label == "airship:sales" && !lane.isEndpoint)
      #expect(!lane.id.contains("the-app") && !lane.id.contains("the-secret"))
      #expect(
        provider.lane(of: PushAddress(type: "airship", deviceID: "c"), options).label
          == "airship:default")
    }
  }
}
