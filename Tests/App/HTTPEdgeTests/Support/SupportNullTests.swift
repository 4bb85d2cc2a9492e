import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("Support: a null is an absent member", .timeLimit(.minutes(5)))
struct SupportNullTests {
  @Test("the documented sample registers a device")
  func device() async throws {
    try await SupportRig.run { rig in
      let answer = try await rig.user("1").call(
        "POST", "/api/mobile/push_notification_devices.json",
        #"{"push_notification_device":"#
          + #"{"identifier":"<AB cd>","device_type":"ios","locale":"en-us","token_type":null}}"#)
      #expect(answer.status == 201)
      #expect(answer.json["push_notification_device"]?["identifier"] == "abcd")
      #expect(answer.json["push_notification_device"]?["token_type"] == .null)
    }
  }

  /// What an end user posts; `null` stands where a member might be left out.
  static let orders: [(method: String, path: String, body: String, status: Int)] = [
    ("POST", "/access/sdk/anonymous", #"{"user":{"sdk_guid":"2","name":null,"email":null}}"#, 200),
    (
      "POST", "/api/mobile/push_notification_devices",
      #"{"push_notification_device":{"identifier":"ef","device_type":"android","locale":null,"token_type":null}}"#, 201
    ),
    (
      "POST", "/api/mobile/requests",
      #"{"request":{"subject":null,"comment":{"body":"x","uploads":null},"tags":null,"custom_fields":null,"#
        + #""ticket_form_id":null,"metadata":null}}"#, 201
    ),
    ("PUT", "/api/v2/requests/1", #"{"request":{"comment":null,"status":null,"solved":null,"tags":null}}"#, 200),
    ("POST", "/api/v2/requests/1/read", #"{"comment_id":null,"device":null}"#, 204),
    // What has to be there is missing, and not of the wrong type.
    ("POST", "/api/v2/requests", #"{"request":{"subject":"s","comment":null}}"#, 422),
    ("POST", "/api/v2/requests", #"{"request":null}"#, 422), ("POST", "/access/sdk/anonymous", #"{"user":null}"#, 422),
  ]

  @Test("an end user's", arguments: orders)
  func endUser(method: String, path: String, body: String, status: Int) async throws {
    try await SupportRig.run { rig in
      let user = try await rig.user("1")
      _ = try await user.ask("one")
      let answer = try await user.call(method, path, body)
      #expect(answer.status == status, "\(answer.body)")
      guard status == 422 else { return }
      #expect(answer.body.contains("cannot be blank"))
    }
  }

  @Test("a vouched user's")
  func vouched() async throws {
    try await SupportRig.run { rig in
      for body in [#"{"user":{"token":null}}"#, #"{"user":{}}"#, #"{"user":null}"#] {
        let answer = try await rig.stranger(app: "bank").call("POST", "/access/sdk/jwt", body)
        #expect(answer.status == 422 && answer.body.contains("cannot be blank"), "\(body): \(answer.body)")
      }
    }
  }

  @Test(
    "an agent's",
    arguments: [
      (
        "POST", "/api/v2/tickets",
        #"{"ticket":{"subject":null,"comment":{"body":"x","public":null,"author_id":null},"status":null,"#
          + #""requester_id":null,"requester":{"email":"c@example.com","name":null},"via":{"channel":null}}}"#, 201
      ),
      (
        "PUT", "/api/v2/tickets/1",
        #"{"ticket":{"comment":{"body":"x","public":null},"status":null,"assignee_id":null,"custom_fields":null}}"#, 200
      ),
      ("PUT", "/api/v2/tickets/1", #"{"ticket":{"requester":null,"via":null,"solved":null}}"#, 200),
    ])
  func agent(method: String, path: String, body: String, status: Int) async throws {
    try await SupportRig.run { rig in
      _ = try await rig.user("1").ask("one")
      let answer = try await rig.agent.call(method, path, body)
      #expect(answer.status == status, "\(answer.body)")
    }
  }

  @Test("an operator's")
  func operatorsWebhook() async throws {
    try await SupportRig.run { rig in
      let boss = try await rig.holder("boss", .admin)
      let set = try await boss.call(
        "PUT", "/admin/1/support/apps/shop/webhook",
        #"{"url":"https://hooks.example.com/a","random":null,"overlap_seconds":null}"#)
      #expect(set.status == 200 && set.json["webhookUrl"] == "https://hooks.example.com/a")
      let bulk = try await boss.call(
        "POST", "/api/v2/push_notification_devices/destroy_many", #"{"push_notification_devices":null}"#)
      #expect(bulk.status == 422 && bulk.body.contains("cannot be blank"))
    }
  }
}
