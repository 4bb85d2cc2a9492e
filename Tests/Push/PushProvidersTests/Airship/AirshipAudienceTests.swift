import EventSourcing
import JSONEnvelope
import PushDomain
import StandInSupport
import Testing

@testable import PushProviders

@Suite("Airship, several channels in one push")
struct AirshipAudienceTests {
  static func body(_ deviceID: String) throws -> JSONValue? {
    let message = PushMessage.posted(to: PushAddress(type: "airship", deviceID: deviceID), content: "{}")
    let audience = try #require(AirshipAudience(deviceID: deviceID))
    return try AirshipPayload.body(of: message, to: audience, now: AirshipTests.now).map { try JSONValue(parsing: $0) }
  }

  @Test(
    "the audience is any of them, and the device types are those present",
    arguments: [
      (
        "ios_channel:A,android_channel:B,ios_channel:C",
        [["ios_channel": "A"], ["android_channel": "B"], ["ios_channel": "C"]], ["ios", "android"]
      ),
      ("ios_channel:A,ios_channel:B", [["ios_channel": "A"], ["ios_channel": "B"]], ["ios"]),
      ("android_channel:A,android_channel:B", [["android_channel": "A"], ["android_channel": "B"]], ["android"]),
      ("channel:A,named_user:b", [["channel": "A"], ["named_user": "b"]], ["ios", "android"]),
      ("named_user:a,named_user:b:c@d", [["named_user": "a"], ["named_user": "b:c@d"]], ["ios", "android"]),
    ] as [(String, JSONValue, [String])])
  func several(deviceID: String, selectors: JSONValue, types: [String]) throws {
    let body = try #require(try Self.body(deviceID))
    #expect(body["audience"] == ["or": selectors])
    #expect(body["device_types"]?.array?.compactMap(\.string) == types)
    #expect((body["notification"]?["ios"] != nil) == types.contains("ios"))
    #expect((body["notification"]?["android"] != nil) == types.contains("android"))
  }

  @Test("a named user may have a comma in his name, and one selector stays one")
  func one() throws {
    #expect(try Self.body("named_user:smith,john")?["audience"] == ["named_user": "smith,john"])
    #expect(try Self.body("ios_channel:A")?["audience"] == ["ios_channel": "A"])
    #expect(try Self.body("A")?["audience"] == ["channel": "A"])
  }

  @Test(
    "lists that are none",
    arguments: [
      ",", "ios_channel:A,", ",ios_channel:A", "ios_channel:A,,ios_channel:B", "ios_channel:A,B", "A,B",
      "ios_channel:A,tag:vip", "ios_channel:A,ios_channel:", "ios_channel:A;ios_channel:B,",
      "ios_channel:A,ios_channel:" + String(repeating: "x", count: 129),
    ])
  func malformed(deviceID: String) {
    #expect(AirshipAudience(deviceID: deviceID) == nil)
  }

  @Test("500 selectors are the most")
  func bound() {
    let selectors = (1...501).map { "ios_channel:c-\($0)" }
    #expect(AirshipAudience(deviceID: selectors.prefix(500).joined(separator: ","))?.selectors.count == 500)
    #expect(AirshipAudience(deviceID: selectors.joined(separator: ",")) == nil)
  }

  @Test("a support request's push goes to all channels in one call, with its id in both keys")
  func support() async throws {
    try await withStandIn("airship.py") { airship, courier in
      var display = PushDisplay()
      (display.title, display.body) = ("Agent replied", "Hello")
      let delivery = AirshipTests.delivery(airship, to: "ios_channel:A,android_channel:B") { [display] in
        .posted(
          to: $0, content: #"{"zendesk_sdk_request_id":"5","tid":"5"}"#, display: display, form: .members)
      }
      let provider = AirshipProvider(courier: courier)
      #expect(provider.obstacle(delivery.message.target, delivery.options) == nil)
      #expect(await provider.deliver(delivery) == .delivered(id: "5cb18dc5-5d4c-4a1b-8ba3-3f0a4c1d2e99"))
      let text = try #require(await airship.next()?["text"] as? String)
      let extra: JSONValue = ["zendesk_sdk_request_id": "5", "tid": "5"]
      #expect(
        try JSONValue(parsing: text) == [
          "audience": ["or": [["ios_channel": "A"], ["android_channel": "B"]]],
          "device_types": ["ios", "android"],
          "notification": [
            "alert": "Hello", "ios": ["title": "Agent replied", "extra": extra],
            "android": ["title": "Agent replied", "extra": extra, "delivery_priority": "high"],
          ],
        ])
    }
  }
}
