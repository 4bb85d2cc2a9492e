import Engine
import JSONEnvelope
import SupportAPI
import Testing

@testable import HTTPEdge

@Suite("Support: who an end user is", .timeLimit(.minutes(5)))
struct SupportIdentityTests {
  @Test("an anonymous user gets a token, and the same user with the same device", arguments: ["", ".json"])
  func anonymous(format: String) async throws {
    try await SupportRig.run { rig in
      let stranger = try await rig.stranger()
      let body = #"{"user":{"sdk_guid":"3F","name":"Ann","email":"ann@example.com"}}"#
      let answer = try await stranger.call("POST", "/access/sdk/anonymous" + format, body)
      #expect(answer.status == 200 && answer.raw.header("Cache-Control") == "no-cache, no-store")
      let token = try #require(answer.json["authentication"]?["access_token"]?.string)
      #expect(answer.body == #"{"authentication":{"access_token":"\#(token)"}}"#)
      let me = try await stranger.call("GET", "/api/v2/users/me.json", adding: [("Authorization", "Bearer \(token)")])
      #expect(me.body == #"{"user":{"id":1,"name":"Ann","photo":null,"agent":false,"organization_id":null}}"#)
      let again = try await stranger.call("POST", "/access/sdk/anonymous", body)
      let second = try #require(again.json["authentication"]?["access_token"]?.string)
      #expect(second != token)
      let same = try await stranger.call("GET", "/api/v2/users/me", adding: [("Authorization", "Bearer \(second)")])
      #expect(same.body == me.body)
    }
  }

  @Test("another name is another identity: the token of before opens nothing")
  func change() async throws {
    try await SupportRig.run { rig in
      let user = try await rig.user("3F")
      #expect(try await user.call("GET", "/api/v2/users/me").status == 200)
      _ = try await rig.stranger().call("POST", "/access/sdk/anonymous", #"{"user":{"sdk_guid":"3F","name":"Bob"}}"#)
      let refused = try await user.call("GET", "/api/v2/users/me")
      #expect(refused.status == 401 && refused.body == #"{"error":"Couldn't authenticate you"}"#)
    }
  }

  @Test("the 33rd sign-in ends the token that was not used for longest, not the oldest")
  func leastUsed() async throws {
    try await SupportRig.run { rig in
      var users: [MessagingCaller] = []
      for _ in 0..<32 { users.append(try await rig.user("3F")) }
      // The first phone is the one that is used.
      #expect(try await users[0].call("GET", "/api/v2/users/me").status == 200)
      users.append(try await rig.user("3F"))
      #expect(try await users[0].call("GET", "/api/v2/users/me").status == 200)
      #expect(try await users[1].call("GET", "/api/v2/users/me").status == 401)
      #expect(try await users[2].call("GET", "/api/v2/users/me").status == 200)
      #expect(try await users[32].call("GET", "/api/v2/users/me").status == 200)
    }
  }

  @Test(
    "who cannot be one is told why, and never 401",
    arguments: [
      ("shop", "anonymous", #"{"user":{"sdk_guid":"1","email":"ANNA@example.com"}}"#, 403, "agent_identity"),
      ("shop", "anonymous", #"{"user":{"sdk_guid":"1","email":"boss@Example.com"}}"#, 403, "agent_identity"),
      ("shop", "anonymous", #"{"user":{"sdk_guid":"1","email":" boss@example.com\t"}}"#, 403, "agent_identity"),
      ("shop", "anonymous", #"{"user":{"sdk_guid":"1","email":"desk@example.com "}}"#, 403, "agent_identity"),
      ("bank", "jwt", #"{"user":{"token":"agent"}}"#, 403, "agent_identity"),
      ("bank", "anonymous", #"{"user":{"sdk_guid":"1"}}"#, 403, "identity_type_mismatch"),
      ("shop", "jwt", #"{"user":{"token":"t"}}"#, 403, "identity_type_mismatch"),
      ("nobody", "anonymous", #"{"user":{"sdk_guid":"1"}}"#, 403, "unknown_client"),
      ("nobody", "jwt", #"{"user":{"token":"t"}}"#, 403, "unknown_client"),
      (nil, "anonymous", #"{"user":{"sdk_guid":"1"}}"#, 422, "RecordInvalid"),
      ("shop", "anonymous", #"{"user":{}}"#, 422, "RecordInvalid"),
      ("shop", "anonymous", #"{"user":{"sdk_guid":7}}"#, 422, "RecordInvalid"),
      ("shop", "anonymous", "{}", 422, "RecordInvalid"),
      ("shop", "anonymous", "[]", 400, "BadRequest"),
      ("shop", "anonymous", "{", 400, "BadRequest"),
      ("bank", "jwt", #"{"user":{"token":" "}}"#, 422, "RecordInvalid"),
      ("bank", "jwt", #"{"user":{"token":"nobody"}}"#, 403, "invalid_identity"),
      ("bank", "jwt", #"{"user":{"token":"later"}}"#, 503, "ServiceUnavailable"),
    ] as [(String?, String, String, Int, String)])
  func refusals(app: String?, kind: String, body: String, status: Int, error: String) async throws {
    try await SupportRig.run(verifyIdentity: Self.backEnd) { rig in
      let answer = try await rig.stranger(app: app).call("POST", "/access/sdk/\(kind)", body)
      #expect(answer.status == status)
      #expect(answer.error == error)
      #expect(answer.json["description"]?.string?.isEmpty == false)
      if status == 503 { #expect(answer.raw.header("Retry-After") == "17") }
    }
  }

  @Test("an app's back end vouches once with each token, and its user is known again")
  func verified() async throws {
    try await SupportRig.run(verifyIdentity: Self.backEnd) { rig in
      let stranger = try await rig.stranger(app: "bank")
      let first = try await stranger.call("POST", "/access/sdk/jwt.json", #"{"user":{"token":"one"}}"#)
      #expect(first.status == 200)
      let replayed = try await stranger.call("POST", "/access/sdk/jwt", #"{"user":{"token":"one"}}"#)
      #expect(replayed.status == 403 && replayed.error == "invalid_identity")
      let second = try await stranger.call("POST", "/access/sdk/jwt", #"{"user":{"token":"two"}}"#)
      for answer in [first, second] {
        let token = try #require(answer.json["authentication"]?["access_token"]?.string)
        let me = try await stranger.call("GET", "/api/v2/users/me", adding: [("Authorization", "Bearer \(token)")])
        #expect(me.json["user"]?["id"] == 1 && me.json["user"]?["name"] == "Zoe")
      }
    }
  }

  /// Knows Zoe, an agent, and a bad hour.
  private static let backEnd: SupportIdentityVerifier = { (app, token) async throws(SupportIdentityFailure) in
    guard app.jwtURL == "https://bank.example.com/jwt" else { throw .refused }
    switch token {
    case "later": throw .unreachable(retryAfter: 17)
    case "nobody": throw .refused
    case "agent": return VerifiedSupportIdentity(externalID: nil, name: "A", email: "Anna@Example.com", tokenID: "a")
    default: return VerifiedSupportIdentity(externalID: "z", name: "Zoe", email: "zoe@example.com", tokenID: token)
    }
  }

  @Test("an app is told what is switched on for it")
  func settings() async throws {
    try await SupportRig.run(options: ["support.app.bank": ["attachments": "false"]]) { rig in
      let path = "/api/private/mobile_sdk/settings"
      let shop = try await rig.stranger().call(
        "GET", path + "/shop-app.json", adding: [("Accept-Language", "de-AT, en")])
      #expect(
        shop.body
          == #"{"locale":"de-at","core":{"authentication":"anonymous","client_id":"shop"},"support":"#
          + #"{"conversations":{"enabled":true},"attachments":{"enabled":true,"max_attachment_size":10485760},"#
          + #""contact_us":{"tags":[]},"ticket_forms":{"available":false},"never_request_email":true,"#
          + #""show_closed_requests":true,"push_notifications":{"enabled":true,"integration":"webhook"}}}"#)
      let bank = try await rig.stranger(app: "bank").call("GET", path + "/bank-app").json
      #expect(bank["locale"] == "en" && bank["core"]?["authentication"] == "jwt")
      #expect(bank["support"]?["attachments"]?["enabled"] == false)
      #expect(bank["support"]?["push_notifications"] == ["enabled": false, "integration": nil])
      let unknown = try await rig.stranger(app: nil).call("GET", path + "/other.json")
      #expect(unknown.status == 404 && unknown.body == #"{"error":"RecordNotFound","description":"Not found"}"#)
      #expect(try await rig.stranger(app: "nobody").call("GET", path + "/shop-app").status == 403)
    }
  }

  @Test(
    "401 is for a bearer that opens nothing, and for none at all",
    arguments: [
      ("GET", "/api/mobile/requests.json"), ("POST", "/api/mobile/requests.json"), ("GET", "/api/v2/requests/1"),
      ("GET", "/api/v2/requests/show_many"), ("GET", "/api/v2/requests/updates"), ("POST", "/api/v2/requests/1/read"),
      ("GET", "/api/v2/requests/1/comments"), ("PUT", "/api/v2/requests/1"), ("POST", "/api/v2/uploads"),
      ("DELETE", "/api/v2/uploads/x"), ("POST", "/api/mobile/push_notification_devices"),
      ("DELETE", "/api/mobile/push_notification_devices/x"), ("GET", "/api/v2/tickets"), ("GET", "/api/v2/users/me"),
      ("POST", "/api/v2/push_notification_devices/destroy_many"),
    ])
  func unauthorized(method: String, path: String) async throws {
    try await SupportRig.run { rig in
      let stranger = try await rig.stranger()
      for header in [nil, "Bearer nobody", "Basic YTpi", "Basic YS90b2tlbjpi", "Bearer"] as [String?] {
        let answer = try await stranger.call(method, path, adding: header.map { [("Authorization", $0)] } ?? [])
        #expect(answer.status == 401 && answer.body == #"{"error":"Couldn't authenticate you"}"#, "\(header ?? "-")")
      }
    }
  }

  @Test("who is known, but on the wrong side of the desk, is told so with 403")
  func wrongSide() async throws {
    try await SupportRig.run { rig in
      let user = try await rig.user("1")
      for path in ["/api/v2/tickets", "/api/v2/tickets/1/comments.json"] {
        #expect(try await user.call("GET", path).status == 403)
      }
      let many = "/api/v2/push_notification_devices/destroy_many"
      #expect(try await user.call("POST", many, #"{"push_notification_devices":[]}"#).status == 403)
      #expect(try await rig.agent.call("POST", many, #"{"push_notification_devices":[]}"#).status == 403)
      #expect(try await rig.agent.call("GET", "/api/v2/requests").status == 403)
      let publisher = try await rig.holder("back end", .publisher)
      let refused = try await publisher.call("GET", "/api/v2/tickets")
      #expect(refused.status == 403 && refused.error == "Forbidden")
      #expect(try await rig.holder("ops", .admin).call("GET", "/api/v2/tickets").status == 200)
    }
  }

  @Test("an app that is configured for the other kind, or for none any more, says 403 to its users, never 401")
  func reconfigured() async throws {
    try await SupportRig.run { rig in
      let user = try await rig.user("1")
      _ = try await user.ask("one")
      var options = rig.server.engine.options.current
      for (section, error) in [(["identity": "jwt"], "identity_type_mismatch"), (nil, "unknown_client")] {
        options.sections["support.app.shop"] = section
        rig.server.engine.options.replace(options)
        for path in ["/api/v2/requests", "/api/mobile/requests/1.json", "/api/v2/requests/1/comments"] {
          let answer = try await user.call("GET", path)
          #expect(answer.status == 403 && answer.error == error, "\(path)")
        }
        #expect(try await user.registerDevice("aa").status == 403)
      }
    }
  }

  @Test("a server that is not ready says 503, never 401")
  func notReady() async throws {
    try await ServerHarness.run(options: SupportRig.options, recovers: false) { server in
      let caller = MessagingCaller(client: try await server.connect(), fields: [("Authorization", "Bearer x")])
      for path in ["/api/v2/requests", "/api/mobile/requests.json", "/access/sdk/anonymous", "/attachments/token/x/"] {
        let answer = try await caller.call("GET", path)
        #expect(answer.status == 503 && answer.raw.header("Retry-After") == "5")
        #expect(answer.body == #"{"error":"ServiceUnavailable","description":"The server is not ready"}"#)
      }
    }
  }
}
