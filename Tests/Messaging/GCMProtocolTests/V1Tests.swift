import EventSourcing
import GCMProtocol
import JSONEnvelope
import PushDomain
import Testing

@Suite("FCM HTTP v1")
struct V1Tests {
  private static let now = Timestamp(milliseconds: 1_000_000_000)

  private static func read(_ json: String) throws(DownstreamRefusal) -> DownstreamRequest {
    try DownstreamRequest(v1: Array(json.utf8), now: now)
  }

  struct Mapping: Sendable, CustomTestStringConvertible {
    let json: String
    let platform: MessagePlatform
    let change: @Sendable (inout DownstreamRequest) -> Void
    init(
      _ platform: MessagePlatform, _ json: String, _ change: @escaping @Sendable (inout DownstreamRequest) -> Void
    ) {
      (self.platform, self.json, self.change) = (platform, json, change)
    }
    var testDescription: String { "\(platform): \(json)" }
  }

  @Test("says to each platform what its own block says, and nothing of another's", arguments: mappings)
  func mapping(_ row: Mapping) throws {
    let request = try Self.read(#"{"message":{"token":"t"\#(row.json.isEmpty ? "" : ",")\#(row.json)}}"#)
    for platform in MessagePlatform.allCases {
      var expected = DownstreamRequest(target: .recipient("t"))
      if platform == .apple { expected.priority = .normal }
      if platform == row.platform { row.change(&expected) }
      var found = request.variant(for: platform)
      found.variants = [:]
      #expect(found == expected, "\(platform)")
    }
  }

  static let mappings = androidMappings + otherMappings

  private static let otherMappings: [Mapping] = [
    Mapping(.apple, #""apns":{"headers":{"apns-collapse-id":"c","apns-priority":"10"}}"#) {
      ($0.collapseKey, $0.priority) = ("c", .high)
    },
    Mapping(.apple, #""apns":{"headers":{"APNS-Expiration":"1000060"}}"#) { $0.timeToLive = 60 },
    Mapping(.apple, #""apns":{"headers":{"apns-expiration":"0","apns-collapse-id":""}}"#) { $0.timeToLive = 0 },
    Mapping(.apple, #""apns":{"headers":{"apns-push-type":"background"}}"#) { $0.applePushType = "background" },
    Mapping(.apple, #""apns":{"payload":{"aps":{"alert":"A"},"n":18446744073709551616}}"#) {
      $0.applePayload = #"{"aps":{"alert":"A"},"n":18446744073709551616}"#
      $0.priority = .high
    },
    Mapping(.apple, #""apns":{"fcm_options":{"analytics_label":"l","image":"i"}}"#) {
      ($0.analyticsLabel, $0.applePayload) = ("l", #"{"fcm_options":{"image":"i"}}"#)
    },
    Mapping(.web, #""webpush":{"headers":{"TTL":"30","Urgency":"high","Topic":"upd"}}"#) {
      ($0.timeToLive, $0.priority, $0.collapseKey) = (30, .high, "upd")
    },
    Mapping(.web, #""webpush":{"headers":{"ttl":"0","topic":""}}"#) { $0.timeToLive = 0 },
    Mapping(.web, #""webpush":{"data":{"w":"1"}}"#) { $0.data = [MailPair("w", "1")] },
    Mapping(.web, #""webpush":{"notification":{"title":"W","actions":[{"action":"a"}]},"fcm_options":{"link":"l"}}"#) {
      $0.notification = [MailPair("title", "W"), MailPair("actions", #"[{"action":"a"}]"#)]
      $0.pageNotification = #"{"title":"W","actions":[{"action":"a"}]}"#
      $0.pageOptions = #"{"link":"l"}"#
    },
  ]

  private static let androidMappings: [Mapping] = [
    Mapping(.android, "") { _ in },
    Mapping(.android, #""name":"n""#) { _ in },
    Mapping(.android, #""android":{"data":{"b":"2"}}"#) { $0.data = [MailPair("b", "2")] },
    Mapping(.android, #""android":{"notification":{"title":"A","body_loc_args":["x"],"channelId":"ch"}}"#) {
      $0.notification = [
        MailPair("title", "A"), MailPair("body_loc_args", #"["x"]"#), MailPair("android_channel_id", "ch"),
      ]
    },
    Mapping(.android, #""android":{"collapse_key":"k"}"#) { $0.collapseKey = "k" },
    Mapping(.android, #""android":{"collapseKey":"k","restrictedPackageName":"p"}"#) {
      ($0.collapseKey, $0.restrictedPackageName) = ("k", "p")
    },
    Mapping(.android, #""android":{"priority":"HIGH"}"#) { $0.priority = .high },
    Mapping(.android, #""android":{"priority":"normal"}"#) { $0.priority = .normal },
    Mapping(.android, #""android":{"ttl":"3.5s"}"#) { $0.timeToLive = 4 },
    Mapping(.android, #""android":{"ttl":"0s"}"#) { $0.timeToLive = 0 },
    Mapping(.android, #""android":{"ttl":"2419200s"}"#) { $0.timeToLive = 2_419_200 },
    Mapping(.android, #""android":{"restricted_package_name":"p","direct_boot_ok":true}"#) {
      $0.restrictedPackageName = "p"
    },
    Mapping(.android, #""android":{"collapse_key":"","restricted_package_name":"","fcm_options":{}}"#) { _ in },
    Mapping(.android, #""android":{"fcmOptions":{"analyticsLabel":"l"}}"#) { $0.analyticsLabel = "l" },
  ]

  @Test("says to all platforms what stands in none of their blocks")
  func common() throws {
    let request = try Self.read(
      #"{"message":{"token":"t","data":{"a":"1"},"notification":{"title":"T","image":"I"},"fcm_options":{"analytics_label":"l"}}}"#
    )
    for platform in MessagePlatform.allCases {
      let message = request.variant(for: platform)
      #expect(message.data == [MailPair("a", "1")] && message.isNotification)
      #expect(message.notification == [MailPair("title", "T"), MailPair("image", "I")])
      #expect(message.effectivePriority == .high && message.timeToLive == 2_419_200 && message.collapseKey == nil)
    }
    #expect(request.analyticsLabel == "l" && request.variant(for: .apple).analyticsLabel == "l")
    #expect(request.variant(for: .web).pageOptions == #"{"analytics_label":"l"}"#)
    #expect(request.variant(for: .apple).applePayload == #"{"fcm_options":{"image":"I"}}"#)
  }

  /// A message with every field, as firebase-admin 7.7 for Python has written it.
  private static let everyField: String = [
    #"{"message": {"android": {"collapse_key": "k", "data": {"b": "2"}, "notification": {"body": "AB", "body_loc_args": "#,
    ##"["1"], "body_loc_key": "bk", "click_action": "C", "color": "#112233", "icon": "ic", "sound": "s", "tag": "tg", "##,
    #""title": "A", "title_loc_args": ["2"], "title_loc_key": "tk", "channel_id": "ch", "image": "https://im", "#,
    #""ticker": "tick", "sticky": true, "event_time": "2026-01-02T03:04:05.678000Z", "local_only": true, "#,
    #""notification_priority": "PRIORITY_MAX", "vibrate_timings": ["0.100000000s", "0.050000000s", "0.250000000s"], "#,
    #""default_vibrate_timings": false, "default_sound": true, "default_light_settings": false, "light_settings": "#,
    #"{"color": {"red": 0.6666666666666666, "green": 0.7333333333333333, "blue": 0.8, "alpha": 0.8666666666666667}, "#,
    #""light_on_duration": "0.200000000s", "light_off_duration": "0.300000000s"}, "visibility": "SECRET", "#,
    #""notification_count": 7, "proxy": "DENY"}, "priority": "high", "restricted_package_name": "p", "ttl": "#,
    #""3.500000000s", "fcm_options": {"analytics_label": "droid"}, "direct_boot_ok": true}, "apns": {"headers": "#,
    #"{"apns-priority": "5", "apns-expiration": "0", "apns-collapse-id": "c"}, "payload": {"aps": {"alert": {"title": "#,
    #""AT", "subtitle": "AS", "body": "ABody", "title-loc-key": "tlk", "title-loc-args": ["y"], "loc-key": "lk", "#,
    #""loc-args": ["x"], "action-loc-key": "alk", "launch-image": "li", "summary-arg": "z"}, "badge": 3, "sound": "#,
    #"{"name": "bell", "volume": 0.5, "critical": 1}, "category": "cat", "thread-id": "th", "content-available": 1, "#,
    #""mutable-content": 1, "relevance-score": 0.75}, "deep": {"n": 18446744073709551616}}, "fcm_options": "#,
    #"{"analytics_label": "apple", "image": "https://ai"}}, "data": {"a": "1"}, "notification": {"body": "B", "title": "#,
    #""T", "image": "https://i"}, "token": "t", "webpush": {"data": {"w": "1"}, "headers": {"TTL": "30", "Urgency": "#,
    #""high", "Topic": "upd"}, "notification": {"actions": [{"action": "act", "title": "Title", "icon": "ic"}], "badge": "#,
    #""wb", "body": "WB", "data": {"x": [1]}, "renotify": true, "timestamp": 1700000000000, "title": "W", "vibrate": "#,
    #"[1, 2], "own": 9007199254740993}, "fcm_options": {"link": "https://l"}}, "fcm_options": {"analytics_label": "#,
    #""all"}}, "validate_only": false}"#,
  ].joined()

  @Test("takes every field that an independent library writes, to the letter")
  func everything() throws {
    let request = try Self.read(Self.everyField)
    let shown = Dictionary(uniqueKeysWithValues: (request.notification ?? []).map { ($0.key, $0.value) })
    #expect(
      shown == [
        "title": "A", "body": "AB", "image": "https://im", "icon": "ic", "color": "#112233", "sound": "s", "tag": "tg",
        "click_action": "C", "body_loc_key": "bk", "body_loc_args": #"["1"]"#, "title_loc_key": "tk",
        "title_loc_args": #"["2"]"#, "android_channel_id": "ch", "ticker": "tick", "sticky": "true",
        "event_time": "1767323045678", "local_only": "true", "notification_priority": "2",
        "vibrate_timings": "[100,50,250]", "default_vibrate_timings": "false", "default_sound": "true",
        "default_light_settings": "false", "light_settings": ##"["#ddaabbcc",200,300]"##, "visibility": "-1",
        "notification_count": "7", "proxy": "DENY", "dnp": "1",
      ])
    #expect(request.data == [MailPair("b", "2")] && request.analyticsLabel == "droid" && request.timeToLive == 4)
    let apple = request.variant(for: .apple)
    #expect(apple.timeToLive == 0 && apple.priority == .normal && apple.collapseKey == "c")
    #expect(apple.restrictedPackageName == nil && apple.data == [MailPair("a", "1")] && apple.analyticsLabel == "apple")
    let payload = try JSONValue(parsing: try #require(apple.applePayload))
    let sent = try #require(try JSONValue(parsing: Self.everyField)["message"]?["apns"]?["payload"])
    #expect(payload["aps"] == sent["aps"] && payload["deep"] == sent["deep"])
    #expect(payload["fcm_options"] == ["image": "https://ai"])
    #expect(apple.applePayload?.contains(#""n":18446744073709551616"#) == true)
    let page = try JSONValue(parsing: try #require(request.variant(for: .web).pageNotification))
    #expect(page["own"] == 9_007_199_254_740_993 && page["body"] == "WB" && page["image"] == "https://i")
  }

  struct Misspelling: Sendable {
    let json: String
    let violations: [(field: String?, text: String)]
  }

  @Test(
    "refuses what is no field of its object, in the words of the real service",
    arguments: [
      Misspelling(
        json: #"{"message":{"token":"t","dta":{}}}"#,
        violations: [("message", #"Unknown name "dta" at 'message': Cannot find field."#)]),
      Misspelling(
        json: #"{"message":{"token":"t"},"dry_run":true}"#,
        violations: [(nil, #"Unknown name "dry_run": Cannot find field."#)]),
      Misspelling(
        json: #"{"message":{"notification":{"sound":"x"},"android":{"notification":{"channel":1}},"to":"t"}}"#,
        violations: [
          ("message.notification", #"Unknown name "sound" at 'message.notification': Cannot find field."#),
          (
            "message.android.notification",
            #"Unknown name "channel" at 'message.android.notification': Cannot find field."#
          ), ("message", #"Unknown name "to" at 'message': Cannot find field."#),
        ]),
      Misspelling(
        json: #"{"message":{"token":"t","apns":{"aps":{}},"webpush":{"fcmOptions":{"lnk":1}}}}"#,
        violations: [
          ("message.apns", #"Unknown name "aps" at 'message.apns': Cannot find field."#),
          ("message.webpush.fcm_options", #"Unknown name "lnk" at 'message.webpush.fcm_options': Cannot find field."#),
        ]),
    ])
  func unknownFields(_ row: Misspelling) throws {
    let refusal = try #require(throws: DownstreamRefusal.self) { try Self.read(row.json) }
    let answer = V1Answer(refusal)
    #expect(answer.status == 400)
    let error = try #require(try JSONValue(parsing: answer.body)["error"])
    let texts = row.violations.map { "Invalid JSON payload received. " + $0.text }
    #expect(error["status"] == "INVALID_ARGUMENT" && error["message"]?.string == texts.joined(separator: "\n"))
    let request = error["details"]?.array?.first { $0["@type"] == "type.googleapis.com/google.rpc.BadRequest" }
    let violations = try #require(request?["fieldViolations"]?.array)
    #expect(violations.map { $0["field"]?.string } == row.violations.map(\.field))
    #expect(violations.map { $0["description"]?.string } == texts)
  }

  @Test("names its target in one of four ways, and may only be tried out")
  func target() throws {
    #expect(try Self.read(#"{"message":{"topic":"t"}}"#).target == .topic("t"))
    #expect(try Self.read(#"{"message":{"fid":"f"}}"#).target == .recipient("f"))
    #expect(try Self.read(#"{"message":{"condition":"'t' in topics"}}"#).target == .condition(.topic("t")))
    #expect(try Self.read(#"{"message":{"token":"t"},"validate_only":true}"#).isDryRun)
    #expect(try Self.read(#"{"message":{"token":"t"},"validateOnly":true}"#).isDryRun)
  }

  @Test(
    "names the field that is to blame",
    arguments: [
      ("{}", "message"), (#"{"message":5}"#, "message"), (#"{"message":{}}"#, "message.token"),
      (#"{"message":{"token":""}}"#, "message.token"), (#"{"message":{"token":5}}"#, "message.token"),
      (#"{"message":{"token":"t","topic":"x"}}"#, "message.topic"),
      (#"{"message":{"topic":"/topics/x"}}"#, "message.topic"),
      (#"{"message":{"condition":"x"}}"#, "message.condition"),
      (#"{"message":{"token":"t","data":{"a":5}}}"#, "message.data[0].value"),
      (#"{"message":{"token":"t","data":{"from":"x"}}}"#, "message.data"),
      (#"{"message":{"token":"t","data":{"message_type":"x"}}}"#, "message.data"),
      (#"{"message":{"token":"t","android":{"data":{"google.x":"x"}}}}"#, "message.android.data"),
      (#"{"message":{"token":"t","android":{"ttl":"5"}}}"#, "message.android.ttl"),
      (#"{"message":{"token":"t","android":{"ttl":5}}}"#, "message.android.ttl"),
      (#"{"message":{"token":"t","android":{"ttl":"-1s"}}}"#, "message.android.ttl"),
      (#"{"message":{"token":"t","android":{"ttl":"-0.5s"}}}"#, "message.android.ttl"),
      (#"{"message":{"token":"t","android":{"ttl":"2419200.1s"}}}"#, "message.android.ttl"),
      (#"{"message":{"token":"t","android":{"ttl":"1.s"}}}"#, "message.android.ttl"),
      (#"{"message":{"token":"t","android":{"priority":"LOW"}}}"#, "message.android.priority"),
      (#"{"message":{"token":"t","notification":{"title":5}}}"#, "message.notification.title"),
      (#"{"message":{"token":"t","apns":{"headers":{"apns-priority":5}}}}"#, "message.apns.headers[0].value"),
      (#"{"message":{"token":"t","apns":{"headers":{"apns-priority":"7"}}}}"#, "message.apns.headers"),
      (#"{"message":{"token":"t","apns":{"headers":{"apns-expiration":"soon"}}}}"#, "message.apns.headers"),
      (#"{"message":{"token":"t","apns":{"payload":[]}}}"#, "message.apns.payload"),
      (#"{"message":{"token":"t","apns":{"payload":{"aps":"x"}}}}"#, "message.apns.payload.aps"),
      (#"{"message":{"token":"t","apns":{"payload":{"aps":{"alert":5}}}}}"#, "message.apns.payload.aps.alert"),
      (#"{"message":{"token":"t","apns":{"payload":{"aps":{"badge":"5"}}}}}"#, "message.apns.payload.aps.badge"),
      (#"{"message":{"token":"t","apns":{"live_activity_token":"x"}}}"#, "message.apns.live_activity_token"),
      (#"{"message":{"token":"t","webpush":{"headers":{"Urgency":"x"}}}}"#, "message.webpush.headers"),
      (#"{"message":{"token":"t","fcm_options":{"analytics_label":"a b"}}}"#, "message.fcm_options.analytics_label"),
      (
        #"{"message":{"token":"t","android":{"notification":{"event_time":"now"}}}}"#,
        "message.android.notification.event_time"
      ),
      (
        #"{"message":{"token":"t","android":{"notification":{"visibility":"x"}}}}"#,
        "message.android.notification.visibility"
      ),
      (
        #"{"message":{"token":"t","android":{"notification":{"light_settings":{"color":{"red":2}}}}}}"#,
        "message.android.notification.light_settings.color.red"
      ),
      (#"{"message":{"token":"t"},"validate_only":"yes"}"#, "validate_only"),
    ])
  func violations(_ json: String, _ field: String) throws {
    let refusal = try #require(throws: DownstreamRefusal.self) { try Self.read(json) }
    #expect(refusal.field == field)
    let answer = V1Answer(refusal)
    #expect(answer.status == 400)
    let error = try #require(try JSONValue(parsing: answer.body)["error"])
    #expect(error["status"] == "INVALID_ARGUMENT")
    #expect(error["details"]?[0]?["errorCode"] == "INVALID_ARGUMENT")
    #expect(error["details"]?[1]?["fieldViolations"]?[0]?["field"]?.string == field)
    #expect(error["details"]?[1]?["fieldViolations"]?[0]?["description"]?.string == refusal.text)
  }

  @Test("refuses a message that is too big")
  func size() {
    let refusal = #expect(throws: DownstreamRefusal.self) {
      try Self.read(#"{"message":{"token":"t","data":{"k":"\#(String(repeating: "x", count: 4_096))"}}}"#)
    }
    #expect(refusal?.code == .messageTooBig)
    #expect(refusal?.field == "message.data")
    let payload = #expect(throws: DownstreamRefusal.self) {
      try Self.read(
        #"{"message":{"token":"t","apns":{"payload":{"k":"\#(String(repeating: "x", count: 4_096))"}}}}"#)
    }
    #expect(payload?.code == .messageTooBig && payload?.field == "message.apns.payload")
  }

  @Test(
    "answers each code with its status and its words",
    arguments: [
      (DownstreamError.invalidRegistration, 400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
      (.invalidPackageName, 400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
      (.messageTooBig, 400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
      (.invalidDataKey, 400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
      (.invalidTimeToLive, 400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
      (.invalidParameters, 400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
      (.notRegistered, 404, "NOT_FOUND", "UNREGISTERED"),
      (.mismatchSenderID, 403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH"),
      (.deviceMessageRateExceeded, 429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"),
      (.topicsMessageRateExceeded, 429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"),
      (.unavailable, 503, "UNAVAILABLE", "UNAVAILABLE"), (.internalServerError, 500, "INTERNAL", "INTERNAL"),
      (.invalidAPNsCredential, 401, "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR"),
    ])
  func errors(_ error: DownstreamError, _ status: Int, _ canonical: String, _ code: String) throws {
    for answer in [
      V1Answer(error),
      V1Answer(.targets([.failed(error)]), project: "p", isDryRun: false, number: 1),
      V1Answer(.topic(.failure(error)), project: "p", isDryRun: false, number: 1),
    ] {
      #expect(answer.status == status)
      let body = try #require(try JSONValue(parsing: answer.body)["error"])
      #expect(body["code"]?.integer == status)
      #expect(body["status"]?.string == canonical)
      #expect(body["details"]?[0]?["@type"]?.string == "type.googleapis.com/google.firebase.fcm.v1.FcmError")
      #expect(body["details"]?[0]?["errorCode"]?.string == code)
    }
  }

  @Test(
    "answers success with the message's name",
    arguments: [
      (DownstreamAnswer.targets([.accepted(id: "0:1%2", canonical: "new")]), false, "0:1%2"),
      (.topic(.success(77)), false, "77"), (.group(success: 1, failed: []), false, "9"),
      (.targets([.accepted(id: "0:1", canonical: nil)]), true, "fake_message_id"),
    ])
  func success(_ answer: DownstreamAnswer, _ isDryRun: Bool, _ id: String) {
    let rendered = V1Answer(answer, project: "p", isDryRun: isDryRun, number: 9)
    #expect(rendered.status == 200)
    #expect(String(decoding: rendered.body, as: UTF8.self) == #"{"name":"projects/p/messages/\#(id)"}"#)
  }
}
