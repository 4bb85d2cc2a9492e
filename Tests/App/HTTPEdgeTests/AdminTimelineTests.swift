import EngineKit
import EntityRuntime
import JSONEnvelope
import Testing

@testable import Engine
@testable import HTTPEdge

/// An operator who asks, and a chat to be asked of.
struct AuditDesk {
  let server: ServerHarness
  let client: RawClient
  let admin: String
  /// The chat's service id.
  let chat: String

  /// A customer called Alice with the key `alice`, a value of attached data and one message.
  static func run(
    options: [String: [String: String]] = [:], configure: (inout EngineConfiguration) -> Void = { _ in },
    _ body: (AuditDesk) async throws -> Void
  ) async throws {
    try await ServerHarness.run(options: options, configureEngine: configure) { server in
      let client = try await server.connect()
      try await client.post("/genesys/1/service/request-chat", "", headers: "gms_user: alice\r\n")
      let id = try JSONValue(parsing: try await client.response().body)["_id"]?.string ?? ""
      let path = "/genesys/1/service/\(id)/ixn/chat"
      try await client.post(
        path, #"{"nickname":"Alice","subject":"Order","email":"a@example.org"}"#, headers: "gms_user: alice\r\n")
      _ = try await client.response()
      try await client.post(path + "/send", #"{"message":"my secret"}"#, headers: "gms_user: alice\r\n")
      _ = try await client.response()
      let admin = try server.tokens.create(name: "ops", role: .admin)
      // What is told twice in a test is told of the same records.
      await server.engine.node.settle(until: .max)
      try await server.engine.partition.context.untilDurable()
      try await body(AuditDesk(server: server, client: client, admin: admin, chat: id))
    }
  }

  func call(
    _ path: String, _ method: String = "GET", body: String = "", token: String? = nil
  ) async throws -> RawClient.Response {
    try await client.write(
      "\(method) \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token ?? admin)\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    return try await client.response()
  }

  /// A list to its end, page by page.
  func all(_ path: String) async throws -> [JSONValue] {
    var elements: [JSONValue] = []
    var next: String? = path
    while let target = next {
      let response = try await call(target)
      try #require(response.status == 200, "\(response.body)")
      elements += response.json.array ?? []
      next = response.header("Link").map { String($0.dropFirst().prefix { $0 != ">" }) }
    }
    return elements
  }

  /// Each of these is refused with a word about the parameter.
  func refuses(_ requests: [(path: String, parameter: String)]) async throws {
    for request in requests {
      let response = try await call(request.path)
      #expect(response.status == 400, "\(request.path)")
      #expect(response.json["message"]?.string?.contains("'\(request.parameter)'") == true, "\(request.path)")
    }
  }

  /// Strangers hear 401, agents 403.
  func isOperatorsOnly(_ paths: [String]) async throws {
    let agent = try server.tokens.create(name: "anna", role: .supervisor)
    for path in paths {
      #expect(try await call(path, token: agent).status == 403, "\(path)")
      #expect(try await call(path, token: "nonsense").status == 401, "\(path)")
    }
  }
}

@Suite("The timeline over HTTP", .timeLimit(.minutes(5)))
struct AdminTimelineTests {
  @Test("a customer's story by any name of theirs, in pages, and without what people wrote if that is not wanted")
  func story() async throws {
    try await AuditDesk.run { desk in
      for name in ["subject=alice", "entity=chat:\(desk.chat)", "subject=\(desk.chat)"] {
        let whole = try await desk.all("/admin/1/timeline?\(name)")
        #expect(whole.contains { $0["text"]?.string == "my secret" && $0["who"]?.string == "Alice" }, "\(name)")
        #expect(try await desk.all("/admin/1/timeline?\(name)&limit=1") == whole, "\(name)")
      }
      let silent = try await desk.call("/admin/1/timeline?subject=alice&texts=false")
      #expect(!silent.body.contains("my secret"))
      let head = try #require(silent.header("Journal-Head").flatMap { Int($0) })
      #expect(head > 0 && silent.header("Journal-Searched") == String(head))
      let detailed = try await desk.all("/admin/1/timeline?subject=alice&details=true")
      #expect(detailed.count > (silent.json.array?.count ?? 0))
    }
  }

  @Test("what is asked for wrongly is refused by name; strangers and agents get nothing")
  func refusals() async throws {
    try await AuditDesk.run { desk in
      try await desk.refuses([
        ("/admin/1/timeline", "entity"), ("/admin/1/timeline?subject=", "entity"),
        ("/admin/1/timeline?subject=a&message=b", "message"), ("/admin/1/timeline?entity=chat", "entity"),
        ("/admin/1/timeline?entity=nothing:1", "entity"), ("/admin/1/timeline?subject=a&after=x", "after"),
        ("/admin/1/timeline?subject=a&after=-1", "after"), ("/admin/1/timeline?subject=a&limit=0", "limit"),
        ("/admin/1/timeline?subject=a&details=1", "details"), ("/admin/1/timeline?subject=a&from=yesterday", "from"),
        ("/admin/1/timeline?subject=a&subject=b", "subject"), ("/admin/1/timeline?subject=a&what=1", "what"),
        ("/admin/1/timeline/stream?subject=a&limit=1", "limit"),
        ("/admin/1/timeline/stream?subject=a&after=x", "after"),
        ("/admin/1/timeline?subject=\(String(repeating: "x", count: 1_025))", "subject"),
      ])
      #expect(try await desk.call("/admin/1/timeline?subject=nobody").status == 404)
      try await desk.isOperatorsOnly(["/admin/1/timeline?subject=alice", "/admin/1/timeline/stream?subject=alice"])
    }
  }

  @Test("keys that open something are hidden until the operator wants to see them")
  func masked() async throws {
    try await AuditDesk.run { desk in
      let other = try await desk.server.connect()
      let session = try await desk.server.cometSession(other, userKey: "alice")
      let path = "/admin/1/timeline?subject=alice&details=true"
      let hidden = try await desk.call(path)
      #expect(hidden.status == 200 && !hidden.body.contains(session))
      #expect(hidden.body.contains(##""kind":"comet","id":"#"##))
      #expect(try await desk.call(path + "&reveal=true").body.contains(session))
      await other.close()
    }
  }

  @Test(
    "a question that asks about nothing is told what it may ask about", arguments: ["", "?subject=", "?details=true"])
  func nothingAsked(query: String) async throws {
    try await AuditDesk.run { desk in
      let answer = try await desk.call("/admin/1/timeline" + query)
      #expect(answer.status == 400 && answer.body.contains("'subject' or 'entity' or 'message' is missing"))
    }
  }

  @Test("an erased customer is not told of from memory")
  func erased() async throws {
    try await AuditDesk.run { desk in
      let path = "/admin/1/timeline?entity=chat:\(desk.chat)"
      #expect(try await desk.call(path).body.contains("my secret"))
      _ = try await desk.server.engine.redactions.redact(subject: "alice", by: "ops", reason: "")
      let after = try await desk.call(path)
      #expect(!after.body.contains("my secret") && !after.body.contains("Alice"))
    }
  }

  @Test("a stream tells what comes, behind the record that a stream before it has seen, until its token is revoked")
  func stream() async throws {
    try await AuditDesk.run { desk in
      let head = try #require(try await desk.call("/admin/1/timeline?subject=alice").header("Journal-Head"))
      let stream = try await desk.server.connect()
      try await stream.get(
        "/admin/1/timeline/stream?subject=alice",
        headers: "Authorization: Bearer \(desk.admin)\r\nLast-Event-ID: \(head)\r\n")
      #expect(try await stream.response(withoutBody: true).header("Content-Type") == "text/event-stream")
      let path = "/genesys/1/service/\(desk.chat)/ixn/chat/send"
      try await desk.client.post(path, #"{"message":"again"}"#, headers: "gms_user: alice\r\n")
      _ = try await desk.client.response()
      let event = try await stream.text(through: "\n\n")
      #expect(event.contains("event: entry\nid: ") && event.contains(#""text":"again""#))
      #expect(!event.contains("my secret"))
      try desk.server.tokens.revoke("ops")
      _ = try await stream.text(through: "0\r\n\r\n")
      await stream.close()
    }
  }
}
