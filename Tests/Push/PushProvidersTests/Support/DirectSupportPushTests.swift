import EventSourcing
import HTTP2Client
import JSONEnvelope
import NIOHPACK
import PushDomain
import Testing

@testable import PushProviders

/// Spec: support requests 6.1.
@Suite("Support requests, pushed by our own lanes")
struct DirectSupportPushTests {
  static let ids = #"{"zendesk_sdk_request_id":"5","tid":"5"}"#

  static func alert(body: String = "Hello") -> PushMessage {
    MobileSamples.message(
      MobileSamples.ios(), alert: "", content: ids,
      display: MobileSamples.display {
        $0.title = "Agent replied"
        $0.body = body
        $0.sound = "default"
        $0.threadID = "ticket-5"
        $0.isMutableContent = true
      }, form: .members)
  }

  static func data(_ body: String = "Hello", compact: String? = nil, type: String = "fcm") -> PushMessage {
    MobileSamples.message(
      FCMSamples.target(type), alert: "", content: content(body), compact: compact.map(content), form: .members)
  }

  static func content(_ body: String) -> String {
    JSONValue.object([
      "zendesk_sdk_request_id": "5", "tid": "5", "title": "Agent replied", "body": .string(body),
    ]).text.text
  }

  @Test("APNs shows title and text, and hands the id on beside `aps`")
  func apns() throws {
    let request = try APNsRequest.make(MobileSamples.delivery(Self.alert()), topic: "com.example.app")
    #expect(
      request.body.text
        == #"{"aps":{"alert":{"title":"Agent replied","body":"Hello"},"sound":"default","thread-id":"ticket-5","#
        + #""mutable-content":1},"zendesk_sdk_request_id":"5","tid":"5"}"#)
    let headers = Dictionary(uniqueKeysWithValues: request.headers.map { ($0.name, $0.value) })
    #expect(headers["apns-push-type"] == "alert")
    #expect(headers["apns-priority"] == "10")
    #expect(headers["apns-topic"] == "com.example.app")
  }

  @Test("APNs cuts a text that is too long, and never the id")
  func apnsTooLong() throws {
    let long = Self.alert(body: String(repeating: "👨‍👩‍👧‍👦", count: 1_000))
    let request = try APNsRequest.make(MobileSamples.delivery(long), topic: "t")
    #expect(request.body.count <= 4_096)
    let payload = try JSONValue(parsing: request.body)
    #expect(payload["zendesk_sdk_request_id"] == "5" && payload["tid"] == "5")
    #expect(payload["aps"]?["alert"]?["body"]?.string?.hasSuffix("👨‍👩‍👧‍👦…") == true)
  }

  @Test(
    "FCM gets a data message, whatever the options would show",
    arguments: ["fcm", "gcm", "android"],
    [[:], ["fcm.title": "T", "fcm.body": "B", "fcm.channel_id": "ch"]] as [[String: String]])
  func fcm(type: String, options: [String: String]) throws {
    #expect(
      try FCMMessage(MobileSamples.delivery(Self.data(type: type), options)).bytes.text
        == #"{"validate_only":false,"message":{"token":"reg-token-1","data":{"zendesk_sdk_request_id":"5","tid":"5","#
        + #""title":"Agent replied","body":"Hello"},"android":{"priority":"HIGH"}}}"#)
  }

  @Test("FCM shows what the options say as soon as there is an alert or a look")
  func fcmShown() throws {
    let options = ["fcm.title": "T"]
    for message in [
      MobileSamples.message(FCMSamples.target(), alert: "A", content: "{}", form: .members),
      MobileSamples.message(
        FCMSamples.target(), alert: "", content: "{}", display: MobileSamples.display { $0.badge = 1 }, form: .members),
      MobileSamples.message(FCMSamples.target(), alert: "", content: "{}"),
    ] {
      let content = try FCMContent(message, PushOptions(options))
      #expect(content.title == "T")
    }
  }

  @Test("FCM takes the compact form of a message that is too long, and refuses it if there is none")
  func fcmTooLong() throws {
    let long = String(repeating: "ы", count: 2_500)
    let compact = try FCMMessage(MobileSamples.delivery(Self.data(long, compact: "ы…")))
    #expect(compact.content.data.map(\.value) == ["5", "5", "Agent replied", "ы…"])
    #expect(throws: FCMRefusal("payload too large")) { try FCMMessage(MobileSamples.delivery(Self.data(long))) }
    #expect(throws: FCMRefusal("payload too large")) {
      try FCMMessage(MobileSamples.delivery(Self.data(long, compact: long)))
    }
    // What fits is never replaced.
    let whole = try FCMMessage(MobileSamples.delivery(Self.data("Hello", compact: "H")))
    #expect(whole.content.data.last?.value == "Hello")
  }
}
