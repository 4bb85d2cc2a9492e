import JSONEnvelope
import Testing

@testable import HTTPEdge

/// A page's socket, opened with a cookie.
struct ConsoleSocket {
  let client: RawClient

  init(_ server: ServerHarness, _ cookie: String, origin: String) async throws {
    client = try await server.connect()
    let status = try await Self.open(client, [("Cookie", cookie), ("Origin", origin)])
    #expect(status == 101)
  }

  static func open(_ client: RawClient, _ fields: [(String, String)]) async throws -> Int {
    let lines = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
    try await client.write(
      "GET /agent/1/socket HTTP/1.1\r\nHost: push.test\r\n\(AgentSocketCaller.upgrade)\(lines)\r\n")
    return try await client.response(withoutBody: true).status
  }

  /// Whatever is said before.
  func untilClosed() async throws {
    while try await next().opcode != 8 {}
  }

  func ask(_ text: String) async throws -> JSONValue {
    try await client.write(AgentSocketCaller.frame(1, Array(text.utf8)))
    while true {
      let (opcode, payload) = try await next()
      guard opcode != 8 else { throw RawClient.ClosedEarly() }
      guard opcode == 1 else { continue }
      let message = try JSONValue(parsing: payload)
      if message["event"] == nil { return message }
    }
  }

  private func next() async throws -> (opcode: UInt8, payload: [UInt8]) {
    let start = try await client.bytes(count: 2)
    var length = Int(start[1])
    if length == 126 { length = try await client.bytes(count: 2).reduce(0) { $0 << 8 | Int($1) } }
    return (start[0] & 15, length == 0 ? [] : try await client.bytes(count: length))
  }
}

@Suite("The agents' socket of a page of the console", .timeLimit(.minutes(5)))
struct ConsoleSocketTests {
  @Test("who may open one, and who is known by that")
  func origins() async throws {
    try await ServerHarness.run(configure: { $0.http.staffOrigins = .listed(["https://desk.test"]) }) { server in
      let page = try await ConsoleCaller(server, try server.tokens.create(name: "anna", role: .agent))
      let ops = try await ConsoleCaller(server, try server.tokens.create(name: "ops", role: .admin))
      // Origin, cookie, status of the upgrade, and whether one need not log in.
      let rows: [(String?, String?, Int, Bool)] = [
        ("http://push.test", page.cookie, 101, true), ("https://push.test", page.cookie, 101, true),
        (nil, page.cookie, 101, true), ("https://desk.test", page.cookie, 101, false),
        ("https://evil.test", page.cookie, 403, false), ("null", page.cookie, 403, false),
        ("http://push.test:81", page.cookie, 403, false), ("http://push.test", nil, 101, false),
        ("http://push.test", "carillon_session=x", 101, false), ("http://push.test", ops.cookie, 403, false),
      ]
      for (origin, cookie, status, isKnown) in rows {
        let client = try await server.connect()
        let fields = [origin.map { ("Origin", $0) }, cookie.map { ("Cookie", $0) }].compactMap(\.self)
        #expect(try await ConsoleSocket.open(client, fields) == status, "\(origin ?? "-")")
        await client.close()
        guard isKnown, let cookie, let origin else { continue }
        let socket = try await ConsoleSocket(server, cookie, origin: origin)
        #expect(try await socket.ask(#"{"id":"1","do":"me"}"#)["ok"]?["agentId"] == "anna")
        await socket.client.close()
      }
    }
  }

  @Test("ends within a second when its session does")
  func end() async throws {
    try await ServerHarness.run { server in
      let secret = try server.tokens.create(name: "anna", role: .agent)
      let page = try await ConsoleCaller(server, secret)
      let stays = try await ConsoleCaller(server, secret)
      let socket = try await ConsoleSocket(server, page.cookie, origin: "http://push.test")
      let other = try await ConsoleSocket(server, stays.cookie, origin: "http://push.test")
      #expect(try await page.change("DELETE", "/console/1/session").status == 204)
      try await socket.untilClosed()
      #expect(try await other.ask(#"{"id":"1","do":"me"}"#)["ok"]?["agentId"] == "anna")
      await other.client.close()
    }
  }

  @Test("the stream of events opens by the cookie too, and hears nothing more after the end")
  func events() async throws {
    try await DeskRig.run { desk in
      let page = try await ConsoleCaller(desk.server, try desk.token("anna"))
      let stream = try await desk.server.connect()
      try await stream.get("/agent/1/events", headers: "Cookie: \(page.cookie)\r\n")
      #expect(try await stream.response(withoutBody: true).header("Content-Type") == "text/event-stream")
      let chat = try await desk.chat()
      #expect(try await stream.text(through: "\n\n").contains(chat))
      #expect(try await page.change("DELETE", "/console/1/session").status == 204)
      let unheard = try await desk.chat()
      #expect(try await !stream.text(through: "0\r\n\r\n").contains(unheard))
      await stream.close()
    }
  }
}
