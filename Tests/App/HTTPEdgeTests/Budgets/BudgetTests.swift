import EdgeSecurity
import Engine
import HTTPTypes
import JSONEnvelope
import NetworkAddress
import ServerKit
import TestSupport
import Testing
import TextEncoding

@testable import HTTPEdge

@Suite("Budgets of strangers over HTTP", .timeLimit(.minutes(5)))
struct BudgetTests {
  /// A server behind a proxy on loopback, so that each request says where it comes from.
  private func run(
    options: [String: [String: String]] = [:], log: HeardLog = HeardLog(),
    storedBytesByAddress: Int? = nil,
    _ change: @escaping (inout BudgetSettings) -> Void = { _ in }, _ body: (ServerHarness) async throws -> Void
  ) async throws {
    var settings = BudgetSettings()
    for action in BudgetedAction.allCases {
      settings.addressPerMinute[action] = 2
      settings.userPerMinute[action] = action.userPerMinute.map { _ in 0 }
    }
    settings.addressPerMinute[.uploadedKibibytes] = 1_000
    change(&settings)
    let all = ["support.app.demo": ["identity": "anonymous"], "service.voice": ["_type": "callback"]].merging(options) {
      $1
    }
    try await ServerHarness.run(
      options: all,
      configureEngine: { if let storedBytesByAddress { $0.limits.storedBytesByAddressMaximum = storedBytesByAddress } },
      configure: { edge in
        edge.budgets = StrangerBudgets(settings, nanoseconds: { 0 })
        edge.proxies = TrustedProxies([AddressBlock("127.0.0.1")!])
      }, logger: log.logger, body)
  }

  private func from(_ address: String) -> (String, String) { ("X-Forwarded-For", address) }

  @Test(
    "what strangers do, they do so often and no oftener",
    arguments: [
      ("POST", "/genesys/1/service/request-chat", "", "code"),
      ("POST", "/genesys/1/service/callback/voice", "", "code"),
      ("GET", "/genesys/1/service/callback/voice?_id=x", "", "code"), ("POST", "/genesys/1/storage/60", "a=1", "code"),
      ("POST", "/genesys/1/notification/subscription", "{}", "code"),
      ("POST", "/access/sdk/anonymous", "{}", "error"), ("POST", "/access/sdk/jwt.json", "{}", "error"),
      ("POST", "/api/v2/requests", "{}", "error"), ("POST", "/api/mobile/uploads.json?filename=x", "x", "error"),
      ("POST", "/devices/1", "{}", "code"), ("POST", "/checkin", "", "code"),
      ("POST", "/device/1/checkin", "{}", "code"),
      ("POST", "/token", "", "code"), ("POST", "/c2dm/register3", "", "Error=SERVICE_NOT_AVAILABLE"),
      ("POST", "/v1/projects/p/registrations", "{}", "RESOURCE_EXHAUSTED"),
      (
        "POST", "/genesys/cometd",
        #"[{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling"]}]"#, "code"
      ),
    ])
  func byAddress(_ method: String, _ path: String, _ body: String, _ word: String) async throws {
    try await run { server in
      let caller = MessagingCaller(client: try await server.connect())
      for _ in 0..<2 {
        let answer = try await caller.call(method, path, body, adding: [from("192.0.2.1")])
        #expect(answer.status != 429, "\(answer.body)")
      }
      let refused = try await caller.call(method, path, body, adding: [from("192.0.2.1")])
      #expect(refused.status == 429)
      #expect(refused.raw.header("Retry-After") == "30")
      #expect(refused.body.contains(word), "\(refused.body)")
      #expect(try await caller.call(method, path, body, adding: [from("192.0.2.2")]).status != 429)
    }
  }

  @Test("no other spelling of a target is cheaper")
  func spellings() async throws {
    try await run { server in
      let caller = MessagingCaller(client: try await server.connect(), fields: [from("192.0.2.1")])
      let spellings = [
        "/genesys/1/service/request-chat", "http://push.test/genesys/1/service/request-chat",
        "//genesys/1/service/request-chat/", "/genesys/1/service/request-chat?x=/",
      ]
      for (place, target) in spellings.enumerated() {
        #expect(try await caller.call("POST", target).status == (place < 2 ? 200 : 429), "\(target)")
      }
    }
  }

  @Test("a user has a budget wherever they are, and so has a credential")
  func byUser() async throws {
    try await run { settings in
      settings.addressPerMinute[.chats] = 0
      settings.userPerMinute[.chats] = 2
    } _: { server in
      let caller = MessagingCaller(client: try await server.connect())
      for credential in [("gms_user", "ann"), ("Authorization", "Bearer ann")] {
        for (place, status) in [200, 200, 429].enumerated() {
          let answer = try await caller.call(
            "POST", "/genesys/1/service/request-chat", adding: [from("192.0.2.\(place)"), credential])
          #expect(answer.status == status)
        }
      }
      let other = [("gms_user", "bob"), from("192.0.2.1")]
      #expect(try await caller.call("POST", "/genesys/1/service/request-chat", adding: other).status == 200)
    }
  }

  @Test("whoever holds a good token is no stranger")
  func known() async throws {
    try await run { server in
      let secret = try server.tokens.create(name: "shop", role: .agent)
      let caller = MessagingCaller(
        client: try await server.connect(), fields: [("Authorization", "Bearer \(secret)"), from("192.0.2.1")])
      for _ in 0..<5 {
        #expect(try await caller.call("POST", "/genesys/1/service/request-chat").status == 200)
      }
    }
  }

  @Test("the size of uploads counts too")
  func bytes() async throws {
    try await run { settings in
      settings.addressPerMinute[.uploads] = 0
      settings.addressPerMinute[.uploadedKibibytes] = 10
    } _: { server in
      let caller = MessagingCaller(client: try await server.connect())
      let body = "a=" + String(repeating: "x", count: 6_000)
      for status in [200, 429] {
        let answer = try await caller.call("POST", "/genesys/1/storage/60", body, adding: [from("192.0.2.1")])
        #expect(answer.status == status)
      }
      #expect(try await caller.call("POST", "/genesys/1/storage/60", "a=1", adding: [from("192.0.2.1")]).status == 200)
    }
  }

  @Test("one address fills its own share of what is stored, under whatever names, and nobody else's")
  func share() async throws {
    try await run(storedBytesByAddress: 10_000) { settings in
      for action in BudgetedAction.allCases { settings.addressPerMinute[action] = 0 }
    } _: { server in
      let caller = MessagingCaller(client: try await server.connect())
      let file = String(repeating: "x", count: 6_000)
      func store(_ path: String, _ body: String, _ fields: [(String, String)]) async throws -> (Int, String) {
        let answer = try await caller.call("POST", path, body, adding: fields)
        return (answer.status, answer.body)
      }
      let form = ("Content-Type", "application/x-www-form-urlencoded")
      #expect(try await store("/genesys/1/storage/60", "a=" + file, [from("192.0.2.1"), form]).0 == 200)
      let sign = try await caller.call(
        "POST", "/access/sdk/anonymous", #"{"user":{"sdk_guid":"ann"}}"#, adding: [("Client-Identifier", "demo")])
      #expect(sign.status == 200, "\(sign.body)")
      let token = try JSONValue(parsing: sign.body)["authentication"]?["access_token"]?.string ?? ""
      for (place, (path, body, field)) in [
        ("/genesys/1/storage/60", "a=" + file, ("gms_user", "ann")),
        ("/genesys/1/storage/custom/mine/60", "a=" + file, ("gms_user", "bob")),
        ("/api/v2/uploads.json?filename=x", file, ("Authorization", "Bearer \(token)")),
      ].enumerated() {
        let refused = try await store(path, body, [from("192.0.2.1"), field, form])
        #expect(refused.0 == 429 && refused.1.contains("10000 bytes of stored files"), "\(path): \(refused.1)")
        #expect(try await store(path, body, [from("192.0.3.\(place)"), field, form]).0 < 300)
      }
    }
  }

  @Test(
    "wrong credentials are refused in the words of the surface, and those from elsewhere as ever",
    arguments: [
      ("GET", "/agent/1/me", "Bearer wrong", "code"), ("GET", "/admin/1/lanes", "Bearer wrong", "code"),
      ("POST", "/gcm/send", "key=wrong", "Error 429"),
      ("POST", "/v1/projects/p/messages:send", "Bearer wrong", "RESOURCE_EXHAUSTED"),
      ("GET", "/iid/info/abc", "key=wrong", "error"), ("POST", "/fcm/notification", "key=wrong", "error"),
      ("GET", "/api/v2/requests", "Bearer wrong", "TooManyRequests"),
      ("POST", "/device/1/topics", "AidLogin 1:2", "code"), ("POST", "/c2dm/register3", "AidLogin 1:2", "Error="),
      ("POST", "/genesys/cometd", "Basic dTp3cm9uZw==", "code"),
      ("POST", "/genesys/1/service/request-chat", "Basic dTp3cm9uZw==", "code"),
    ])
  func wrongCredentials(_ method: String, _ path: String, _ credential: String, _ word: String) async throws {
    let options = ["server": ["username": "u", "password": "p"]]
    try await run(options: options) { settings in
      for action in [BudgetedAction.chats, .devices] { settings.addressPerMinute[action] = 0 }
    } _: { server in
      let caller = MessagingCaller(client: try await server.connect())
      let body =
        path == "/device/1/topics"
        ? #"{"token":"a","topic":"b"}"# : path == "/c2dm/register3" ? "app=a&sender=1&device=1" : ""
      func ask(_ address: String, _ credential: String) async throws -> MessagingCaller.Answer {
        try await caller.call(method, path, body, adding: [from(address), ("Authorization", credential)])
      }
      for _ in 0..<2 { #expect(try await ask("192.0.2.1", credential).status != 429) }
      let refused = try await ask("192.0.2.1", credential)
      #expect(refused.status == 429)
      #expect(refused.raw.header("Retry-After") == "30")
      #expect(refused.body.contains(word), "\(refused.body)")
      #expect(try await ask("192.0.2.2", credential).status != 429)
    }
  }

  @Test("two thousand wrong tokens are one line in the log, with their address; a good one is served all the same")
  func manyWrongTokens() async throws {
    let log = HeardLog()
    try await run(log: log) {
      $0.addressPerMinute[.wrongTokens] = 60
    } _: { server in
      let secret = try server.tokens.create(name: "anna", role: .agent)
      let caller = MessagingCaller(client: try await server.connect(), fields: [from("192.0.2.7")])
      var statuses: [Int: Int] = [:]
      let start = ContinuousClock.now
      for number in 0..<2_000 {
        let answer = try await caller.call(
          "GET", "/agent/1/me", adding: [("Authorization", "Bearer car_\(number)")])
        statuses[answer.status, default: 0] += 1
      }
      #expect(statuses == [401: 60, 429: 1_940])
      let answer = try await caller.call("GET", "/agent/1/me", adding: [("Authorization", "Bearer \(secret)")])
      #expect(answer.status == 200)
      // Should the machine take minutes for it, there is one line for each.
      let minutes = Int((ContinuousClock.now - start) / .seconds(60))
      let lines = log.lines.filter { $0.message.contains("security") && $0.metadata["kind"] == "wrong_token" }
      #expect((1...1 + minutes).contains(lines.count))
      #expect(lines.allSatisfy { $0.metadata["address"] == "192.0.2.7" })
    }
  }

  @Test("a password is not even looked at once there were too many wrong ones")
  func guessedPassword() async throws {
    try await run(options: ["server": ["username": "u", "password": "p"]]) {
      $0.addressPerMinute[.chats] = 0
    } _: {
      server in
      let caller = MessagingCaller(client: try await server.connect())
      func ask(_ address: String, _ pair: String) async throws -> Int {
        try await caller.call(
          "POST", "/genesys/1/service/request-chat",
          adding: [from(address), ("Authorization", "Basic \(Base64.encode(Array(pair.utf8)))")]
        ).status
      }
      for _ in 0..<2 { #expect(try await ask("192.0.2.1", "u:x") == 401) }
      #expect(try await ask("192.0.2.1", "u:p") == 429)
      #expect(try await ask("192.0.2.2", "u:p") == 200)
    }
  }

  @Test("one address has so many connections; the next one is told why")
  func connections() async throws {
    try await ServerHarness.run(configure: { edge in
      var settings = BudgetSettings()
      settings.exempt = []
      settings.connectionsByAddressMaximum = 2
      edge.budgets = StrangerBudgets(settings)
    }) { server in
      for _ in 0..<2 {
        let clients = [try await server.connect(), try await server.connect()]
        for client in clients {
          try await client.get("/health/live")
          #expect(try await client.response().status == 200)
        }
        let third = try await server.connect()
        let refused = try await third.response()
        #expect(refused.status == 429)
        #expect(refused.header("Retry-After") != nil)
        for client in clients { await client.close() }
        try await until { server.server.connectionCount == 0 }
      }
    }
  }

  @Test("loopback speaks for many, unless the operator has it otherwise")
  func loopback() async throws {
    try await ServerHarness.run { server in
      let caller = MessagingCaller(client: try await server.connect())
      for _ in 0...BudgetedAction.checkIns.addressPerMinute {
        #expect(try await caller.call("POST", "/device/1/checkin", "{}").status == 200)
      }
    }
  }
}
