import JSONEnvelope
import Testing
import TextEncoding

@testable import HTTPEdge

@Suite("Support: devices over HTTP", .timeLimit(.minutes(5)))
struct SupportDeviceTests {
  @Test("11.1: `<AB cd>` and `abcd` are one device; registered twice it is one, 201 then 200")
  func cleaning() async throws {
    try await SupportRig.run { rig in
      let user = try await rig.user("1")
      let first = try await user.registerDevice("<AB cd>")
      #expect(first.status == 201)
      let device = try #require(first.json["push_notification_device"])
      let at = try #require(device["created_at"]?.string)
      #expect(
        first.body == #"{"push_notification_device":{"id":10001,"identifier":"abcd","device_type":"ios","#
          + #""token_type":null,"locale":"en-us","active":true,"created_at":"\#(at)","updated_at":"\#(at)"}}"#)
      let second = try await user.registerDevice("abcd", type: "iphone")
      #expect(second.status == 200 && second.json["push_notification_device"]?["id"] == 10_001)
      let path = "/api/mobile/push_notification_devices/"
      let gone = try await user.call("DELETE", path + "%3CABcd%3E.json")
      #expect(gone.status == 200 && gone.body.isEmpty)
      #expect(try await user.call("DELETE", path + "abcd").status == 404)
      #expect(try await user.registerDevice("ABCD").status == 201)
    }
  }

  @Test("only one's own device is unregistered")
  func others() async throws {
    try await SupportRig.run { rig in
      let (ann, bob) = (try await rig.user("ann"), try await rig.user("bob"))
      #expect(try await ann.registerDevice("aa").status == 201)
      #expect(try await bob.call("DELETE", "/api/mobile/push_notification_devices/aa.json").status == 404)
      #expect(try await ann.call("DELETE", "/api/mobile/push_notification_devices/aa.json").status == 200)
    }
  }

  @Test(
    "a device that cannot be one is refused with its member's name",
    arguments: [
      (#"{"identifier":"","device_type":"ios"}"#, "identifier"),
      (#"{"device_type":"ios"}"#, "identifier"),
      (#"{"identifier":"< >","device_type":"ios"}"#, "identifier"),
      (#"{"identifier":"a\tb","device_type":"ios"}"#, "identifier"),
      (#"{"identifier":7,"device_type":"ios"}"#, "identifier"),
      (#"{"identifier":"aa"}"#, "device_type"),
      (#"{"identifier":"aa","device_type":"windows"}"#, "device_type"),
      (#"{"identifier":"aa","device_type":"ios","token_type":"other"}"#, "token_type"),
      (#"{"identifier":"aa","device_type":"ios","locale":["en"]}"#, "locale"),
    ])
  func refusals(device: String, field: String) async throws {
    try await SupportRig.run { rig in
      let answer = try await rig.user("1").call(
        "POST", "/api/mobile/push_notification_devices", #"{"push_notification_device":\#(device)}"#)
      #expect(answer.status == 422 && answer.error == "RecordInvalid")
      #expect(answer.json["details"]?.object?.names == [field])
      #expect(answer.json["details"]?[field]?[0]?["description"]?.string?.isEmpty == false)
    }
  }

  // MARK: Bulk

  private static let path = "/api/v2/push_notification_devices/destroy_many.json"

  private static func body(_ count: Int) -> String {
    #"{"push_notification_devices":[\#((0..<count).map { "\"t\($0)\"" }.joined(separator: ","))]}"#
  }

  @Test("11.8: brackets, blanks, unknown and repeated tokens: 200; the next comment makes no POST")
  func bulk() async throws {
    try await SupportRig.run { rig in
      let (ann, bob) = (try await rig.user("ann"), try await rig.user("bob"))
      #expect(try await ann.registerDevice("aabb").status == 201)
      #expect(try await ann.registerDevice("Droid:1", type: "android").status == 201)
      #expect(try await bob.registerDevice("ccdd").status == 201)
      let (ofAnn, ofBob) = (try await ann.ask("one"), try await bob.ask("two"))
      let admin = try rig.server.tokens.create(name: "ops", role: .admin)
      let caller = MessagingCaller(
        client: try await rig.server.connect(),
        fields: [("Authorization", "Basic " + Base64.encode("ops@example.com/token:\(admin)".utf8))])
      let answer = try await caller.call(
        "POST", Self.path, #"{"push_notification_devices":["<AA bb>","aabb","Droid:1","nobody"]}"#)
      #expect(answer.status == 200 && answer.body == #""""#)
      #expect(answer.raw.header("Content-Type")?.hasPrefix("application/json") == true)
      try await rig.agent.comment("to nobody", on: ofAnn)
      try await rig.agent.comment("to Bob", on: ofBob)
      // What comes first is the second one: for the first there is nothing.
      #expect(try await rig.courier.body().contains("to Bob"))
      let told = try await caller.call(
        "POST", Self.path, #"{"push_notification_devices":["ccdd","nobody","cc dd"]}"#,
        adding: [("Accept", "application/vnd.carillon+json")])
      #expect(told.body == #"{"removed":1,"unknown":1}"#)
      #expect(told.raw.header("Content-Type") == "application/vnd.carillon+json")
    }
  }

  @Test("11.8: 1,001 tokens: 422 and nothing is removed")
  func tooMany() async throws {
    try await SupportRig.run { rig in
      let user = try await rig.user("1")
      #expect(try await user.registerDevice("t0", type: "android").status == 201)
      let admin = try await rig.holder("ops", .admin)
      let refused = try await admin.call("POST", Self.path, Self.body(1_001))
      #expect(refused.status == 422)
      #expect(
        refused.body == #"{"error":"too_many","description":"at most 1000 tokens a call","limit":1000}"#)
      #expect(try await user.registerDevice("t0", type: "android").status == 200)
      #expect(try await admin.call("POST", Self.path, Self.body(1_000)).status == 200)
      #expect(try await user.registerDevice("t0", type: "android").status == 201)
    }
  }

  @Test(
    "a call that cannot be understood removes nothing",
    arguments: [
      (#"{"push_notification_devices":["t0",7]}"#, "application/json", 422, "RecordInvalid"),
      (#"{"push_notification_devices":["t0",""]}"#, "application/json", 422, "RecordInvalid"),
      (#"{"push_notification_devices":"t0"}"#, "application/json", 422, "RecordInvalid"),
      ("{}", "application/json", 422, "RecordInvalid"), ("{", "application/json", 400, "BadRequest"),
      (#"{"push_notification_devices":["t0"]}"#, "text/plain", 415, "UnsupportedMediaType"),
    ])
  func malformed(body: String, type: String, status: Int, error: String) async throws {
    try await SupportRig.run { rig in
      let user = try await rig.user("1")
      #expect(try await user.registerDevice("t0", type: "android").status == 201)
      let admin = try await rig.holder("ops", .admin)
      let answer = try await admin.call("POST", Self.path, body, adding: [("Content-Type", type)])
      #expect(answer.status == status && answer.error == error)
      if body.contains("7") {
        #expect(answer.json["details"]?["push_notification_devices[1]"]?[0]?["description"] == "is not a string")
      }
      #expect(try await user.registerDevice("t0", type: "android").status == 200)
    }
  }

  @Test("too many calls are told when to come again, and a body that is too large is not read")
  func bounds() async throws {
    var limits = EdgeLimits()
    limits.bulkUnregistersMaximum = 2
    limits.bulkUnregisterInterval = .seconds(100)
    limits.bodyBytesMaximum = 4_096
    try await SupportRig.run(limits: limits) { rig in
      let admin = try await rig.holder("ops", .admin)
      for _ in 0..<2 { #expect(try await admin.call("POST", Self.path, Self.body(1)).status == 200) }
      let refused = try await admin.call("POST", Self.path, Self.body(1))
      #expect(refused.status == 429 && refused.error == "TooManyRequests")
      #expect((1...100).contains(refused.raw.header("Retry-After").flatMap { Int($0) } ?? 0))
      let large = try await admin.call("POST", Self.path, Self.body(1_000))
      #expect(large.status == 413)
      #expect(
        large.body
          == #"{"error":"ContentTooLarge","description":"The request body is larger than 4096 bytes"}"#)
    }
  }
}
