import JSONEnvelope
import PushDomain
import Synchronization
import Testing

@testable import HTTPEdge

@Suite("Notifications over REST", .timeLimit(.minutes(5)))
struct NotificationTests {
  /// Takes every push.
  private final class Courier: PushProvider {
    private let (arrivals, arrived) = AsyncStream.makeStream(of: PushDelivery.self)
    var types: Set<String> { ["httpcb"] }

    func deliver(_ delivery: PushDelivery) async -> PushOutcome {
      arrived.yield(delivery)
      return .delivered()
    }

    func next() async throws -> PushMessage {
      for await delivery in arrivals { return delivery.message }
      throw CancellationError()
    }
  }

  private struct Caller {
    let client: RawClient
    var headers = ""

    func call(
      _ method: String, _ path: String, _ body: String = "", type: String = "application/json"
    ) async throws -> (status: Int, json: JSONValue, head: String) {
      try await client.write(
        "\(method) /genesys/1/notification/\(path) HTTP/1.1\r\nHost: x\r\n\(headers)Content-Type: \(type)\r\n"
          + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
      let response = try await client.response()
      return (response.status, (try? JSONValue(parsing: response.body)) ?? .null, response.head)
    }
  }

  private func run(
    options: [String: [String: String]] = [:],
    _ body: (ServerHarness, Courier, _ app: Caller, _ backEnd: Caller) async throws -> Void
  ) async throws {
    let courier = Courier()
    try await ServerHarness.run(
      options: ["push": ["pushEnabled": "comet,httpcb"]].merging(options) { $1 },
      origins: .listed(["https://app.example"]), providers: { $0 == "httpcb" ? courier : nil }
    ) { server in
      let secret = try server.tokens.create(name: "shop", role: .publisher)
      let app = Caller(client: try await server.connect())
      let backEnd = Caller(client: try await server.connect(), headers: "Authorization: Bearer \(secret)\r\n")
      try await body(server, courier, app, backEnd)
    }
  }

  private static func subscription(
    filter: String = "orders.*", type: String = "httpcb", device: String = "https://hooks.example.test/in/17",
    more: String = ""
  ) -> String {
    #"{"subscriberId":"app-17","filter":"\#(filter)","notificationDetails":{"type":"\#(type)","deviceId":"\#(device)","properties":{"debug":"true","tone":"bell"}}\#(more)}"#
  }

  @Test("an app subscribes, sees its subscription without the device's id, gets what is published, and ends it")
  func life() async throws {
    try await run { _, courier, app, backEnd in
      let more = #","providerName":"shop","authorization":"dTpw","expire":3600"#
      let made = try await app.call("POST", "subscription", Self.subscription(more: more))
      let id = try #require(made.json["id"]?.string)
      #expect(made.status == 200 && made.json.object?.members.count == 1 && id.utf8.count == 36)
      let shown = try await app.call("GET", "subscription/\(id)").json
      #expect(shown["subscriberId"] == "app-17" && shown["filter"] == "orders.*" && shown["providerName"] == "shop")
      let details = shown["notificationDetails"]
      #expect(details?["type"] == "httpcb" && details?["deviceId"]?.string?.hasPrefix("#") == true)
      #expect(details?["properties"]?["debug"] == "true" && details?["properties"]?["tone"] == "bell")
      #expect(!String(decoding: shown.text, as: UTF8.self).contains("dTpw"))

      let published = try await backEnd.call("POST", "publish", #"{"tag":"orders.shipped","message":"on its way"}"#)
      #expect(published.status == 200 && published.json == ["delivered": 1])
      let message = try await courier.next()
      #expect(String(decoding: message.content, as: UTF8.self) == "on its way" && message.form == .text)
      #expect(message.target.debug && message.target.provider == "shop" && message.target.authorization == "dTpw")
      let object = #"{"tag":"orders.shipped","message":{"n":1.50,"message":"hi"},"subscriberId":"app-17"}"#
      #expect(try await backEnd.call("POST", "publish", object).json == ["delivered": 1])
      let second = try await courier.next()
      #expect(second.form == .message && second.alert == "hi")
      let held = #"{"tag":"orders.shipped","message":"{\"n\":2}"}"#
      #expect(try await backEnd.call("POST", "publish", held).json == ["delivered": 1])
      #expect(try await courier.next().form == .message)
      #expect(try await backEnd.call("POST", "publish", #"{"tag":"billing","message":"x"}"#).json == ["delivered": 0])

      let ended = try await app.call("DELETE", "subscription/\(id)")
      #expect(ended.status == 200 && ended.json == [:])
      #expect(try await app.call("DELETE", "subscription/\(id)").status == 404)
      #expect(try await app.call("GET", "subscription/\(id)").status == 404)
    }
  }

  @Test("a Comet subscriber gets the envelope of the event channel")
  func comet() async throws {
    try await run { server, _, app, backEnd in
      _ = try await app.call("POST", "subscription", Self.subscription(type: "comet", device: "user"))
      let client = try await server.connect()
      let id = try await server.cometSession(client)
      try await client.post("/genesys/cometd/connect", server.connect(id), headers: "gms_user: user\r\n")
      try await server.holdsPolls(1)
      let message = #"{"tag":"orders.shipped","message":"on its way"}"#
      #expect(try await backEnd.call("POST", "publish", message).json == ["delivered": 1])
      let reply = try JSONValue(parsing: try await client.response().body)
      let event = reply[0]
      #expect(event?["channel"] == "/_genesys" && event?["data"]?["tag"] == "orders.shipped")
      #expect(event?["data"]?["message"] == "on its way" && event?["data"]?["id"]?.string?.utf8.count == 32)
      #expect(event?["data"]?.object?.members.map(\.name) == ["id", "tag", "message"])
    }
  }

  @Test(
    "what is missing or cannot be used is named: 400",
    arguments: [
      ("{}", "subscriberId"), (#"{"subscriberId":"a","filter":"*"}"#, "notificationDetails"),
      (#"{"subscriberId":"a","notificationDetails":{"type":"httpcb","deviceId":"x"}}"#, "filter"),
      (#"{"subscriberId":"a","filter":"*","notificationDetails":{"deviceId":"x"}}"#, "type"),
      (#"{"subscriberId":"a","filter":"*","notificationDetails":{"type":"httpcb"}}"#, "deviceId"),
      (#"{"subscriberId":"a","filter":"*","notificationDetails":{"type":"ios","deviceId":"x"}}"#, "type"),
      (#"{"subscriberId":"a","filter":"*","notificationDetails":{"type":"fax","deviceId":"x"}}"#, "type"),
      (#"{"subscriberId":7,"filter":"*","notificationDetails":{"type":"httpcb","deviceId":"x"}}"#, "subscriberId"),
      (
        #"{"subscriberId":"a","filter":"*","expire":"soon","notificationDetails":{"type":"httpcb","deviceId":"x"}}"#,
        "expire"
      ),
      (
        #"{"subscriberId":"a","filter":"*","notificationDetails":{"type":"httpcb","deviceId":"x","properties":{"debug":[]}}}"#,
        "debug"
      ),
    ])
  func badSubscription(body: String, field: String) async throws {
    try await run { _, _, app, _ in
      let answer = try await app.call("POST", "subscription", body)
      #expect(answer.status == 400 && answer.json["message"]?.string?.contains(field) == true, "\(answer.json)")
      #expect(answer.json["exception"] == "InvalidParameterException" && answer.json["code"] == 400)
    }
  }

  @Test("JSON only: everything else is 415, whatever is in it")
  func contentTypes() async throws {
    try await run { _, _, app, backEnd in
      for type in ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"] {
        let answer = try await app.call("POST", "subscription", Self.subscription(), type: type)
        #expect(answer.status == 415)
        #expect(try await backEnd.call("POST", "publish", #"{"tag":"a","message":"b"}"#, type: type).status == 415)
      }
      #expect(try await app.call("POST", "subscription", "[]").status == 400)
      #expect(try await app.call("POST", "subscription", "{").status == 400)
      #expect(try await app.call("PUT", "subscription", "{}").status == 405)
      #expect(try await app.call("POST", "subscription/x", "{}").status == 405)
    }
  }

  @Test("publishing needs a publisher's or an operator's token, and is nothing for pages of other origins")
  func authorization() async throws {
    try await run { server, _, app, backEnd in
      let body = #"{"tag":"a","message":"b"}"#
      #expect(try await app.call("POST", "publish", body).status == 401)
      for role in [TokenRole.agent, .supervisor, .bot] {
        let secret = try server.tokens.create(name: role.rawValue, role: role)
        let caller = Caller(client: try await server.connect(), headers: "Authorization: Bearer \(secret)\r\n")
        #expect(try await caller.call("POST", "publish", body).status == 403)
      }
      let secret = try server.tokens.create(name: "ops", role: .admin)
      let ops = Caller(client: try await server.connect(), headers: "Authorization: Bearer \(secret)\r\n")
      #expect(try await ops.call("POST", "publish", body).json == ["delivered": 0])
      for bad in [
        #"{"message":"b"}"#, #"{"tag":"a"}"#, #"{"tag":"a","message":7}"#, #"{"tag":"","message":"b"}"#,
        #"{"tag":"a","message":"b","id":7}"#, #"{"tag":"a","message":"b","id":""}"#,
      ] {
        #expect(try await backEnd.call("POST", "publish", bad).status == 400)
      }
      let page = Caller(client: try await server.connect(), headers: "Origin: https://app.example\r\n")
      #expect(try await page.call("POST", "subscription", "{}").head.contains("Access-Control-Allow-Origin"))
      #expect(try await !page.call("POST", "publish", "{}").head.contains("Access-Control-Allow-Origin"))
    }
  }

  @Test("the server's credentials protect subscribing")
  func basic() async throws {
    try await run(options: ["server": ["username": "u", "password": "p"]]) { server, _, app, _ in
      #expect(try await app.call("POST", "subscription", Self.subscription()).status == 401)
      #expect(try await app.call("GET", "subscription/x").status == 401)
      let known = Caller(client: try await server.connect(), headers: "Authorization: Basic dTpw\r\n")
      #expect(try await known.call("POST", "subscription", Self.subscription()).status == 200)
    }
  }
}
