import JSONEnvelope
import ServerKit
import Testing

@testable import HTTPEdge

@Suite("Agents' API", .timeLimit(.minutes(5)))
struct AgentApiTests {
  private struct Agent {
    let client: RawClient
    let authorization: String

    func call(_ method: String, _ path: String, _ body: String = "") async throws -> (status: Int, json: JSONValue) {
      try await client.write(
        "\(method) \(path) HTTP/1.1\r\nHost: x\r\n\(authorization)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
      let response = try await client.response()
      return (response.status, try JSONValue(parsing: response.body))
    }
  }

  private func agent(_ server: ServerHarness, _ name: String, _ role: TokenRole) async throws -> Agent {
    let secret = try server.tokens.create(name: name, role: role)
    return Agent(client: try await server.connect(), authorization: "Authorization: Bearer \(secret)\r\n")
  }

  private func startChat(_ server: ServerHarness) async throws -> String {
    let client = try await server.connect()
    try await client.post("/genesys/1/service/request-chat", "")
    let id = try JSONValue(parsing: try await client.response().body)["_id"]?.string ?? ""
    try await client.post("/genesys/1/service/\(id)/ixn/chat", #"{"nickname":"Guest 7","subject":"Order","order":"7"}"#)
    return try JSONValue(parsing: try await client.response().body)["chatSessionId"]?.string ?? ""
  }

  @Test("an agent takes a waiting chat, talks, and closes it")
  func life() async throws {
    try await ServerHarness.run { server in
      let agent = try await agent(server, "anna", .agent)
      let chat = try await startChat(server)
      let waiting = try await agent.call("GET", "/agent/1/chats?state=waiting").json
      #expect(waiting[0]?["chatId"]?.string == chat)
      #expect(waiting[0]?["subject"] == "Order")
      #expect(waiting[0]?["customer"] == "Guest 7")
      let path = "/agent/1/chats/\(chat)"
      #expect(try await agent.call("GET", path).json["data"]?["order"] == "7")
      #expect(try await agent.call("POST", path + "/messages", #"{"text":"x"}"#).status == 403)
      #expect(
        try await agent.call("POST", path + "/join", #"{"nickname":"Agent K","role":"AGENT"}"#).json == ["position": 2])
      #expect(try await agent.call("POST", path + "/join", #"{"nickname":"Agent K"}"#).status == 409)
      #expect(try await agent.call("POST", path + "/messages", #"{"text":"Hello"}"#).json == ["position": 3])
      #expect(try await agent.call("POST", path + "/typing", #"{"started":true}"#).json == ["position": 4])
      #expect(try await agent.call("POST", path + "/pushurl", #"{"url":"https://a.test"}"#).json == ["position": 5])
      #expect(try await agent.call("POST", path + "/notice", #"{"text":"n"}"#).json == ["position": 6])
      #expect(try await agent.call("GET", "/agent/1/chats?state=own").json.array?.count == 1)
      let transcript = try await agent.call("GET", path + "/transcript?after=2").json
      #expect(transcript["lines"]?[0]?["text"] == "Hello")
      #expect(transcript["position"] == 6)
      #expect(try await agent.call("POST", path + "/close").status == 200)
      #expect(try await agent.call("GET", path).json["ended"] == true)
    }
  }

  @Test("complaints name the member")
  func validation() async throws {
    try await ServerHarness.run { server in
      let agent = try await agent(server, "anna", .agent)
      let path = "/agent/1/chats/\(try await startChat(server))"
      let cases = [
        ("/join", "{}", "nickname"), ("/join", #"{"nickname":3}"#, "nickname"),
        ("/join", #"{"nickname":"K","role":"CLIENT"}"#, "role"), ("/messages", #"{"text":""}"#, "text"),
        ("/typing", #"{"started":"yes"}"#, "started"), ("/pushurl", "", "url"),
      ]
      for (operation, body, field) in cases {
        let reply = try await agent.call("POST", path + operation, body)
        #expect(reply.status == 400)
        #expect(reply.json["phrase"] == "BAD_PARAMETER")
        #expect(reply.json["message"]?.string?.contains("'\(field)'") == true, "\(operation) \(body)")
      }
      #expect(try await agent.call("POST", path + "/messages", "[").status == 400)
      #expect(try await agent.call("GET", "/agent/1/chats?state=lost").status == 400)
      #expect(try await agent.call("GET", path + "/transcript?after=-1").status == 400)
      #expect(try await agent.call("GET", "/agent/1/chats/0000000000000000").status == 404)
    }
  }

  @Test("a token must be known, permit the role, and not be revoked")
  func permission() async throws {
    try await ServerHarness.run { server in
      let stranger = Agent(client: try await server.connect(), authorization: "Authorization: Bearer car_x\r\n")
      #expect(try await stranger.call("GET", "/agent/1/me").status == 401)
      let agent = try await agent(server, "anna", .agent)
      let path = "/agent/1/chats/\(try await startChat(server))/join"
      #expect(try await agent.call("POST", path, #"{"nickname":"K","role":"SUPERVISOR"}"#).status == 403)
      #expect(try await agent.call("PUT", "/agent/1/me", #"{"ready":true}"#).status == 200)
      #expect(try await agent.call("GET", "/agent/1/me").json == ["agentId": "anna", "role": "AGENT", "ready": true])
      try server.tokens.revoke("anna")
      #expect(try await agent.call("GET", "/agent/1/me").status == 401)
    }
  }

  @Test("the event stream tells what happens, and fills silence")
  func events() async throws {
    var limits = EdgeLimits()
    limits.eventStreamHeartbeat = .milliseconds(50)
    try await ServerHarness.run(limits: limits) { server in
      let agent = try await agent(server, "anna", .agent)
      try await agent.client.get("/agent/1/events", headers: agent.authorization)
      let head = try await agent.client.response(withoutBody: true)
      #expect(head.header("Content-Type") == "text/event-stream")
      #expect(head.header("Transfer-Encoding") == "chunked")
      _ = try await agent.client.text(through: ":\n\n")
      let chat = try await startChat(server)
      // More silence may have been filled before: the machine may be slow.
      let waiting = try await agent.client.text(through: "\ndata: {")
      #expect(waiting.contains("event: ") && waiting.contains("\nid: "))
      let line = try await agent.client.text(through: "has joined the session")
      #expect(line.contains(chat))
      await agent.client.close()
    }
  }

  @Test("a client that leaves its event stream frees it at once, not when silence is filled")
  func leavingEvents() async throws {
    var limits = EdgeLimits()
    limits.eventStreamHeartbeat = .seconds(3_600)
    try await ServerHarness.run(limits: limits) { server in
      let agent = try await agent(server, "anna", .agent)
      try await agent.client.get("/agent/1/events", headers: agent.authorization)
      _ = try await agent.client.response(withoutBody: true)
      try await agent.client.shutdownOutput()
      try await until { server.server.connectionCount == 0 }
    }
  }
}
