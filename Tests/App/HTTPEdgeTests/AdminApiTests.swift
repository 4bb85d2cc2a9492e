import Engine
import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("The operator's API", .timeLimit(.minutes(5)))
struct AdminApiTests {
  private func call(
    _ client: RawClient, _ method: String, _ path: String, _ body: String = "", token: String? = nil
  ) async throws -> (status: Int, json: JSONValue) {
    let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
    try await client.write(
      "\(method) \(path) HTTP/1.1\r\nHost: x\r\n\(authorization)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    let response = try await client.response()
    return (response.status, try JSONValue(parsing: response.body))
  }

  @Test("a customer is erased, the answer says how much, and the chat shows a placeholder")
  func redaction() async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      try await client.post("/genesys/1/service/request-chat", "")
      let id = try JSONValue(parsing: try await client.response().body)["_id"]?.string ?? ""
      let chat = "/genesys/1/service/\(id)/ixn/chat"
      try await client.post(chat, #"{"nickname":"Alice","subject":"Order"}"#, headers: "gms_user: alice\r\n")
      let chatID = try JSONValue(parsing: try await client.response().body)["chatSessionId"]?.string ?? ""
      try await client.post(chat + "/send", #"{"message":"my secret"}"#, headers: "gms_user: alice\r\n")
      _ = try await client.response()

      let admin = try server.tokens.create(name: "ops", role: .admin)
      let path = "/admin/1/redactions"
      var report = try await call(client, "POST", path, #"{"subject":"alice","reason":"asked to"}"#, token: admin)
      // The answer does not wait long for a slow disk.
      while report.status == 202, let id = report.json["id"]?.string {
        report = try await call(client, "GET", "\(path)/\(id)", token: admin)
      }
      #expect(report.status == 200)
      #expect(report.json["state"] == "done")
      #expect(report.json["by"] == "ops")
      #expect(report.json["reason"] == "asked to")
      #expect((report.json["records"]?.integer ?? 0) >= 3)
      let reportID = report.json["id"]?.string ?? ""
      #expect(try await call(client, "GET", "\(path)/\(reportID)", token: admin).json == report.json)
      #expect(try await call(client, "GET", path, token: admin).json == .array([report.json]))
      // Whose it was is not known any more: to customers it is not there.
      for header in ["", "gms_user: alice\r\n"] {
        try await client.post(chat + "/refresh", #"{"transcriptPosition":"0"}"#, headers: header)
        #expect(try await client.response().status == 404)
      }
      let agent = try server.tokens.create(name: "anna", role: .agent)
      try await client.get("/agent/1/chats/\(chatID)/transcript", headers: "Authorization: Bearer \(agent)\r\n")
      let body = try await client.response().body
      #expect(!body.contains("my secret") && !body.contains("Alice") && body.contains("[erased]"))
      #expect(try await call(client, "POST", "/admin/1/snapshots", token: admin).json["entities"] != nil)
    }
  }

  @Test("a dry run counts what an erasure would reach, by kind, and changes nothing")
  func dryRun() async throws {
    try await AuditDesk.run { desk in
      let path = "/admin/1/redactions"
      let story = try await desk.all("/admin/1/timeline?subject=alice&details=true")
      let counted = try await desk.call(path, "POST", body: #"{"subject":"alice","dryRun":true}"#)
      #expect(counted.status == 200 && counted.json["state"] == "dryRun")
      let kinds = try #require(counted.json["kinds"]?.array)
      let chats = try #require(kinds.first { $0["kind"] == "chat" })
      #expect(chats["entities"] == 1 && (chats["records"]?.integer ?? 0) >= 3)
      #expect(counted.json["records"]?.integer == kinds.reduce(0) { $0 + ($1["records"]?.integer ?? 0) })
      #expect(try await desk.all("/admin/1/timeline?subject=alice&details=true") == story)
      #expect(try await desk.call(path).json == [])
      #expect(try await desk.call(path, "POST", body: #"{"subject":"nobody","dryRun":true}"#).status == 404)
      #expect(try await desk.call(path, "POST", body: #"{"subject":"alice","dryRun":"yes"}"#).status == 400)
      let done = try await desk.server.engine.redactions.redact(subject: "alice", by: "ops", reason: "")
      #expect(done.records >= counted.json["records"]?.integer ?? .max)
    }
  }

  @Test("without an operator's token nothing is told and nothing is done")
  func refusals() async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      let path = "/admin/1/redactions"
      #expect(try await call(client, "POST", path, #"{"subject":"x"}"#).status == 401)
      let agent = try server.tokens.create(name: "anna", role: .supervisor)
      #expect(try await call(client, "POST", path, #"{"subject":"x"}"#, token: agent).status == 403)
      #expect(try await call(client, "GET", path, token: agent).status == 403)
      let admin = try server.tokens.create(name: "ops", role: .admin)
      #expect(try await call(client, "GET", "/agent/1/chats", token: admin).status == 403)
      #expect(try await call(client, "POST", path, #"{"subject":"nobody"}"#, token: admin).status == 404)
      #expect(try await call(client, "POST", path, "{}", token: admin).status == 400)
      let long = String(repeating: "s", count: 1_025)
      let refused = try await call(client, "POST", path, #"{"subject":"\#(long)"}"#, token: admin)
      #expect(refused.status == 400)
      #expect(refused.json["message"]?.string?.contains("'subject'") == true)
      #expect(try await call(client, "GET", path + "/unknown", token: admin).status == 404)
      #expect(try await call(client, "DELETE", path, token: admin).status == 405)
    }
  }
}
