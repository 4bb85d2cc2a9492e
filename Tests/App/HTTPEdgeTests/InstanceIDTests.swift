import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("The Instance ID service", .timeLimit(.minutes(5)))
struct InstanceIDTests {
  private func run(
    _ body: (_ device: TestDevice, _ token: String, _ sender: MessagingCaller, ServerHarness) async throws -> Void
  ) async throws {
    try await ServerHarness.run { server in
      let device = try await TestDevice(server)
      try await body(
        device, try await device.token("&app_ver=7&cert=ab12&scope=GCM"), try await server.appServer("4711"), server)
    }
  }

  @Test("what a token stands for")
  func info() async throws {
    try await run { _, token, sender, server in
      let info = try await sender.call("GET", "/iid/info/\(token)")
      #expect(info.status == 200)
      for (name, value) in [
        ("application", "com.example.app"), ("authorizedEntity", "4711"), ("platform", "ANDROID"),
        ("applicationVersion", "7"), ("appSigner", "ab12"), ("scope", "GCM"),
      ] {
        #expect(info.json[name]?.string == value, "\(name)")
      }
      #expect(info.json["rel"] == nil)
      let escaped = token.replacing(":", with: "%3A")
      #expect(try await sender.call("GET", "/iid/info/\(escaped)").status == 200)
      #expect(try await sender.call("GET", "/iid/info/a%20b").error == "InvalidToken")
      #expect(try await sender.call("GET", "/iid/info/unknown:token").status == 404)
      let other = try await server.appServer("4712")
      #expect(try await other.call("GET", "/iid/info/\(token)").status == 403)
      let stranger = MessagingCaller(client: try await server.connect())
      for authorization in ["key=x", "Bearer x", "Basic x", ""] {
        let answer = try await stranger.call("GET", "/iid/info/\(token)", adding: [("Authorization", authorization)])
        #expect(answer.status == 401)
      }
    }
  }

  @Test("one subscription, made and ended; a bearer will do for the key")
  func relation() async throws {
    try await run { _, token, sender, server in
      let key = String(sender.fields[0].1.dropFirst("key=".count))
      let bearer = MessagingCaller(
        client: sender.client, fields: [("Authorization", "Bearer \(key)"), ("access_token_auth", "true")])
      for caller in [sender, bearer] {
        let made = try await caller.call("POST", "/iid/v1/\(token)/rel/topics/news")
        #expect(made.status == 200 && made.body == "{}")
      }
      let info = try await sender.call("GET", "/iid/info/\(token)?details=true").json
      #expect(info["rel"]?["topics"]?["news"]?["addDate"]?.string?.count == 10)
      #expect(try await sender.call("DELETE", "/iid/v1/\(token)/rel/topics/news").status == 200)
      #expect(try await sender.call("GET", "/iid/info/\(token)?details=true").json["rel"] == nil)
      #expect(try await sender.call("POST", "/iid/v1/\(token)/rel/topics/a*b").error == "Topic name format is invalid")
      #expect(try await sender.call("POST", "/iid/v1/un:known/rel/topics/news").status == 404)
      #expect(try await server.appServer("4712").call("POST", "/iid/v1/\(token)/rel/topics/news").status == 403)
    }
  }

  @Test("a batch has an answer for each token, in their order")
  func batch() async throws {
    try await run { device, token, sender, server in
      let foreign = try await device.token(sender: "4712")
      let body =
        #"{"to":"/topics/news","registration_tokens":["un:known","\#(token)","a b",5,"\#(foreign)","\#(token)"]}"#
      for path in ["/iid/v1:batchAdd", "/iid/v1:batchRemove"] {
        let answer = try await sender.call("POST", path, body)
        #expect(answer.status == 200)
        let errors = answer.json["results"]?.array?.map { $0["error"]?.string }
        #expect(errors == ["NOT_FOUND", nil, "INVALID_ARGUMENT", "INVALID_ARGUMENT", "INVALID_ARGUMENT", nil])
        let topics = try await sender.call("GET", "/iid/info/\(token)?details=true").json["rel"]?["topics"]
        #expect((topics?["news"] != nil) == (path == "/iid/v1:batchAdd"))
      }
    }
  }

  @Test(
    "a batch that is none",
    arguments: [
      ("", "InvalidJSON"), ("[", "InvalidJSON"), ("{}", "Topic name format is invalid"),
      (#"{"to":"/topics/a b","registration_tokens":["x"]}"#, "Topic name format is invalid"),
      (#"{"to":"/topics/a"}"#, "MissingIIdToken"), (#"{"to":"/topics/a","registration_tokens":[]}"#, "MissingIIdToken"),
      (
        #"{"to":"/topics/a","registration_tokens":[\#(Array(repeating: #""x""#, count: 1_001).joined(separator: ","))]}"#,
        "Number of tokens (1001) exceeds maximum allowed (1000)"
      ),
    ])
  func malformedBatch(body: String, error: String) async throws {
    try await run { _, _, sender, _ in
      let answer = try await sender.call("POST", "/iid/v1:batchAdd", body)
      #expect(answer.status == 400 && answer.error == error)
    }
  }

  @Test("APNs tokens become registrations, the same one each time")
  func importing() async throws {
    try await run { _, _, sender, _ in
      let token = String(repeating: "ab12", count: 16)
      let body = #"{"application":"com.example.ios","sandbox":true,"apns_tokens":["\#(token)","xyz"]}"#
      let answer = try await sender.call("POST", "/iid/v1:batchImport", body)
      let results = try #require(answer.json["results"]?.array)
      #expect(results[0]["apns_token"]?.string == token && results[0]["status"]?.string == "OK")
      #expect(results[1]["status"]?.string == "INVALID_ARGUMENT" && results[1]["registration_token"] == nil)
      let registration = try #require(results[0]["registration_token"]?.string)
      let info = try await sender.call("GET", "/iid/info/\(registration)").json
      #expect(info["platform"]?.string == "IOS" && info["application"]?.string == "com.example.ios")
      let again = try await sender.call("POST", "/iid/v1:batchImport", body)
      #expect(again.json["results"]?[0]?["registration_token"]?.string == registration)
      let many = Array(repeating: #""\#(token)""#, count: 101).joined(separator: ",")
      for body in [
        "", "{}", #"{"application":"a"}"#, #"{"apns_tokens":["x"]}"#, #"{"application":"a","apns_tokens":[\#(many)]}"#,
      ] {
        #expect(try await sender.call("POST", "/iid/v1:batchImport", body).status == 400, "\(body.prefix(40))")
      }
    }
  }

  @Test("the newest form: 409 for what is so already, 404 only if it is asked for")
  func topicSubscriptions() async throws {
    try await ServerHarness.run { server in
      let token = try await TestDevice(server).token().replacing(":", with: "%3A")
      let sender = try await server.appServer("4711", project: "shop")
      let path = "/v1/projects/shop/registrations/\(token)/topicSubscriptions"
      let made = try await sender.call("POST", path + "?topic_name=a%2525", "{}")
      #expect(made.status == 200 && made.json["name"]?.string?.hasSuffix("/topicSubscriptions/a%25") == true)
      let again = try await sender.call("POST", path + "?topic_name=a%2525", "{}")
      #expect(again.status == 409 && again.json["error"]?["status"]?.string == "ALREADY_EXISTS")
      #expect(try await sender.call("DELETE", path + "/a%2525").status == 200)
      #expect(try await sender.call("DELETE", path + "/a%2525?allow_missing=true").status == 200)
      let missing = try await sender.call("DELETE", path + "/a%2525")
      #expect(missing.status == 404 && missing.json["error"]?["status"]?.string == "NOT_FOUND")

      let unknown = "/v1/projects/shop/registrations/un:known/topicSubscriptions?topic_name=a"
      let dead = try await sender.call("POST", unknown, "{}")
      #expect(dead.status == 404 && dead.json["error"]?["details"]?[0]?["errorCode"]?.string == "UNREGISTERED")
      #expect(try await sender.call("POST", path, "{}").status == 400)
      #expect(try await sender.call("POST", path + "?topic_name=a%20b", "{}").status == 400)
      let other = path.replacing("/shop/", with: "/bank/")
      #expect(try await sender.call("POST", other + "?topic_name=a", "{}").status == 403)
      let stranger = MessagingCaller(client: try await server.connect())
      #expect(try await stranger.call("POST", path + "?topic_name=a", "{}").status == 401)
      let mismatch = try await server.appServer("4712").call("POST", path + "?topic_name=a", "{}")
      #expect(mismatch.status == 403)
    }
  }
}
