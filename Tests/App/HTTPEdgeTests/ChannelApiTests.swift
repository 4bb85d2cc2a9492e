import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("Application channels over HTTP", .timeLimit(.minutes(5)))
struct ChannelApiTests {
  private static let options: [String: [String: String]] = [
    "channels.news": ["patterns": "/news/**", "subscribe": "anyone", "publish": "gms_user"],
    "channels.desk": ["patterns": "/service/desk", "publish": "gms_user"],
  ]

  private struct Rig {
    let server: ServerHarness
    let backEnd: RawClient
    let authorization: String

    func call(_ method: String, _ path: String, _ body: String = "") async throws -> (status: Int, json: JSONValue) {
      try await backEnd.write(
        "\(method) \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\(authorization)\r\n\(body)")
      let response = try await backEnd.response()
      return (response.status, try JSONValue(parsing: response.body))
    }

    /// Speaks as a customer on a connection of its own: the replies.
    func speak(_ client: RawClient, _ messages: String) async throws -> [JSONValue] {
      try await client.post("/genesys/cometd", "[\(messages)]", headers: "gms_user: user\r\n")
      return try JSONValue(parsing: try await client.response().body).array ?? []
    }
  }

  private func run(_ role: TokenRole = .channels, _ body: (Rig) async throws -> Void) async throws {
    try await ServerHarness.run(options: Self.options) { server in
      let token = try server.tokens.create(name: "shop", role: role)
      try await body(
        Rig(
          server: server, backEnd: try await server.connect(), authorization: "Authorization: Bearer \(token)\r\n"))
    }
  }

  @Test("what a back end publishes ends a held poll, and it is told to how many it went")
  func publish() async throws {
    try await run { rig in
      let client = try await rig.server.connect()
      let id = try await rig.server.cometSession(client)
      let subscribed = try await rig.speak(
        client, #"{"channel":"/meta/subscribe","clientId":"\#(id)","subscription":"/news/*"}"#)
      #expect(subscribed.first?["successful"] == true)
      try await client.post("/genesys/cometd/connect", rig.server.connect(id), headers: "gms_user: user\r\n")
      try await rig.server.holdsPolls(1)
      let published = try await rig.call("POST", "/admin/1/channels/news/sport", #"{"data":{"goals":[1,2]}}"#)
      #expect(published.status == 200)
      #expect(published.json == ["subscribers": 1])
      let replies = try JSONValue(parsing: try await client.response().body).array ?? []
      #expect(replies.first == ["channel": "/news/sport", "data": ["goals": [1, 2]]])
      #expect(replies.last?["channel"]?.string == "/meta/connect")
      #expect(try await rig.call("POST", "/admin/1/channels/news/a/b", #"{"data":null}"#).json == ["subscribers": 0])
    }
  }

  @Test("it is shown the channels, and who gets what is published on one")
  func presence() async throws {
    try await run { rig in
      let client = try await rig.server.connect()
      let id = try await rig.server.cometSession(client)
      _ = try await rig.speak(
        client, #"{"channel":"/meta/subscribe","clientId":"\#(id)","subscription":["/news/**","/news/sport"]}"#)
      #expect(
        try await rig.call("GET", "/admin/1/channels").json == [
          ["channel": "/news/**", "subscribers": 1], ["channel": "/news/sport", "subscribers": 1],
        ])
      let audience = try await rig.call("GET", "/admin/1/channels/news/sport").json
      #expect(audience.array?.count == 1)
      #expect(audience[0]?["userKey"]?.string == "user")
      #expect(!String(decoding: audience.text, as: UTF8.self).contains(id))
      #expect(try await rig.call("GET", "/admin/1/channels/other").status == 404)
    }
  }

  @Test("it follows what is said and who comes and goes, and answers one session")
  func stream() async throws {
    try await run { rig in
      let stream = try await rig.server.connect()
      try await stream.get("/admin/1/channel-stream?channel=/service/*", headers: rig.authorization)
      let head = try await stream.response(withoutBody: true)
      #expect(head.status == 200)
      #expect(head.header("Content-Type") == "text/event-stream")
      let client = try await rig.server.connect()
      let id = try await rig.server.cometSession(client)
      let reply = try await rig.speak(client, #"{"channel":"/service/desk","clientId":"\#(id)","data":"help"}"#)
      #expect(reply == [["channel": "/service/desk", "successful": true]])
      let event = try await stream.text(through: "\n\n")
      #expect(event.contains("event: message\n"))
      #expect(event.contains(#""channel":"/service/desk","subscriber":1,"userKey":"user","data":"help""#))
      let answered = try await rig.call("POST", "/admin/1/channels/service/desk", #"{"subscriber":1,"data":"coming"}"#)
      #expect(answered.json == ["subscribers": 1])
      let replies = try await rig.speak(client, String(rig.server.connect(id).dropFirst().dropLast()))
      #expect(replies.first == ["channel": "/service/desk", "data": "coming"])
      await stream.close()
    }
  }

  @Test("a session that ends is seen to leave")
  func leaving() async throws {
    try await run(.admin) { rig in
      let stream = try await rig.server.connect()
      try await stream.get("/admin/1/channel-stream", headers: rig.authorization)
      _ = try await stream.response(withoutBody: true)
      let client = try await rig.server.connect()
      let id = try await rig.server.cometSession(client)
      _ = try await rig.speak(
        client, #"{"channel":"/meta/subscribe","clientId":"\#(id)","subscription":"/news/sport"}"#)
      #expect(try await stream.text(through: "\n\n").contains("event: joined\n"))
      _ = try await rig.speak(client, #"{"channel":"/meta/disconnect","clientId":"\#(id)"}"#)
      let left = try await stream.text(through: "\n\n")
      #expect(left.contains("event: left\n") && left.contains(#""channel":"/news/sport""#))
      await stream.close()
    }
  }

  @Test(
    "what makes no sense is refused",
    arguments: [
      ("POST", "/admin/1/channels/other", #"{"data":1}"#, 404),
      ("POST", "/admin/1/channels/news/*", #"{"data":1}"#, 404),
      ("POST", "/admin/1/channels/news/a", "{}", 400), ("POST", "/admin/1/channels/news/a", "[]", 400),
      ("POST", "/admin/1/channels/news/a", #"{"data":1,"subscriber":1}"#, 400),
      ("POST", "/admin/1/channels/service/desk", #"{"data":1}"#, 400),
      ("POST", "/admin/1/channels/service/desk", #"{"data":1,"subscriber":7}"#, 404),
      ("POST", "/admin/1/channels/news/a", #"{"data":"\#(String(repeating: "x", count: 65_536))"}"#, 413),
      ("POST", "/admin/1/channels/_genesys", #"{"data":1}"#, 404),
      ("GET", "/admin/1/channel-stream?channel=news", "", 400), ("GET", "/admin/1/channels?x=1", "", 400),
      ("PUT", "/admin/1/channels/news/a", "", 405),
    ])
  func refused(method: String, path: String, body: String, status: Int) async throws {
    try await run { rig in
      let answer = try await rig.call(method, path, body)
      #expect(answer.status == status, "\(answer.json)")
    }
  }

  @Test(
    "nobody else is let in",
    arguments: [
      ("GET", "/admin/1/channels"), ("GET", "/admin/1/channels/news/a"), ("POST", "/admin/1/channels/news/a"),
      ("GET", "/admin/1/channel-stream"),
    ])
  func access(method: String, path: String) async throws {
    try await run { rig in
      for role in TokenRole.allCases where role != .sender && !role.mayUseChannels {
        let token = try rig.server.tokens.create(name: "\(role)", role: role)
        let other = Rig(
          server: rig.server, backEnd: rig.backEnd, authorization: "Authorization: Bearer \(token)\r\n")
        #expect(try await other.call(method, path, #"{"data":1}"#).status == 403, "\(role)")
      }
      let stranger = Rig(server: rig.server, backEnd: rig.backEnd, authorization: "")
      let refused = try await stranger.call(method, path, #"{"data":1}"#)
      #expect(refused.status == 401)
    }
  }

  @Test("a back end of channels may do nothing else")
  func elsewhere() async throws {
    try await run { rig in
      for (method, path) in [
        ("GET", "/admin/1/tokens"), ("GET", "/agent/1/chats"), ("GET", "/admin/1/journal"),
        ("POST", "/genesys/1/notification/publish"),
      ] {
        let answer = try await rig.call(method, path, "{}")
        #expect(answer.status == 403, "\(path)")
      }
    }
  }

  @Test("what a client writes over several lines is one event all the same")
  func lines() async throws {
    try await run { rig in
      let stream = try await rig.server.connect()
      try await stream.get("/admin/1/channel-stream?channel=/service/*", headers: rig.authorization)
      _ = try await stream.response(withoutBody: true)
      let client = try await rig.server.connect()
      let id = try await rig.server.cometSession(client)
      let data = "{\n\n\"a\":\r\n[1,\r2]}"
      let reply = try await rig.speak(client, #"{"channel":"/service/desk","clientId":"\#(id)","data":\#(data)}"#)
      #expect(reply.first?["successful"] == true)
      let event = try await stream.text(through: "\n\n")
      let line = try #require(event.split(separator: "\n").first { $0.hasPrefix("data: ") })
      let said = try JSONValue(parsing: Array(line.dropFirst("data: ".count).utf8))
      #expect(said["data"] == ["a": [1, 2]])
      await stream.close()
    }
  }
}
