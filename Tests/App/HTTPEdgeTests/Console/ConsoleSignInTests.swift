import ConsoleEngine
import EdgeSecurity
import Engine
import JSONEnvelope
import NetworkAddress
import Testing

@testable import HTTPEdge

@Suite("Signing in to the console", .timeLimit(.minutes(5)))
struct ConsoleSignInTests {
  @Test("a token is exchanged for a session that acts as it", arguments: TokenRole.allCases)
  func roles(role: TokenRole) async throws {
    try await ServerHarness.run { server in
      let sender = role == .sender ? SenderGrant(sender: "4711") : nil
      let services = role.takesPartInChats ? ["sales"] : []
      let secret = try server.tokens.create(name: "anna", role: role, sender: sender, services: services)
      let caller = MessagingCaller(client: try await server.connect())
      let answer = try await ConsoleCaller.signIn(caller, #"{"token":"\#(secret)"}"#)
      guard role.mayUseConsole else {
        #expect(answer.status == 403 && answer.json["message"]?.string?.contains(role.rawValue) == true)
        #expect(answer.raw.header("Set-Cookie") == nil && server.engine.console.open().isEmpty)
        return
      }
      #expect(answer.status == 200)
      #expect(answer.json["name"] == "anna" && answer.json["role"]?.string == role.rawValue)
      #expect(answer.json["services"]?.array?.map(\.string) == (services.isEmpty ? nil : ["sales"]))
      #expect(answer.json["idleSeconds"] == 43_200 && answer.json["expiresAt"]?.string?.hasSuffix("Z") == true)
      #expect(answer.json["csrf"]?.string?.utf8.count == 43)
      #expect(!answer.body.contains(secret))
      let cookie = try #require(answer.raw.header("Set-Cookie"))
      #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Strict; Max-Age=604800"))
      let own = try await caller.call(
        "GET", "/console/1/session", adding: [("Cookie", String(cookie.prefix { $0 != ";" }))])
      #expect(own.status == 200 && own.json == answer.json)
    }
  }

  private static let bad: [(body: String, status: Int, word: String)] = [
    ("", 400, "token"), ("{}", 400, "'token' is missing"), (#"{"token":null}"#, 400, "'token' is missing"),
    (#"{"token":""}"#, 400, "'token' is empty"), (#"{"code":""}"#, 400, "'code' is empty"),
    (#"{"token":1}"#, 400, "'token' is not a string"), (#"{"code":["a"]}"#, 400, "'code' is not a string"),
    (#"{"token":"a","code":"b"}"#, 400, "beside token"), ("[]", 400, "not a JSON object"),
    ("null", 400, "not a JSON object"), ("{", 400, "not a JSON object"),
    // Of a member that comes twice the last one counts, as everywhere.
    (#"{"token":null,"token":"car_wrong"}"#, 401, "valid access token"),
    (#"{"token":"car_wrong","token":null}"#, 400, "'token' is missing"),
    (#"{"token":"car_wrong"}"#, 401, "valid access token"), (#"{"code":"csc_wrong"}"#, 401, "link"),
    (#"{"token":""# + String(repeating: "a", count: 2_000) + #""}"#, 401, "valid access token"),
    (#"{"code":""# + String(repeating: "a", count: 2_000) + #""}"#, 401, "link"),
    (#"{"token":""# + String(repeating: "a", count: 5_000) + #""}"#, 413, "4096 bytes"),
  ]

  @Test("what cannot be used is refused with the reason, and leaves nothing behind", arguments: bad)
  func badInput(body: String, status: Int, word: String) async throws {
    try await ServerHarness.run { server in
      _ = try server.tokens.create(name: "anna", role: .agent)
      let caller = MessagingCaller(client: try await server.connect())
      let answer = try await ConsoleCaller.signIn(caller, body)
      #expect(answer.status == status && answer.body.contains(word), "\(answer.status) \(answer.body)")
      #expect(answer.raw.header("Set-Cookie") == nil && server.engine.console.open().isEmpty)
      #expect(try await caller.call("GET", "/health/live").status == 200)
    }
  }

  @Test("a form of another page signs nobody in, and a token in a URL is refused")
  func pages() async throws {
    try await ServerHarness.run { server in
      let secret = try server.tokens.create(name: "anna", role: .agent)
      let caller = MessagingCaller(client: try await server.connect())
      let body = #"{"token":"\#(secret)"}"#
      for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "json"] {
        let answer = try await caller.call("POST", "/console/1/session", body, adding: [("Content-Type", type)])
        #expect(answer.status == 415, "\(type)")
      }
      for origin in ["https://evil.test", "null", "http://push.test.evil.test", "http://push.test:8080"] {
        #expect(try await ConsoleCaller.signIn(caller, body, adding: [("Origin", origin)]).status == 403, "\(origin)")
      }
      #expect(try await ConsoleCaller.signIn(caller, body, adding: [("Origin", "http://push.test")]).status == 200)
      for (method, path) in [
        ("POST", "/console/1/session?token=\(secret)"), ("GET", "/console/1/session?token=\(secret)"),
        ("GET", "/console/?token=\(secret)"), ("GET", "/console/?code=x"), ("GET", "/agent/1/me?token=\(secret)"),
        ("GET", "/agent/1/events?access_token=\(secret)"), ("GET", "/console/?%74oken=\(secret)"),
        ("GET", "/console/?Access_Token=\(secret)"),
      ] {
        let answer = try await caller.call(method, path, method == "POST" ? body : "", adding: [ConsoleCaller.json])
        #expect(answer.status == 400 && answer.body.contains("URL"), "\(path): \(answer.status) \(answer.body)")
      }
      #expect(try await caller.call("POST", "/console/1/session?x=1", body, adding: [ConsoleCaller.json]).status == 400)
    }
  }

  @Test("a one-time link signs in once, and not when it has come too late or its token is gone")
  func links() async throws {
    try await ServerHarness.run { server in
      _ = try server.tokens.create(name: "anna", role: .supervisor)
      let caller = MessagingCaller(client: try await server.connect())
      func signIn(_ code: String) async throws -> MessagingCaller.Answer {
        try await ConsoleCaller.signIn(caller, #"{"code":"\#(code)"}"#)
      }
      let code = try server.tokens.makeCode(for: "anna").code
      let answer = try await signIn(code)
      #expect(answer.status == 200 && answer.json["name"] == "anna" && answer.json["role"] == "supervisor")
      #expect(try await signIn(code).status == 401)
      // Of two that come at once one is let in.
      let contested = try server.tokens.makeCode(for: "anna").code
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<8 {
          let client = try await server.connect()
          group.addTask {
            try await ConsoleCaller.signIn(MessagingCaller(client: client), #"{"code":"\#(contested)"}"#).status
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(statuses.sorted() == [200] + Array(repeating: 401, count: 7))
      let orphaned = try server.tokens.makeCode(for: "anna").code
      try server.tokens.revoke("anna")
      #expect(try await signIn(orphaned).status == 401)
      #expect(throws: TokenStoreError.self) { try server.tokens.makeCode(for: "anna") }
    }
  }

  @Test("wrong tokens and codes are counted with all wrong credentials, and sign-ins by their address")
  func budgets() async throws {
    let settings = {
      var settings = BudgetSettings()
      settings.exempt = []
      settings.addressPerMinute[.wrongTokens] = 3
      settings.addressPerMinute[.signIns] = 7
      return settings
    }()
    try await ServerHarness.run(configure: { $0.http.budgets = StrangerBudgets(settings, nanoseconds: { 0 }) }) {
      server in
      let secret = try server.tokens.create(name: "anna", role: .agent)
      let caller = MessagingCaller(client: try await server.connect())
      func signIn(_ body: String) async throws -> MessagingCaller.Answer {
        try await ConsoleCaller.signIn(caller, body)
      }
      for body in [#"{"token":"car_a"}"#, #"{"code":"csc_a"}"#, #"{"token":"car_b"}"#] {
        #expect(try await signIn(body).status == 401)
      }
      let refused = try await signIn(#"{"token":"car_c"}"#)
      #expect(refused.status == 429 && refused.raw.header("Retry-After") != nil)
      // A good one is no guess; but so many sign-ins are no person's.
      #expect(try await signIn(#"{"token":"\#(secret)"}"#).status == 200)
      for _ in 0..<2 { _ = try await signIn(#"{"token":"\#(secret)"}"#) }
      let spent = try await signIn(#"{"token":"\#(secret)"}"#)
      #expect(spent.status == 429 && spent.body.contains("sign-ins"))
    }
  }

  @Test(
    "the cookie is for TLS alone where the browser speaks it, as far as a trusted proxy's word goes",
    arguments: [
      (true, ProxyHeader.xForwardedFor, ("X-Forwarded-Proto", "https"), true),
      (true, .xForwardedFor, ("X-Forwarded-Proto", "https, http"), false),
      (true, .xForwardedFor, ("Forwarded", "proto=https"), false),
      (true, .forwarded, ("Forwarded", "for=192.0.2.1;proto=https"), true),
      (true, .forwarded, ("X-Forwarded-Proto", "https"), false),
      (false, .xForwardedFor, ("X-Forwarded-Proto", "https"), false),
    ] as [(Bool, ProxyHeader, (String, String), Bool)])
  func secure(isTrusted: Bool, header: ProxyHeader, field: (String, String), isSecure: Bool) async throws {
    let block = try #require(AddressBlock(isTrusted ? "127.0.0.0/8" : "192.0.2.0/24"))
    try await ServerHarness.run(configure: { $0.http.proxies = TrustedProxies([block], header: header) }) { server in
      let secret = try server.tokens.create(name: "anna", role: .agent)
      let caller = MessagingCaller(client: try await server.connect())
      let answer = try await ConsoleCaller.signIn(caller, #"{"token":"\#(secret)"}"#, adding: [field])
      #expect(answer.raw.header("Set-Cookie")?.hasSuffix("; Secure") == isSecure)
    }
  }

  @Test("whoever signs in again leaves no session behind")
  func again() async throws {
    try await ServerHarness.run { server in
      let secret = try server.tokens.create(name: "anna", role: .agent)
      let page = try await ConsoleCaller(server, secret)
      _ = try await ConsoleCaller(server, secret, adding: [("Cookie", page.cookie)])
      #expect(try await page.get("/console/1/session").status == 401)
      #expect(server.engine.console.open().count == 1)
    }
  }
}
