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
    let change: @Sendable (inout DownstreamRequest) -> Void
    init(_ json: String, _ change: @escaping @Sendable (inout DownstreamRequest) -> Void) {
      (self.json, self.change) = (json, change)
    }
    var testDescription: String { json }
  }

  @Test("says the same as the legacy fields", arguments: mappings)
  func mapping(_ row: Mapping) throws {
    var expected = DownstreamRequest(target: .recipient("t"))
    row.change(&expected)
    #expect(try Self.read(#"{"message":{"token":"t"\#(row.json.isEmpty ? "" : ",")\#(row.json)}}"#) == expected)
  }

  static let mappings = [
    Mapping("") { _ in },
    Mapping(#""data":{"a":"1"}"#) { $0.data = [MailPair("a", "1")] },
    Mapping(#""data":{"a":"1"},"android":{"data":{"b":"2"}}"#) { $0.data = [MailPair("b", "2")] },
    Mapping(#""webpush":{"data":{"w":"1"}}"#) { $0.data = [MailPair("w", "1")] },
    Mapping(#""notification":{"title":"T","body":"B","image":"I"}"#) {
      $0.notification = [MailPair("title", "T"), MailPair("body", "B"), MailPair("image", "I")]
    },
    Mapping(
      #""notification":{"title":"T","body":"B"},"android":{"notification":{"title":"A","color":"red","click_action":"C","body_loc_args":["x"],"channel_id":"ch"}}"#
    ) {
      $0.notification = [
        MailPair("title", "A"), MailPair("body", "B"), MailPair("color", "red"), MailPair("click_action", "C"),
        MailPair("body_loc_args", #"["x"]"#), MailPair("android_channel_id", "ch"),
      ]
    },
    Mapping(#""webpush":{"notification":{"title":"W"}}"#) { $0.notification = [MailPair("title", "W")] },
    Mapping(#""android":{"collapse_key":"k"}"#) { $0.collapseKey = "k" },
    Mapping(#""android":{"collapseKey":"k","restrictedPackageName":"p"}"#) {
      ($0.collapseKey, $0.restrictedPackageName) = ("k", "p")
    },
    Mapping(#""android":{"priority":"HIGH"}"#) { $0.priority = .high },
    Mapping(#""android":{"priority":"normal"}"#) { $0.priority = .normal },
    Mapping(#""android":{"ttl":"3.5s"}"#) { $0.timeToLive = 4 },
    Mapping(#""android":{"ttl":"0s"}"#) { $0.timeToLive = 0 },
    Mapping(#""android":{"ttl":"2419200s"}"#) { $0.timeToLive = 2_419_200 },
    Mapping(#""android":{"restricted_package_name":"p","direct_boot_ok":true}"#) { $0.restrictedPackageName = "p" },
    Mapping(#""android":{"collapse_key":"","restricted_package_name":""}"#) { _ in },
    Mapping(#""android":{"collapse_key":""},"apns":{"headers":{"apns-collapse-id":"c"}}"#) { $0.collapseKey = "c" },
    Mapping(#""apns":{"headers":{"apns-collapse-id":""}},"webpush":{"headers":{"topic":""}}"#) { _ in },
    Mapping(#""apns":{"headers":{"apns-priority":"5","apns-collapse-id":"c"}}"#) {
      ($0.priority, $0.collapseKey) = (.normal, "c")
    },
    Mapping(#""apns":{"headers":{"apns-expiration":"1000060"}}"#) { $0.timeToLive = 60 },
    Mapping(#""apns":{"headers":{"apns-expiration":"0"}}"#) { $0.timeToLive = 0 },
    Mapping(#""apns":{"payload":{"aps":{"content-available":1,"mutable-content":1}}}"#) {
      ($0.contentAvailable, $0.mutableContent) = (true, true)
    },
    Mapping(#""webpush":{"headers":{"TTL":"30","Urgency":"high","Topic":"upd"}}"#) {
      ($0.timeToLive, $0.priority, $0.collapseKey) = (30, .high, "upd")
    },
    Mapping(
      #""android":{"ttl":"5s","priority":"NORMAL"},"apns":{"headers":{"apns-priority":"10","apns-expiration":"0"}}"#
    ) { ($0.timeToLive, $0.priority) = (5, .normal) },
    Mapping(#""fcm_options":{"analytics_label":"x"},"name":"n","surprise":1"#) { _ in },
  ]

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
