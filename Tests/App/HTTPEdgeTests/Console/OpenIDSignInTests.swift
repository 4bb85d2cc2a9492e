import ConsoleAPI
import ConsoleEngine
import Engine
import Foundation
import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("Signing in to the console by an OpenID provider", .timeLimit(.minutes(5)))
struct OpenIDSignInTests {
  @Test("somebody goes to the provider, comes back, and is signed in as what its claims say")
  func whole() async throws {
    try await OpenIDRig.run { rig in
      let browser = try await rig.browser()
      let ways = try await browser.get("/console/1/sign-in-ways")
      #expect(ways.status == 200 && ways.json["openid"]?["title"] == "Example")
      #expect(ways.json["openid"]?["url"] == "http://push.test/console/1/openid")

      let url = try await browser.begin()
      #expect(url.hasPrefix(rig.issuer + "/authorize?response_type=code&client_id=console&"))
      for part in ["scope=openid%20profile&", "code_challenge_method=S256", "&state=", "&nonce=", "&code_challenge="] {
        #expect(url.contains(part), "\(part)")
      }
      let flow = try #require(browser.cookies["carillon_openid"])
      #expect(flow.path == "/console/1/openid" && !flow.isStrict && flow.value.utf8.count == 43)
      #expect(try await browser.session() == nil)

      let back = try await browser.comeBack(try await browser.visit(url))
      #expect(back.status == 302 && back.raw.header("Location") == "/console/")
      #expect(back.raw.header("Cache-Control") == "no-store")
      #expect(back.raw.header("Set-Cookie")?.hasSuffix("; Path=/; HttpOnly; SameSite=Strict; Max-Age=604800") == true)
      let session = try #require(try await browser.session())
      #expect(session["name"] == "anna" && session["role"] == "agent" && session["services"] == nil)
      #expect(try await browser.get("/agent/1/me").json["agentId"] == "anna")
      #expect(try await browser.get("/admin/1/lanes").status == 403)
      let terms = try #require(rig.server.engine.console.open().first?.terms)
      #expect(terms.person == ConsolePerson(issuer: rig.issuer, subject: "sub-1") && terms.tokenID.hasPrefix("openid:"))
    }
  }

  @Test("each algorithm that a key set may have", arguments: [("rsa", "RS256"), ("ec", "ES256"), ("ed", "EdDSA")])
  func algorithms(key: String, alg: String) async throws {
    try await OpenIDRig.run { rig in
      try await rig.play(["key": key, "alg": alg])
      let browser = try await rig.browser()
      #expect(try await browser.signIn() == "/console/")
    }
  }

  @Test("a client with a secret shows it by HTTP Basic, and one whose secret is wrong signs nobody in")
  func secret() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    try "p:ä s+/%\n".write(toFile: file, atomically: true, encoding: .utf8)
    try await OpenIDRig.run(options: ["console.openid.client_secret_file": file]) { rig in
      let browser = try await rig.browser()
      try await rig.play(["secret": "p:ä s+/%"])
      #expect(try await browser.signIn() == "/console/")
      try await rig.play(["secret": "another"])
      #expect(try await browser.signIn() == "/console/#error=provider")
      // The file is read with each sign-in.
      try "another".write(toFile: file, atomically: true, encoding: .utf8)
      #expect(try await browser.signIn() == "/console/")
      try String(repeating: "a", count: 2_000).write(toFile: file, atomically: true, encoding: .utf8)
      #expect(try await browser.signIn() == "/console/#error=busy")
      try FileManager.default.removeItem(atPath: file)
      #expect(try await browser.signIn() == "/console/#error=busy")
    }
  }

  @Test("the first role that one has counts, wherever the claim lies")
  func roles() async throws {
    try await OpenIDRig.run(options: ["console.openid.role_claim": "realm.roles", "console.openid.services_claim": "s"])
    {
      rig in
      for (roles, role) in [
        (["support", "ops"], "admin"), (["support", "lead"], "supervisor"), (["x", "support"], "agent"),
      ] {
        let browser = try await rig.browser()
        try await rig.claim(["realm": ["roles": roles] as [String: any Sendable], "s": ["b", "a", "b"]])
        #expect(try await browser.signIn() == "/console/")
        let session = try #require(try await browser.session())
        #expect(session["role"]?.string == role)
        // Operators have none.
        #expect(session["services"]?.array?.map(\.string) == (role == "admin" ? nil : ["a", "b"]))
      }
      // A claim that is called so goes before.
      try await rig.claim(["realm.roles": "ops", "realm": ["roles": ["support"]] as [String: any Sendable]])
      let browser = try await rig.browser()
      #expect(try await browser.signIn() == "/console/")
      #expect(try await browser.session()?["role"] == "admin")
    }
  }

  @Test("such a session is an agent's as any other: changes need the proof, colleagues see it, operators end it")
  func session() async throws {
    try await OpenIDRig.run(options: ["console.openid.services_claim": "services"]) { rig in
      try await rig.claim(["services": ["request-chat"]])
      let browser = try await rig.browser()
      #expect(try await browser.signIn() == "/console/")
      let cookie = "carillon_session=\(try #require(browser.cookies["carillon_session"]).value)"
      let csrf = try #require(try await browser.session()?["csrf"]?.string)
      func change(_ fields: [(String, String)]) async throws -> Int {
        try await browser.caller.call(
          "PUT", "/agent/1/me", #"{"ready":true}"#, adding: [("Cookie", cookie), ConsoleCaller.json] + fields
        ).status
      }
      #expect(try await change([]) == 403)
      #expect(try await change([("X-CSRF-Token", csrf)]) == 200)

      let boss = try await ConsoleCaller(rig.server, try rig.server.tokens.create(name: "boss", role: .supervisor))
      let colleagues = try await boss.get("/agent/1/agents").json.array ?? []
      #expect(colleagues.compactMap { $0["agentId"]?.string } == ["anna", "boss"])
      #expect(colleagues.first?["services"]?.array?.map(\.string) == ["request-chat"])

      let ops = try await ConsoleCaller(rig.server, try rig.server.tokens.create(name: "ops", role: .admin))
      let listed = try #require(
        try await ops.get("/console/1/sessions").json.array?.first { $0["issuer"]?.string == rig.issuer })
      #expect(listed["name"] == "anna" && listed["subject"] == "sub-1" && listed["role"] == "agent")
      #expect(try await browser.get("/console/1/sessions").json.array?.count == 1, "one's own")
      let id = try #require(listed["id"]?.string)
      #expect(try await boss.change("DELETE", "/console/1/sessions/\(id)").status == 404)
      #expect(try await ops.change("DELETE", "/console/1/sessions/\(id)").status == 204)
      #expect(try await browser.session() == nil)
      #expect(try await boss.get("/agent/1/agents").json.array?.count == 1)
    }
  }

  @Test("whoever signs in again leaves no session behind, and may have several browsers")
  func again() async throws {
    try await OpenIDRig.run { rig in
      let (one, other) = (try await rig.browser(), try await rig.browser())
      #expect(try await one.signIn() == "/console/")
      let former = one.cookies
      #expect(try await one.signIn() == "/console/")
      #expect(rig.server.engine.console.open().count == 1)
      let stale = try await rig.browser(former)
      #expect(try await stale.session() == nil)
      #expect(try await other.signIn() == "/console/")
      #expect(rig.server.engine.console.open().count == 2)
    }
  }

  @Test("who signs in with fewer services, or whose last session ends, is not ready any more by what was so before")
  func readiness() async throws {
    try await OpenIDRig.run(options: ["console.openid.services_claim": "services"]) { rig in
      let agents = rig.server.engine.agents
      func ready(_ browser: OpenIDBrowser) async throws {
        let cookie = "carillon_session=\(try #require(browser.cookies["carillon_session"]).value)"
        let csrf = try #require(try await browser.session()?["csrf"]?.string)
        let answer = try await browser.caller.call(
          "PUT", "/agent/1/me", #"{"ready":true}"#,
          adding: [("Cookie", cookie), ("X-CSRF-Token", csrf), ConsoleCaller.json])
        #expect(answer.status == 200)
      }
      let browser = try await rig.browser()
      try await rig.claim(["services": ["cb-a", "cb-b"]])
      #expect(try await browser.signIn() == "/console/")
      try await ready(browser)
      // With the same ones, and with more.
      for services in [["cb-b", "cb-a"], ["cb-a", "cb-b", "cb-c"]] {
        try await rig.claim(["services": services])
        #expect(try await browser.signIn() == "/console/")
        #expect(await agents.isReady("anna"))
      }
      try await rig.claim(["services": ["cb-a"]])
      #expect(try await browser.signIn() == "/console/")
      try await until { await !agents.isReady("anna") }
      try await ready(browser)
      #expect(await agents.isReady("anna"))
      let session = try #require(rig.server.engine.console.open().first?.id)
      try await rig.server.engine.console.end(session, .revoked(by: "ops"))
      try await until { await !agents.isReady("anna") }
    }
  }

  @Test("a name is one person's: neither a token's nor that of somebody else who is signed in")
  func names() async throws {
    try await OpenIDRig.run { rig in
      let (one, other) = (try await rig.browser(), try await rig.browser())
      #expect(try await one.signIn() == "/console/")
      try await rig.claim(["sub": "sub-2"])
      #expect(try await other.signIn() == "/console/#error=taken")
      try await rig.claim(["sub": "sub-2", "preferred_username": "ben"])
      #expect(try await other.signIn() == "/console/")
      _ = try rig.server.tokens.create(name: "carl", role: .bot)
      try await rig.claim(["sub": "sub-3", "preferred_username": "carl"])
      let third = try await rig.browser()
      #expect(try await third.signIn() == "/console/#error=taken")
      #expect(try await third.session() == nil && rig.server.engine.console.open().count == 2)
    }
  }

  @Test("no token takes the name of somebody who is signed in; made beside the server, it ends their sessions")
  func namesOfTokens() async throws {
    try await OpenIDRig.run { rig in
      let ops = try await ConsoleCaller(rig.server, try rig.server.tokens.create(name: "ops", role: .admin))
      func make(_ name: String) async throws -> MessagingCaller.Answer {
        try await ops.change(
          "POST", "/admin/1/tokens", #"{"name":"\#(name)","role":"agent"}"#, adding: [ConsoleCaller.json])
      }
      let browser = try await rig.browser()
      #expect(try await browser.signIn() == "/console/")
      let refused = try await make("anna")
      #expect(refused.status == 409 && refused.json["exception"] == "NameTakenException")
      #expect(try await make("ben").status == 201)
      #expect(try await browser.session()?["name"] == "anna")

      // As whoever has another name by now, and acts as the former one in a browser still.
      let other = try await rig.browser()
      try await rig.claim(["preferred_username": "carl"])
      #expect(try await other.signIn() == "/console/")
      #expect(try await make("anna").status == 409)
      #expect(try await make("carl").status == 409)

      // `carillon token` knows nobody who is signed in.
      _ = try rig.server.tokens.create(name: "anna", role: .bot)
      let colleagues = try await other.get("/agent/1/agents").json.array ?? []
      #expect(colleagues.compactMap { $0["agentId"]?.string } == ["anna", "ben", "carl"])
      #expect(colleagues.first?["role"] == "EXTERNAL")
      #expect(try await ops.get("/console/1/sessions").json.array?.count == 2)
      #expect(try await browser.session() == nil)
      #expect(rig.server.engine.console.open().map(\.terms.name).sorted() == ["carl", "ops"])
      let carl = try #require(rig.server.engine.console.open().first { $0.terms.name == "carl" }?.id)
      #expect(try await ops.change("DELETE", "/console/1/sessions/\(carl)").status == 204)
      #expect(try await make("carl").status == 201)
    }
  }

  @Test("without a provider there is no such way, and nobody stays signed in by it", arguments: [false, true])
  func switchedOff(isOther: Bool) async throws {
    try await OpenIDRig.run { rig in
      let browser = try await rig.browser()
      #expect(try await browser.signIn() == "/console/")
      var sections = OpenIDRig.options(issuer: isOther ? "https://other.test" : "")
      sections["service.request-chat"] = ["_type": "builtin"]
      rig.server.engine.options.replace(Options(sections: sections))
      #expect(try await browser.session() == nil)
      #expect(rig.server.engine.console.open().isEmpty)
      guard !isOther else { return }
      #expect(try await browser.get("/console/1/sign-in-ways").body == "{}")
      for path in ["/console/1/openid", "/console/1/openid/callback?state=a&code=b"] {
        #expect(try await browser.get(path).status == 404, "\(path)")
      }
    }
  }

  @Test("without a console there is nothing of it")
  func noConsole() async throws {
    try await OpenIDRig.run(configure: { $0.console.isEnabled = false }) { rig in
      let browser = try await rig.browser()
      for path in ["/console/1/sign-in-ways", "/console/1/openid", "/console/1/openid/callback?state=a&code=b"] {
        #expect(try await browser.get(path).status == 404, "\(path)")
      }
    }
  }

  @Test("where the pages lie elsewhere, people end up there")
  func path() async throws {
    try await OpenIDRig.run(configure: { $0.console.path = "/desk" }) { rig in
      let browser = try await rig.browser()
      #expect(try await browser.signIn() == "/desk/")
      try await rig.play(["deny": "access_denied"])
      #expect(try await browser.signIn() == "/desk/#error=denied")
    }
  }
}
