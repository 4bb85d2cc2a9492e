import JSONEnvelope
import PushDomain
import Testing

@testable import PushProviders

@Suite("APNs payload, within its limit")
struct APNsPayloadTests {
  static func bytes(_ message: PushMessage, _ options: [String: String] = [:]) throws -> String? {
    try APNsPayload(message, PushOptions(options)).fittedBytes()?.text
  }

  @Test("a chat push is what GMS prints, to the byte")
  func chat() throws {
    let bytes = try Self.bytes(
      MobileSamples.message(MobileSamples.ios()), ["apple.badge": "1", "apple.sound": "default"])
    #expect(
      bytes
        == #"{"aps":{"alert":{"body":"New message from Agent"},"badge":1,"sound":"default"},"message":{"message":"New"#
        + #" message from Agent","serviceId":"412-0b7c6e1e-52a4-4d55-9a3d-3f1d1c0a77e2"}}"#)
  }

  @Test("a callback push is what GMS prints, to the byte")
  func callback() throws {
    let message = MobileSamples.message(
      MobileSamples.ios(), alert: "New message from Agent", content: MobileSamples.callback)
    let bytes = try Self.bytes(
      message, ["apple.alertMessage.body": "Agent is available right now", "apple.sound": "default"])
    #expect(
      bytes
        == #"{"aps":{"alert":{"body":"Agent is available right now"},"sound":"default"},"message":{"_id":"7Q2M0D1K4H"#
        + #"9A3L0R00512B80C00001A4","_action":"get-dialog-user-confirmation-provide_code-false"}}"#)
  }

  @Test(
    "the sender's own aps goes over everything, and reaches Apple whole",
    arguments: [
      (#"{"alert":"Only"}"#, #"{"alert":"Only","sound":"default"}"#),
      (
        #"{"alert":{"body":"B","loc-key":"LK","loc-args":["a","b"],"title-loc-key":"TK","title-loc-args":["c"]}}"#,
        #"{"alert":{"title":"T","body":"B","loc-key":"LK","loc-args":["a","b"],"title-loc-key":"TK","#
          + #""title-loc-args":["c"]},"sound":"default"}"#
      ),
      (
        #"{"sound":{"name":"bell","critical":1,"volume":0.5},"badge":0,"thread-id":"th","category":"c"}"#,
        #"{"alert":{"title":"T","body":"Shown"},"badge":0,"thread-id":"th","category":"c","#
          + #""sound":{"name":"bell","critical":1,"volume":0.5}}"#
      ),
      (
        #"{"relevance-score":0.75,"x":18446744073709551616,"mutable-content":1,"content-available":1,"badge":null}"#,
        #"{"alert":{"title":"T","body":"Shown"},"sound":"default","content-available":1,"mutable-content":1,"#
          + #""relevance-score":0.75,"x":18446744073709551616}"#
      ),
    ])
  func sendersAps(_ aps: String, _ expected: String) throws {
    let display = MobileSamples.display { display in
      display.title = "T"
      display.body = "Shown"
      display.aps = aps
    }
    let message = MobileSamples.message(
      MobileSamples.ios(), alert: "Shown", content: #"{"k":"v"}"#, display: display, form: .members)
    #expect(try Self.bytes(message, ["apple.sound": "default"]) == #"{"aps":\#(expected),"k":"v"}"#)
  }

  @Test("what only wakes the app stays a background push, with what else the sender says")
  func sendersBackground() throws {
    let display = MobileSamples.display { $0.aps = #"{"content-available":1,"target-content-id":"w"}"# }
    let message = MobileSamples.message(
      MobileSamples.ios(), alert: "", content: "{}", display: display, form: .members)
    let payload = try APNsPayload(message, PushOptions([:]))
    #expect(payload.type == .background)
    #expect(payload.bytes.text == #"{"aps":{"content-available":1,"target-content-id":"w"}}"#)
  }

  @Test("without options the alert is the chat's own text")
  func bare() throws {
    let message = MobileSamples.message(MobileSamples.ios(), alert: "Привет", content: "{}")
    #expect(try Self.bytes(message) == #"{"aps":{"alert":{"body":"Привет"}},"message":{}}"#)
  }

  @Test("the message goes as a string if the app expects one")
  func asString() throws {
    let message = MobileSamples.message(MobileSamples.ios(), alert: "Hi", content: #"{"a":"\"b\""}"#)
    #expect(
      try Self.bytes(message, ["apple.message_format": "string"])
        == #"{"aps":{"alert":{"body":"Hi"}},"message":"{\"a\":\"\\\"b\\\"\"}"}"#)
  }

  @Test("every alert option has its place, and loc-args come from the message")
  func alertOptions() throws {
    let message = MobileSamples.message(
      MobileSamples.ios(), alert: "Hi", content: #"{"name":"Ann","count":3}"#)
    let options = [
      "apple.title": "Shop", "apple.alertMessage.body": "Body", "apple.alertMessage.action-loc-key": "ACT",
      "apple.alertMessage.loc-key": "KEY", "apple.alertMessage.loc-argnames": "name, count,missing",
      "apple.alertMessage.launch-image": "a.png", "apple.alert": "not used", "apple.thread_id": "t",
      "apple.category": "c", "apple.content_available": "true", "apple.mutable_content": "true",
      "apple.interruption_level": "active", "apple.payload_limit": "4096",
    ]
    #expect(
      try Self.bytes(message, options)
        == #"{"aps":{"alert":{"title":"Shop","body":"Body","action-loc-key":"ACT","loc-key":"KEY","#
        + #""loc-args":["Ann","3",""],"launch-image":"a.png"},"thread-id":"t","category":"c","#
        + #""content-available":1,"mutable-content":1,"#
        + #""interruption-level":"active"},"message":{"name":"Ann","count":3}}"#)
  }

  @Test("apple.alert alone is an alert in the short form")
  func plainAlert() throws {
    let message = MobileSamples.message(MobileSamples.ios(), content: "{}")
    #expect(try Self.bytes(message, ["apple.alert": "Hello"]) == #"{"aps":{"alert":"Hello"},"message":{}}"#)
  }

  @Test("what the message says about its look goes over the options")
  func display() throws {
    let display = MobileSamples.display {
      $0.title = "T"
      $0.subtitle = "S"
      $0.body = "B"
      $0.badge = 0
      $0.sound = "s.caf"
      $0.threadID = "th"
      $0.category = "ca"
      $0.interruptionLevel = "critical"
    }
    let message = MobileSamples.message(MobileSamples.ios(), content: #"{"x":1.50}"#, display: display, form: .members)
    let options = [
      "apple.title": "t", "apple.alertMessage.body": "b", "apple.badge": "7", "apple.sound": "default",
      "apple.thread_id": "x", "apple.category": "y", "apple.interruption_level": "passive",
    ]
    #expect(
      try Self.bytes(message, options)
        == #"{"aps":{"alert":{"title":"T","subtitle":"S","body":"B"},"badge":0,"sound":"s.caf","thread-id":"th","#
        + #""category":"ca","interruption-level":"critical"},"x":1.50}"#)
  }

  @Test(
    "members stand beside aps as they came",
    arguments: [
      ("{}", #"{"aps":{"alert":{"body":"Hi"}}}"#), (" { } ", #"{"aps":{"alert":{"body":"Hi"}}}"#),
      ("", #"{"aps":{"alert":{"body":"Hi"}}}"#),
      (
        #"{"zendesk_sdk_request_id":"35","n":12345678901234567890}"#,
        #"{"aps":{"alert":{"body":"Hi"}},"zendesk_sdk_request_id":"35","n":12345678901234567890}"#
      ),
    ])
  func members(content: String, expected: String) throws {
    let message = MobileSamples.message(MobileSamples.ios(), alert: "Hi", content: content, form: .members)
    #expect(try Self.bytes(message) == expected)
  }

  @Test(
    "a member aps, however it is spelt, and what is no object are refused",
    arguments: [
      #"{"aps":{}}"#, #"{"a":1,"\u0061ps":{}}"#, "[]", "{", "12",
    ])
  func refusedMembers(content: String) {
    let message = MobileSamples.message(MobileSamples.ios(), content: content, form: .members)
    #expect(throws: APNsRefusal.self) { try APNsPayload(message, PushOptions()) }
  }

  @Test("with nothing to show it is a background push, with anything it is an alert")
  func derivedType() throws {
    let wake = MobileSamples.display { $0.isContentAvailable = true }
    let silent = try APNsPayload(
      MobileSamples.message(MobileSamples.ios(), alert: "", content: "{}", display: wake, form: .members), PushOptions()
    )
    #expect(silent.type == .background)
    #expect(silent.bytes.text == #"{"aps":{"content-available":1}}"#)
    let loud = try APNsPayload(
      MobileSamples.message(MobileSamples.ios(), alert: "", content: "{}", display: wake, form: .members),
      PushOptions(["apple.badge": "1"]))
    #expect(loud.type == .alert)
  }

  @Test("a background push that somebody asks for shows nothing")
  func askedBackground() throws {
    let payload = try APNsPayload(
      MobileSamples.message(MobileSamples.ios(), content: "{}"),
      PushOptions(["apple.push_type": "background", "apple.sound": "default"]))
    #expect(payload.bytes.text == #"{"aps":{"content-available":1},"message":{}}"#)
  }

  @Test("an unknown push type or interruption level of the message is refused")
  func unknownWords() {
    for display in [
      MobileSamples.display { $0.pushType = "nonsense" }, MobileSamples.display { $0.interruptionLevel = "loud" },
    ] {
      #expect(throws: APNsRefusal.self) {
        try APNsPayload(MobileSamples.message(MobileSamples.ios(), display: display), PushOptions())
      }
    }
  }
}
