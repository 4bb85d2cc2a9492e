import Engine
import JSONEnvelope
import Testing

@testable import HTTPEdge

/// Agents who said that they are ready when a token or sign-in of theirs allowed more than the one of now.
@Suite("Agents who were ready for more than they may serve now", .timeLimit(.minutes(5)))
struct FormerReadinessTests {
  private static let options: [String: [String: String]] = [
    "service.sales": ["chat.distribution": "longest-idle", "chat.offer_seconds": "600"],
    "service.help": ["chat.distribution": "longest-idle", "chat.offer_seconds": "600"],
    "service.cb-a": ["_service": "callback", "callback.agent_accept_timeout": "600"],
    "service.cb-b": ["_service": "callback", "callback.agent_accept_timeout": "600"],
  ]

  /// Whom a callback is given to, and whom a chat is offered to, as `other` sees it.
  private func assignee(of callback: String, _ other: CallbackCaller) async throws -> String? {
    try await other.json("GET", "/agent/1/callbacks/\(callback)")["agentId"]?.string
  }

  private func offered(_ chat: String, _ other: CallbackCaller) async throws -> String? {
    try await other.json("GET", "/agent/1/chats/\(chat)")["offer"]?["agentId"]?.string
  }

  /// Makes `name` ready, over a socket that stays open.
  private func ready(_ secret: String, _ desk: DeskRig) async throws -> AgentSocketCaller {
    let socket = try await desk.socket(secret)
    #expect(try await socket.ask(#"{"id":"1","do":"ready","ready":true}"#)["ok"]?["ready"] == true)
    return socket
  }

  @Test("a token that was made anew for fewer services brings nothing of the others, and nobody is ready by it")
  func narrowed() async throws {
    try await ServerHarness.run(options: Self.options) { server in
      let desk = DeskRig(server: server)
      let all = ["cb-a", "cb-b", "help", "sales"]
      var sockets = [try await ready(try desk.token("anna", services: all), desk)]
      let secret = try desk.token("bert", services: all)
      sockets.append(try await ready(secret, desk))
      let bert = try await desk.requests(secret)
      // As `carillon token` does it, beside the server.
      try server.tokens.revoke("anna")
      let fewer = try desk.token("anna", services: ["cb-a", "sales"])
      sockets.append(try await desk.socket(fewer))

      // She has been idle for longer.
      let callback = try await server.app().order(of: "cb-b")
      try await until { try await assignee(of: callback, bert) != nil }
      #expect(try await assignee(of: callback, bert) == "bert")
      let chat = try await desk.chat(of: "help")
      try await until { try await offered(chat, bert) != nil }
      #expect(try await offered(chat, bert) == "bert")

      let anna = try await desk.requests(fewer)
      #expect(try await anna.call("GET", "/agent/1/callbacks/\(callback)").status == 404)
      #expect(try await anna.call("GET", "/agent/1/chats/\(chat)").status == 404)
      try await until { try await anna.json("GET", "/agent/1/me")["ready"] == false }
      // By what her token says now she is ready as ever.
      sockets.append(try await ready(fewer, desk))
      try await until { try await anna.json("GET", "/agent/1/me")["ready"] == true }
      let own = try await server.app().order(of: "cb-a")
      try await until { try await assignee(of: own, anna) != nil }
      #expect(try await assignee(of: own, anna) == "anna")
      #expect(sockets.count == 4)
    }
  }

  @Test("who has no token any more is ready for nothing, and loses what was offered; a new secret changes nothing")
  func revoked() async throws {
    try await ServerHarness.run(options: Self.options) { server in
      let desk = DeskRig(server: server)
      _ = try await ready(try desk.token("anna"), desk)
      let rotated = try server.tokens.rotate("anna").secret
      let anna = try await desk.requests(rotated)
      let callback = try await server.app().order(of: "cb-a")
      try await until { try await assignee(of: callback, anna) == "anna" }
      #expect(try await anna.json("GET", "/agent/1/me")["ready"] == true)
      try server.tokens.revoke("anna")
      let secret = try desk.token("bert")
      _ = try await ready(secret, desk)
      let bert = try await desk.requests(secret)
      try await until { try await assignee(of: callback, bert) == "bert" }
      #expect(await !server.engine.agents.isReady("anna"))
    }
  }
}
