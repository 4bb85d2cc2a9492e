import JSONEnvelope
import PushDomain
import Testing

@testable import HTTPEdge

@Suite("Support: for operators", .timeLimit(.minutes(5)))
struct SupportAdminTests {
  private static let apps = "/admin/1/support/apps"

  @Test("a webhook gets a secret path, is rotated with an overlap, and is shown whole once only")
  func webhooks() async throws {
    try await SupportRig.run { rig in
      let admin = try await rig.holder("ops", .admin)
      let before = try await admin.call("GET", Self.apps)
      #expect(before.json.array?.map { $0["clientId"] } == ["bank", "shop"])
      let shop = try #require(before.json[1])
      #expect(shop["webhookUrl"] == "https://hooks.example.com/…" && shop["integration"] == "webhook")
      #expect(shop["identity"] == "anonymous" && shop["appId"] == "shop-app" && shop["rotatedBy"] == nil)

      let set = try await admin.call(
        "PUT", Self.apps + "/shop/webhook", #"{"url":"https://new.example.com/in","random":true}"#)
      #expect(set.status == 200)
      let url = try #require(set.json["webhookUrl"]?.string)
      #expect(url.hasPrefix("https://new.example.com/in/") && url.utf8.count >= 27 + 22)
      #expect(set.json["previousUrl"] == "https://hooks.example.com/push" && set.json["rotatedBy"] == "ops")
      let rotated = try await admin.call("POST", Self.apps + "/shop/webhook/rotate", #"{"overlap_seconds":60}"#)
      let next = try #require(rotated.json["webhookUrl"]?.string)
      #expect(next.hasPrefix("https://new.example.com/in/") && next != url)
      #expect(rotated.json["previousUrl"] == .string(url) && rotated.json["previousUntil"]?.string != nil)
      let listed = try #require(try await admin.call("GET", Self.apps).json[1])
      #expect(listed["webhookUrl"] == .string("https://new.example.com/…\(next.suffix(4))"))
      #expect(listed["previousUrl"] == nil && listed["previousUntil"] == rotated.json["previousUntil"])

      let user = try await rig.user("1")
      #expect(try await user.registerDevice("aa").status == 201)
      try await rig.agent.comment("hello", on: try await user.ask("one"))
      #expect(try await rig.courier.next().message.target.deviceID == next)
      let cleared = try await admin.call("DELETE", Self.apps + "/shop/webhook")
      #expect(cleared.json["webhookUrl"] == "https://hooks.example.com/…" && cleared.json["devices"] == 1)
    }
  }

  @Test("a URL that leads into a private network is refused when it is set")
  func judged() async throws {
    try await SupportRig.run { rig in
      let admin = try await rig.holder("ops", .admin)
      let refused = try await admin.call(
        "PUT", Self.apps + "/shop/webhook", #"{"url":"https://inside.example.com/in"}"#)
      #expect(refused.status == 422 && refused.body.contains("private address"))
      let listed = try #require(try await admin.call("GET", Self.apps).json[1])
      #expect(listed["webhookUrl"] == "https://hooks.example.com/…")
    }
  }

  @Test(
    "a support notification that is refused is a dead letter, put back and dropped although its producer has a slash")
  func deadLetters() async throws {
    try await SupportRig.run { rig in
      let (admin, user) = (try await rig.holder("ops", .admin), try await rig.user("1"))
      #expect(try await user.registerDevice("aa").status == 201)
      rig.courier.answer(always: .refused(reason: "private address"))
      let number = try await user.ask("one")
      try await rig.agent.comment("hello", on: number)
      _ = try await rig.courier.next()
      try await until { try await admin.call("GET", "/admin/1/dead-letters").json.array?.count == 1 }
      let letter = try #require(try await admin.call("GET", "/admin/1/dead-letters").json[0])
      #expect(letter["producer"]?.string == "request/\(number)" && letter["reason"] == "private address")
      #expect(letter["body"]?.string?.contains("hello") == true)
      let (device, id) = (letter["device"]?.string ?? "", letter["id"]?.string ?? "")
      let path = "/admin/1/dead-letters/\(device)/request%2F\(number)/\(letter["number"]?.integer ?? 0)"
      #expect(try await admin.call("POST", path + "/retry").status == 204)
      _ = try await rig.courier.next()
      try await until { try await admin.call("GET", "/admin/1/dead-letters").json.array?.count == 1 }
      #expect(try await admin.call("POST", "/admin/1/dead-letters/\(device)/\(id)/retry").status == 204)
      _ = try await rig.courier.next()
      try await until { try await admin.call("GET", "/admin/1/dead-letters").json.array?.count == 1 }
      #expect(try await admin.call("DELETE", "/admin/1/dead-letters/\(device)/nothing").status == 404)
      #expect(try await admin.call("DELETE", path).status == 204)
      #expect(try await admin.call("GET", "/admin/1/dead-letters").json == [])
    }
  }

  @Test("a user's devices are shown with how they ended")
  func devices() async throws {
    try await SupportRig.run { rig in
      let user = try await rig.user("1")
      #expect(try await user.registerDevice("aa").status == 201)
      #expect(try await user.registerDevice("bb", type: "android").status == 201)
      #expect(try await user.call("DELETE", "/api/mobile/push_notification_devices/aa").status == 200)
      let admin = try await rig.holder("ops", .admin)
      let devices = try await admin.call("GET", "/admin/1/support/users/1/devices").json
      #expect(devices.array?.map { $0["id"] } == [10_001, 10_002])
      #expect(devices[0]?["active"] == false && devices[0]?["ended_reason"] == "user")
      #expect(devices[1]?["active"] == true && devices[1]?["ended_reason"] == nil && devices[1]?["stale"] == false)
      #expect(devices[1]?["client_id"] == "shop" && devices[1]?["device_type"] == "android")
      #expect(try await admin.call("GET", "/admin/1/support/users/99/devices").status == 404)
      #expect(try await admin.call("GET", "/admin/1/support/users/x/devices").status == 404)
    }
  }

  @Test(
    "what cannot be set is refused",
    arguments: [
      ("PUT", "/shop/webhook", "{}", 422), ("PUT", "/shop/webhook", #"{"url":"http://plain.example.com"}"#, 422),
      ("PUT", "/shop/webhook", #"{"url":"https://a.example.com/","random":"yes"}"#, 422),
      ("PUT", "/shop/webhook", #"{"url":"https://a.example.com/?q=1","random":true}"#, 422),
      ("PUT", "/other/webhook", #"{"url":"https://a.example.com/"}"#, 404),
      ("POST", "/shop/webhook/rotate", #"{"overlap_seconds":-1}"#, 422),
      ("POST", "/shop/webhook/rotate", #"{"overlap_seconds":2592001}"#, 422),
      ("POST", "/bank/webhook/rotate", "{}", 422), ("DELETE", "/other/webhook", "", 404),
      ("POST", "/shop/webhook", "{}", 405),
    ])
  func refusals(method: String, path: String, body: String, status: Int) async throws {
    try await SupportRig.run { rig in
      let admin = try await rig.holder("ops", .admin)
      let answer = try await admin.call(method, Self.apps + path, body)
      #expect(answer.status == status && answer.json["message"]?.string?.isEmpty == false)
      #expect(try await rig.agent.call(method, Self.apps + path, body).status == (status == 405 ? 405 : 403))
    }
  }
}
