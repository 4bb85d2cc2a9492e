import ConsoleEngine
import Engine
import EntityRuntime
import JSONEnvelope
import NetworkAddress
import Testing

@testable import HTTPEdge

@Suite("A session of the console over HTTP", .timeLimit(.minutes(5)))
struct ConsoleSessionApiTests {
  @Test("opens what its token opens, everywhere, and nothing else")
  func reach() async throws {
    try await DeskRig.run { desk in
      let agent = try await ConsoleCaller(desk.server, try desk.token("anna"))
      let ops = try await ConsoleCaller(desk.server, try desk.token("ops", .admin))
      let chat = try await desk.chat()
      for (path, ofAgent, ofOperator) in [
        ("/agent/1/me", 200, 403), ("/agent/1/chats/\(chat)", 200, 403), ("/agent/1/chats", 200, 403),
        ("/admin/1/redactions", 403, 200), ("/admin/1/lanes", 403, 200), ("/admin/1/support/apps", 403, 200),
        ("/api/v2/tickets/show_many?ids=1", 200, 200), ("/console/1/sessions", 200, 200),
      ] {
        #expect(try await agent.get(path).status == ofAgent, "an agent at \(path)")
        #expect(try await ops.get(path).status == ofOperator, "an operator at \(path)")
      }
      let joined = try await agent.change(
        "POST", "/agent/1/chats/\(chat)/join", #"{"nickname":"K"}"#, adding: [ConsoleCaller.json])
      #expect(joined.status == 200, "\(joined.body)")
      #expect(try await agent.get("/agent/1/me").json["agentId"] == "anna")
    }
  }

  @Test(
    "a change without the page's proof is refused in words, and changes nothing",
    arguments: [("PUT", "/agent/1/me"), ("DELETE", "/console/1/session")])
  func forgery(method: String, path: String) async throws {
    try await DeskRig.run { desk in
      let page = try await ConsoleCaller(desk.server, try desk.token("anna"))
      let other = try await ConsoleCaller(desk.server, try desk.token("ben"))
      let fields: [[(String, String)]] = [
        [], [("X-CSRF-Token", "")], [("X-CSRF-Token", "x")], [("X-CSRF-Token", other.csrf)],
        [("X-CSRF-Token", page.csrf.lowercased())], [("X-CSRF-Token", page.csrf + "=")],
        [("X-CSRF-Token", String(page.cookie.dropFirst("carillon_session=".count)))],
        [("X-CSRF-Token", String(repeating: "a", count: 5_000))],
      ]
      for field in fields {
        let answer = try await page.caller.call(
          method, path, #"{"ready":true}"#, adding: [("Cookie", page.cookie), ConsoleCaller.json] + field)
        #expect(answer.status == 403 && answer.body.contains("X-CSRF-Token"), "\(field): \(answer.status)")
      }
      #expect(try await page.get("/agent/1/me").json["ready"] == false)
      let proven = try await page.change(method, path, #"{"ready":true}"#, adding: [ConsoleCaller.json])
      #expect((200..<300).contains(proven.status))
    }
  }

  @Test("no page of another origin gets anything by it, whatever it may do with a token")
  func origins() async throws {
    try await ServerHarness.run(
      origins: .listed(["https://shop.test"]), configure: { $0.http.staffOrigins = .listed(["https://desk.test"]) }
    ) { server in
      let secret = try server.tokens.create(name: "anna", role: .agent)
      let page = try await ConsoleCaller(server, secret)
      for origin in ["https://desk.test", "https://shop.test", "https://evil.test", "null"] {
        for path in ["/agent/1/me", "/console/1/session", "/api/v2/tickets/show_many?ids=1"] {
          let answer = try await page.get(path, adding: [("Origin", origin)])
          #expect(answer.status == 401, "\(origin) at \(path)")
        }
      }
      #expect(try await page.get("/agent/1/me", adding: [("Origin", "http://push.test")]).status == 200)

      let bearer = ("Authorization", "Bearer \(secret)")
      let plain = MessagingCaller(client: try await server.connect(), fields: [bearer])
      let named = try await plain.call("GET", "/agent/1/me", adding: [("Origin", "https://desk.test")])
      #expect(named.status == 200 && named.raw.header("Access-Control-Allow-Origin") == "https://desk.test")
      #expect(named.raw.header("Access-Control-Allow-Credentials") == nil && named.raw.header("Vary") == "Origin")
      let stranger = try await plain.call("GET", "/agent/1/me", adding: [("Origin", "https://shop.test")])
      #expect(stranger.raw.header("Access-Control-Allow-Origin") == nil)
      for path in ["/agent/1/me", "/admin/1/lanes"] {
        let preflight = try await plain.call(
          "OPTIONS", path, adding: [("Origin", "https://desk.test"), ("Access-Control-Request-Method", "PUT")])
        #expect(preflight.status == 204 && preflight.raw.header("Access-Control-Allow-Origin") == "https://desk.test")
        #expect(preflight.raw.header("Access-Control-Allow-Headers")?.contains("authorization") == true)
      }
      // Sessions are no business of theirs at all.
      let session = try await plain.call("OPTIONS", "/console/1/session", adding: [("Origin", "https://desk.test")])
      #expect(session.raw.header("Access-Control-Allow-Origin") == nil)
    }
  }

  @Test("Authorization goes before the cookie, good or bad; of two cookies neither counts")
  func precedence() async throws {
    try await DeskRig.run { desk in
      let page = try await ConsoleCaller(desk.server, try desk.token("anna"))
      let other = try await ConsoleCaller(desk.server, try desk.token("cleo"))
      let ben = try desk.token("ben")
      func me(_ fields: (String, String)...) async throws -> String {
        let answer = try await page.caller.call("GET", "/agent/1/me", adding: fields)
        return answer.json["agentId"]?.string ?? "\(answer.status)"
      }
      let cookie = ("Cookie", page.cookie)
      #expect(try await me(cookie) == "anna")
      #expect(try await me(cookie, ("Authorization", "Bearer \(ben)")) == "ben")
      #expect(try await me(cookie, ("Authorization", "Bearer wrong")) == "401")
      #expect(try await me(cookie, ("Authorization", "Basic eDp5")) == "401")
      // With a token nothing has to be proven.
      let ready = try await page.caller.call(
        "PUT", "/agent/1/me", #"{"ready":true}"#,
        adding: [cookie, ("Authorization", "Bearer \(ben)"), ConsoleCaller.json])
      #expect(ready.status == 200)
      #expect(try await me(("Cookie", page.cookie + "; " + other.cookie)) == "401")
      #expect(try await me(cookie, ("Cookie", other.cookie)) == "401")
      #expect(try await me(("Cookie", "a=b; " + page.cookie + ";c=d")) == "anna")
      #expect(try await me(("Cookie", "x" + page.cookie)) == "401")
      for value in ["", "x", String(page.cookie.dropLast()), page.cookie + "A", "carillon_session=" + ben] {
        #expect(try await me(("Cookie", value)) == "401", "\(value.count)")
      }
    }
  }

  @Test("signing out ends it and takes the cookie away")
  func signOut() async throws {
    try await DeskRig.run { desk in
      let page = try await ConsoleCaller(desk.server, try desk.token("anna"))
      let answer = try await page.change("DELETE", "/console/1/session")
      #expect(answer.status == 204)
      #expect(
        answer.raw.header("Set-Cookie") == "carillon_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0")
      for path in ["/console/1/session", "/agent/1/me", "/console/1/sessions"] {
        #expect(try await page.get(path).status == 401, "\(path)")
      }
      #expect(try await page.change("DELETE", "/console/1/session").status == 401)
      // The token itself is as good as ever, and is no session.
      let bearer = try await desk.requests(try desk.token("ben"))
      #expect(try await bearer.json("GET", "/console/1/sessions").array?.isEmpty == true)
    }
  }

  @Test("a token that is revoked or rotated takes its sessions with it at once")
  func revocation() async throws {
    try await DeskRig.run { desk in
      for (name, end) in [("anna", false), ("ben", true)] {
        let secret = try desk.token(name)
        let page = try await ConsoleCaller(desk.server, secret)
        let socket = try await ConsoleSocket(desk.server, page.cookie, origin: "http://push.test")
        if end { _ = try desk.server.tokens.rotate(name) } else { try desk.server.tokens.revoke(name) }
        #expect(try await page.get("/agent/1/me").status == 401)
        #expect(try await page.change("PUT", "/agent/1/me", #"{"ready":true}"#).status == 401)
        try await socket.untilClosed()
        try await until { desk.server.engine.console.directory.count == 0 }
      }
    }
  }

  @Test("each sees their own, an operator all; with the places that they are used from")
  func list() async throws {
    let block = try #require(AddressBlock("127.0.0.0/8"))
    try await ServerHarness.run(configure: { $0.http.proxies = TrustedProxies([block]) }) { server in
      let secret = try server.tokens.create(name: "anna", role: .agent)
      func from(_ address: String) -> (String, String) { ("X-Forwarded-For", address) }
      let first = try await ConsoleCaller(server, secret)
      let second = try await ConsoleCaller(server, secret)
      let ben = try await ConsoleCaller(server, try server.tokens.create(name: "ben", role: .bot))
      let ops = try await ConsoleCaller(server, try server.tokens.create(name: "ops", role: .admin))
      let agent = ("User-Agent", "Browser " + String(repeating: "x", count: 500))
      _ = try await first.get("/agent/1/me", adding: [from("192.0.2.1"), agent])
      let listed = try await first.get("/console/1/sessions", adding: [from("192.0.2.2"), agent]).json.array ?? []
      #expect(listed.count == 2 && listed.allSatisfy { $0["name"] == "anna" && $0["role"] == "agent" })
      let own = try #require(listed.first { $0["current"] == true })
      #expect(own["addresses"]?.array?.map(\.string) == ["192.0.2.1", "192.0.2.2"], "used from two places")
      #expect(own["userAgent"]?.string?.count == 256)
      #expect(own["openedAt"]?.string != nil && own["seenAt"]?.string != nil && own["expiresAt"]?.string != nil)
      #expect(!first.cookie.contains(own["id"]?.string ?? "?"))
      let all = try await ops.get("/console/1/sessions").json.array ?? []
      #expect(Set(all.compactMap { $0["name"]?.string }) == ["anna", "ben", "ops"] && all.count == 4)
      let page = try await ops.get("/console/1/sessions?limit=3")
      #expect(page.json.array?.count == 3 && page.raw.header("Link")?.contains("after=") == true)
      for query in ["?limit=0", "?limit=x", "?x=1", "?limit=1&limit=2"] {
        #expect(try await ops.get("/console/1/sessions" + query).status == 400, "\(query)")
      }

      // A stranger's is not there; one's own ends, and an operator ends anybody's.
      let id = try #require(own["id"]?.string)
      for wrong in [id, "nothing", String(repeating: "0", count: 64)] {
        let answer = try await ben.change("DELETE", "/console/1/sessions/\(wrong)")
        #expect(answer.status == 404, "\(answer.body)")
      }
      #expect(try await second.change("DELETE", "/console/1/sessions/\(id)").status == 204)
      #expect(try await first.get("/agent/1/me").status == 401)
      let ofBen = try #require(all.first { $0["name"] == "ben" }?["id"]?.string)
      #expect(try await ops.change("DELETE", "/console/1/sessions/\(ofBen)").status == 204)
      #expect(try await ben.get("/console/1/session").status == 401)
      #expect(try await ops.change("DELETE", "/console/1/sessions/\(ofBen)").status == 404)
      #expect(try await second.get("/console/1/session").status == 200)
    }
  }

  @Test("who shows a token in place of a session sees the sessions, and has none")
  func bearer() async throws {
    try await ServerHarness.run { server in
      let secret = try server.tokens.create(name: "anna", role: .agent)
      _ = try await ConsoleCaller(server, secret)
      let plain = MessagingCaller(
        client: try await server.connect(), fields: [("Authorization", "Bearer \(secret)")])
      #expect(try await plain.call("GET", "/console/1/session").status == 401)
      #expect(try await plain.call("DELETE", "/console/1/session").status == 401)
      let listed = try await plain.call("GET", "/console/1/sessions").json.array ?? []
      #expect(listed.map { $0["current"] } == [false])
      let id = try #require(listed.first?["id"]?.string)
      #expect(try await plain.call("DELETE", "/console/1/sessions/\(id)").status == 204)
      let key = try server.tokens.create(name: "shop", role: .publisher)
      let publisher = MessagingCaller(
        client: try await server.connect(), fields: [("Authorization", "Bearer \(key)")])
      #expect(try await publisher.call("GET", "/console/1/sessions").status == 403)
    }
  }
}
