import EventSourcing
import JSONEnvelope
import PushDomain
import Testing

@testable import PushProviders

enum FCMSamples {
  static func target(_ type: String = "fcm", _ id: String = "reg-token-1", provider: String? = nil) -> PushAddress {
    PushAddress(type: type, deviceID: id, provider: provider)
  }

  /// A chat push with one line, as GMS prints it.
  static let content =
    #"{"message":"New message from Agent","serviceId":"412-x","#
    + #""lastTranscript":[{"Message.Text":"Are you still there?"}]}"#
  static let quoted = JSONValue.string(content).text.text
}

@Suite("FCM message in the old form")
struct FCMLegacyMessageTests {
  private func bytes(_ message: PushMessage, _ options: [String: String] = [:]) throws -> String {
    try FCMLegacyMessage(MobileSamples.delivery(message, options)).bytes.text
  }

  @Test("a chat push is what GMS prints, to the byte", arguments: ["gcm", "android", "fcm"])
  func chat(type: String) throws {
    let message = MobileSamples.message(FCMSamples.target(type), content: FCMSamples.content)
    #expect(
      try bytes(message)
        == #"{"to":"reg-token-1","data":{"message":"{\"message\":\"New message from Agent\",\"serviceId\":\"412-x\","#
        + #"\"lastTranscript\":[{\"Message.Text\":\"Are you still there?\"}]}"}}"#)
  }

  @Test("type fcm shows what the options say, the others leave it to the app")
  func notification() throws {
    let options = ["fcm.title": "T", "fcm.body": "B"]
    #expect(
      try bytes(MobileSamples.message(FCMSamples.target("fcm"), content: "{}"), options)
        == #"{"to":"reg-token-1","data":{"message":"{}"},"notification":{"title":"T","body":"B"}}"#)
    #expect(
      try bytes(MobileSamples.message(FCMSamples.target("gcm"), content: "{}"), options)
        == #"{"to":"reg-token-1","data":{"message":"{}"}}"#)
  }

  @Test("collapse key, time to live and delay have their old names")
  func oldNames() throws {
    let message = MobileSamples.message(
      FCMSamples.target("gcm"), content: "{}", expiry: mobileNow.advanced(by: .seconds(60)))
    #expect(
      try bytes(message, ["android.collapseKey": "c", "android.delayWhileIdle": "true"])
        == #"{"to":"reg-token-1","data":{"message":"{}"},"collapse_key":"c","time_to_live":60,"delay_while_idle":true}"#
    )
  }

  @Test("the app's own members, with priority and look")
  func members() throws {
    let display = MobileSamples.display {
      $0.title = "T"
      $0.badge = 2
      $0.isContentAvailable = true
    }
    let message = MobileSamples.message(
      FCMSamples.target("gcm"), content: #"{"a":"1","b":2.50}"#, collapseKey: "k", priority: .normal, display: display,
      form: .members)
    #expect(
      try bytes(message, ["android.collapseKey": "c"])
        == #"{"to":"reg-token-1","data":{"a":"1","b":"2.50"},"notification":{"title":"T","badge":"2"},"#
        + #""collapse_key":"k","priority":"normal","content_available":true}"#)
  }

  @Test("topics and conditions have their old form, installation ids none")
  func targets() throws {
    func bytes(_ id: String) throws -> String {
      try self.bytes(MobileSamples.message(FCMSamples.target("gcm", id), content: ""))
    }
    #expect(try bytes("topic:news") == #"{"to":"/topics/news"}"#)
    #expect(try bytes("topic:/topics/news") == #"{"to":"/topics/news"}"#)
    #expect(try bytes("condition:'a' in topics") == #"{"condition":"'a' in topics"}"#)
    #expect(throws: FCMRefusal.self) { try bytes("fid:abc") }
  }
}

@Suite("FCM message of HTTP v1")
struct FCMMessageTests {
  private func bytes(_ message: PushMessage, _ options: [String: String] = [:]) throws -> String {
    try FCMMessage(MobileSamples.delivery(message, options)).bytes.text
  }

  @Test("a chat push carries the message as a string of data")
  func chat() throws {
    let message = MobileSamples.message(FCMSamples.target("gcm"), content: FCMSamples.content)
    #expect(
      try bytes(message)
        == #"{"validate_only":false,"message":{"token":"reg-token-1","data":{"message":\#(FCMSamples.quoted)},"#
        + #""android":{"priority":"HIGH"}}}"#)
  }

  @Test("what there is to say has its place")
  func everything() throws {
    let display = MobileSamples.display {
      $0.title = "T"
      $0.body = "B"
      $0.image = "https://i"
      $0.badge = 3
      $0.sound = "s"
      $0.threadID = "th"
      $0.category = "ca"
      $0.isContentAvailable = true
      $0.isMutableContent = true
      $0.interruptionLevel = "active"
    }
    let message = MobileSamples.message(
      FCMSamples.target(), content: #"{"a":"x","b":1.0,"c":null,"d":{"e":[1, 2]},"f":true,"a":"y"}"#,
      expiry: mobileNow.advanced(by: .milliseconds(90_999)), collapseKey: "k", priority: .normal, display: display,
      form: .members)
    #expect(
      try bytes(message, ["fcm.title": "t", "fcm.body": "b", "fcm.channel_id": "ch"])
        == #"{"validate_only":false,"message":{"token":"reg-token-1","data":{"a":"y","b":"1.0","c":"null","#
        + #""d":"{\"e\":[1, 2]}","f":"true"},"notification":{"title":"T","body":"B","image":"https://i"},"#
        + #""android":{"collapse_key":"k","#
        + #""priority":"NORMAL","ttl":"90s","notification":{"channel_id":"ch","sound":"s","notification_count":3}},"#
        + #""apns":{"payload":{"aps":{"badge":3,"sound":"s","thread-id":"th","category":"ca","content-available":1,"#
        + #""mutable-content":1,"interruption-level":"active"}}}}}"#)
  }

  @Test("a wake-up for iOS behind FCM has the headers that Apple wants")
  func wakeUp() throws {
    let message = MobileSamples.message(
      FCMSamples.target(), content: "{}", display: MobileSamples.display { $0.isContentAvailable = true },
      form: .members)
    #expect(
      try bytes(message)
        == #"{"validate_only":false,"message":{"token":"reg-token-1","android":{"priority":"HIGH"},"apns":{"headers":{"#
        + #""apns-push-type":"background","apns-priority":"5"},"payload":{"aps":{"content-available":1}}}}}"#)
  }

  @Test(
    "the device id's prefix says what it is",
    arguments: [
      ("abc:def", #""token":"abc:def""#), ("fid:abc", #""fid":"abc""#), ("topic:news", #""topic":"news""#),
      ("topic:/topics/news", #""topic":"news""#), ("condition:'a' in topics", #""condition":"'a' in topics""#),
    ])
  func targets(id: String, expected: String) throws {
    #expect(
      try bytes(MobileSamples.message(FCMSamples.target("fcm", id), content: ""))
        == #"{"validate_only":false,"message":{\#(expected),"android":{"priority":"HIGH"}}}"#)
  }

  @Test("nothing behind the prefix is refused", arguments: ["", "fid:", "topic:", "condition:", "topic:/topics/"])
  func noTarget(id: String) {
    #expect(throws: FCMRefusal("device id is empty")) {
      try bytes(MobileSamples.message(FCMSamples.target("fcm", id)))
    }
  }

  @Test("now or never lives no second, and nothing more than four weeks")
  func timeToLive() {
    func seconds(_ message: PushMessage) -> Int64? { FCMMessage.timeToLive(MobileSamples.delivery(message)) }
    let later = mobileNow.advanced(by: .seconds(10_000_000))
    #expect(seconds(MobileSamples.message(FCMSamples.target(), expiry: later, isNowOrNever: true)) == 0)
    #expect(seconds(MobileSamples.message(FCMSamples.target(), expiry: later)) == 2_419_200)
    #expect(seconds(MobileSamples.message(FCMSamples.target(), expiry: .epoch)) == 0)
    #expect(seconds(MobileSamples.message(FCMSamples.target())) == nil)
  }

  @Test(
    "reserved keys and what is no object are refused",
    arguments: [
      #"{"from":"x"}"#, #"{"message_type":"x"}"#, #"{"google.x":"x"}"#, #"{"gcm":"x"}"#, #"{"":"x"}"#, "[]", "{", "1",
      #"{"a":1}x"#,
    ])
  func refused(content: String) {
    #expect(throws: FCMRefusal.self) {
      try bytes(MobileSamples.message(FCMSamples.target(), content: content, form: .members))
    }
  }
}

@Suite("FCM message, over its limit")
struct FCMFitTests {
  private func fitted(_ content: String, to id: String = "t") throws -> FCMContent? {
    let message = MobileSamples.message(FCMSamples.target("gcm", id), content: content)
    return try FCMContent(message, PushOptions()).fitted(FCMTarget(id)?.payloadBytesMaximum ?? 0)
  }

  private func chat(_ texts: [String]) -> String {
    JSONValue.object([
      "message": "m", "serviceId": "s", "lastTranscript": .array(texts.map { ["Message.Text": .string($0)] }),
    ]).text.text
  }

  @Test("the oldest lines go until it fits")
  func oldest() throws {
    let content = try #require(try fitted(chat((1...200).map { "line number \($0)" })))
    #expect((3_900...4_096).contains(content.payloadBytes))
    let message = try JSONValue(parsing: content.data[0].value)
    #expect(message["lastTranscript"]?.array?.last?["Message.Text"]?.string == "line number 200")
    #expect(message.object?.names == ["message", "serviceId", "lastTranscript"])
  }

  @Test("then the newest is cut between characters", arguments: [("t", 4_096), ("topic:t", 2_048)])
  func newest(id: String, limit: Int) throws {
    let content = try #require(try fitted(chat(["first", String(repeating: "👨‍👩‍👧‍👦\"", count: 400)]), to: id))
    #expect((limit - 60...limit).contains(content.payloadBytes))
    let lines = try JSONValue(parsing: content.data[0].value)["lastTranscript"]?.array
    #expect(lines?.count == 1)
    #expect(lines?[0]["Message.Text"]?.string?.hasSuffix("…") == true)
  }

  @Test("what cannot be made to fit is refused")
  func tooLarge() throws {
    #expect(try fitted(#"{"serviceId":"\#(String(repeating: "s", count: 5_000))"}"#) == nil)
  }
}
