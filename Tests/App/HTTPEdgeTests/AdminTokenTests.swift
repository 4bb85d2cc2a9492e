import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("Tokens over HTTP", .timeLimit(.minutes(5)))
struct AdminTokenTests {
  @Test("a token that was made opens what its role opens, is listed without its secret, and ends at once")
  func life() async throws {
    try await AuditDesk.run { desk in
      let made = try await desk.call(
        "/admin/1/tokens", "POST", body: #"{"name":"anna","role":"agent","services":["request-chat","nowhere"]}"#)
      #expect(made.status == 201 && made.json["usable"] == true && made.json["own"] == false)
      #expect(made.json["unknownServices"] == ["nowhere"] && made.json["services"] == ["nowhere", "request-chat"])
      let secret = try #require(made.json["secret"]?.string)
      let id = try #require(made.json["id"]?.string)
      #expect(try await desk.call("/agent/1/chats", token: secret).status == 200)
      #expect(try await desk.call("/admin/1/tokens", token: secret).status == 403)
      let list = try await desk.call("/admin/1/tokens")
      #expect(!list.body.contains(secret) && list.json.array?.map { $0["name"]?.string } == ["ops", "anna"])
      #expect(list.json[0]?["own"] == true)
      #expect(try await desk.all("/admin/1/tokens?limit=1") == list.json.array)
      let revoked = try await desk.call("/admin/1/tokens/\(id)/revoke", "POST")
      #expect(revoked.status == 200 && revoked.json["usable"] == false && revoked.json["revokedAt"] != nil)
      #expect(try await desk.call("/agent/1/chats", token: secret).status == 401)
      #expect(try await desk.call("/admin/1/tokens/\(id)/revoke", "POST").status == 404)
      #expect(try await desk.call("/admin/1/tokens?usable=true").json.array?.count == 1)
      #expect(try await desk.call("/admin/1/tokens?role=agent").json.array?.count == 1)
    }
  }

  @Test("nobody locks themselves out by mistake")
  func own() async throws {
    try await AuditDesk.run { desk in
      let id = try #require(try await desk.call("/admin/1/tokens").json[0]?["id"]?.string)
      let path = "/admin/1/tokens/\(id)/revoke"
      #expect(try await desk.call(path, "POST").status == 409)
      #expect(try await desk.call(path, "POST", body: #"{"confirm":"yes"}"#).status == 400)
      #expect(try await desk.call("/admin/1/tokens").status == 200)
      #expect(try await desk.call(path, "POST", body: #"{"confirm":true}"#).status == 200)
      #expect(try await desk.call("/admin/1/tokens").status == 401)
    }
  }

  @Test("a sender's token opens its own messages")
  func sender() async throws {
    try await AuditDesk.run { desk in
      let made = try await desk.call(
        "/admin/1/tokens", "POST", body: #"{"name":"shop","role":"sender","sender":{"id":"42","testMode":true}}"#)
      #expect(made.status == 201 && made.json["sender"]?["id"] == "42" && made.json["sender"]?["testMode"] == true)
      let key = try #require(made.json["secret"]?.string)
      #expect(desk.server.tokens.sender(forKey: key)?.sender == "42")
    }
  }

  @Test(
    "what cannot be made is refused by name, and nothing is made",
    arguments: [
      (#"{}"#, "name"), (#"{"name":"","role":"agent"}"#, "name"), (#"{"name":null,"role":"agent"}"#, "name"),
      (#"{"name":"a"}"#, "role"), (#"{"name":"a","role":"king"}"#, "role"), (#"{"name":5,"role":"agent"}"#, "name"),
      (#"{"name":"a\u0007","role":"agent"}"#, "name"), (#"{"name":"a","role":"sender"}"#, "sender"),
      (#"{"name":"a","role":"sender","sender":{}}"#, "id"),
      (#"{"name":"a","role":"agent","sender":{"id":"1"}}"#, "sender"),
      (#"{"name":"a","role":"sender","sender":{"id":"a b"}}"#, "sender"),
      (#"{"name":"a","role":"agent","services":"x"}"#, "services"),
      (#"{"name":"a","role":"admin","services":["x"]}"#, "services"),
      (#"{"name":"a","role":"agent","services":[""]}"#, "services"),
    ])
  func refusals(body: String, parameter: String) async throws {
    try await AuditDesk.run { desk in
      let answer = try await desk.call("/admin/1/tokens", "POST", body: body)
      #expect(answer.status == 400 && answer.body.contains("'\(parameter)'"), "\(answer.body)")
      #expect(try desk.server.tokens.list().count == 1)
    }
  }

  @Test("a name that is taken is a conflict; agents and strangers make, see and end nothing")
  func permission() async throws {
    try await AuditDesk.run { desk in
      #expect(try await desk.call("/admin/1/tokens", "POST", body: #"{"name":"ops","role":"bot"}"#).status == 409)
      let agent = try desk.server.tokens.create(name: "anna", role: .supervisor)
      let body = #"{"name":"evil","role":"admin"}"#
      #expect(try await desk.call("/admin/1/tokens", "POST", body: body, token: agent).status == 403)
      #expect(try await desk.call("/admin/1/tokens", "POST", body: body, token: "x").status == 401)
      #expect(try await desk.call("/admin/1/tokens/x/revoke", "POST", token: agent).status == 403)
      #expect(try await desk.call("/admin/1/tokens/x/revoke", "POST").status == 404)
      try await desk.refuses([
        ("/admin/1/tokens?role=king", "role"), ("/admin/1/tokens?usable=1", "usable"),
        ("/admin/1/tokens?after=x", "after"), ("/admin/1/tokens?limit=0", "limit"), ("/admin/1/tokens?x=1", "x"),
      ])
    }
  }
}
