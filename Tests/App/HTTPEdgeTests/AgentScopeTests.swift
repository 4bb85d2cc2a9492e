import ChatAPI
import Engine
import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("What agents see over HTTP", .timeLimit(.minutes(5)))
struct AgentScopeTests {
  private static let options: [String: [String: String]] = [
    "service.sales": ["_type": "builtin"], "service.help": ["_type": "builtin"],
    "service.callback-voice": ["_service": "callback"],
  ]

  private func holder(
    _ server: ServerHarness, _ name: String, _ role: TokenRole, services: [String] = []
  ) async throws -> CallbackCaller {
    let secret = try server.tokens.create(name: name, role: role, services: services)
    return CallbackCaller(client: try await server.connect(), headers: "Authorization: Bearer \(secret)\r\n")
  }

  private func chat(_ server: ServerHarness, of service: String) async throws -> String {
    let app = CallbackCaller(client: try await server.connect())
    let id = try #require(try await app.json("POST", "/genesys/1/service/\(service)")["_id"]?.string)
    let reply = try await app.json("POST", "/genesys/1/service/\(id)/ixn/chat", #"{"nickname":"Guest"}"#)
    return try #require(reply["chatSessionId"]?.string)
  }

  private static let calls: [(method: String, suffix: String, body: String)] = [
    ("GET", "", ""), ("GET", "/transcript", ""), ("POST", "/join", #"{"nickname":"B"}"#),
    ("POST", "/messages", #"{"text":"x"}"#), ("POST", "/typing", #"{"started":true}"#),
    ("POST", "/pushurl", #"{"url":"https://a.test"}"#), ("POST", "/notice", #"{"text":"x"}"#), ("POST", "/leave", ""),
    ("POST", "/release", ""),
    ("POST", "/close", ""), ("POST", "/request", "{}"), ("POST", "/read", #"{"position":1}"#),
    ("POST", "/private", #"{"text":"x"}"#), ("POST", "/whisper", #"{"text":"x"}"#),
    ("POST", "/invite", #"{"agentId":"anna"}"#), ("POST", "/transfer", #"{"service":"help"}"#),
    ("POST", "/takeover", #"{"nickname":"B"}"#), ("POST", "/wrapup", #"{"disposition":"x"}"#),
  ]

  @Test("a chat of others is answered as if it did not exist, whatever is asked of it")
  func others() async throws {
    try await ServerHarness.run(options: Self.options) { server in
      let (anna, bert) = (
        try await holder(server, "anna", .agent, services: ["sales"]),
        try await holder(server, "bert", .agent, services: ["help"])
      )
      let cleo = try await holder(server, "cleo", .agent)
      let boss = try await holder(server, "boss", .supervisor)
      let chat = try await chat(server, of: "sales")
      let path = "/agent/1/chats/\(chat)"
      for call in Self.calls {
        #expect(try await bert.call(call.method, path + call.suffix, call.body).status == 404, "\(call.suffix)")
      }
      #expect(try await bert.json("GET", "/agent/1/chats").array?.isEmpty == true)
      #expect(try await anna.call("POST", path + "/join", #"{"nickname":"Anna"}"#).status == 200)
      for call in Self.calls where call.suffix != "/join" {
        #expect(try await cleo.call(call.method, path + call.suffix, call.body).status == 404, "\(call.suffix)")
      }
      #expect(try await cleo.call("POST", path + "/join", #"{"nickname":"C"}"#).status == 409)
      #expect(try await cleo.json("GET", "/agent/1/chats").array?.isEmpty == true)
      #expect(try await boss.json("GET", "/agent/1/chats?state=all").array?.count == 1)
      #expect(try await boss.json("GET", path + "/transcript")["lines"]?.array?.count == 2)
      #expect(try await boss.call("POST", path + "/join", #"{"nickname":"Boss"}"#).status == 200)
      #expect(try await anna.json("GET", "/agent/1/me")["services"] == ["sales"])
      #expect(try await cleo.json("GET", "/agent/1/me")["services"] == nil)
    }
  }

  @Test("a callback of another service is answered as if it did not exist, whatever is asked of it")
  func callbacks() async throws {
    try await ServerHarness.run(options: Self.options) { server in
      let id = try await server.app().order()
      let bert = try await holder(server, "bert", .agent, services: ["help"])
      #expect(try await bert.json("GET", "/agent/1/callbacks").array?.isEmpty == true)
      #expect(try await bert.call("GET", "/agent/1/callbacks/\(id)").status == 404)
      for action in ["available", "accept", "release", "connected", "ended", "failed"] {
        #expect(try await bert.call("POST", "/agent/1/callbacks/\(id)/\(action)").status == 404, "\(action)")
      }
      let own = try await holder(server, "voice", .agent, services: ["callback-voice"])
      #expect(try await own.json("GET", "/agent/1/callbacks").array?.count == 1)
      #expect(try await own.call("POST", "/agent/1/callbacks/\(id)/available").status == 200)
    }
  }

  @Test("a list goes on where its header says, and says when there is nothing more")
  func pages() async throws {
    try await ServerHarness.run(options: Self.options) { server in
      let agent = try await holder(server, "anna", .agent)
      var chats: [String] = []
      for _ in 0..<5 { chats.append(try await chat(server, of: "sales")) }
      var path: String? = "/agent/1/chats?state=waiting&service=sales&limit=2"
      var seen: [String] = []
      while let next = path {
        let answer = try await agent.call("GET", next)
        let page = try JSONValue(parsing: answer.body).array ?? []
        #expect(page.count <= 2)
        seen += page.compactMap { $0["chatId"]?.string }
        path = answer.header("Link").map { link in
          #expect(link.hasPrefix("</agent/1/chats?") && link.hasSuffix(">; rel=\"next\""))
          return String(link.dropFirst().prefix { $0 != ">" })
        }
      }
      #expect(Set(seen) == Set(chats) && seen.count == 5)
      let whole = try await agent.call("GET", "/agent/1/chats")
      #expect(whole.header("Link") == nil)
    }
  }

  @Test(
    "what a list does not know is refused by its name",
    arguments: [
      ("/agent/1/chats?status=waiting", "status"), ("/agent/1/chats?state=waiting&state=own", "state"),
      ("/agent/1/chats?state=lost", "state"), ("/agent/1/chats?limit=0", "limit"),
      ("/agent/1/chats?limit=1001", "limit"), ("/agent/1/chats?limit=x", "limit"), ("/agent/1/chats?after=7", "after"),
      ("/agent/1/callbacks?offset=1", "offset"), ("/agent/1/callbacks?state=waiting&after=1.2", "after"),
      ("/agent/1/requests?page=2", "page"), ("/agent/1/requests?after=x", "after"),
      ("/agent/1/events?since=1", "since"), ("/agent/1/chats?phase=gone", "phase"),
      ("/agent/1/chats?sort=subject", "sort"), ("/agent/1/chats?sort=waitingSince&after=1.x", "after"),
      ("/agent/1/agents?state=ready", "state"),
    ])
  func unknownOfAgents(path: String, name: String) async throws {
    try await ServerHarness.run(options: Self.options) { server in
      let answer = try await holder(server, "anna", .agent).call("GET", path)
      #expect(answer.status == 400)
      #expect(try JSONValue(parsing: answer.body)["message"]?.string?.contains("'\(name)'") == true)
    }
  }

  @Test(
    "so does each of an operator's",
    arguments: [
      ("/admin/1/devices?user=a", "user"), ("/admin/1/devices?state=dead", "state"),
      ("/admin/1/devices?limit=501", "limit"),
      ("/admin/1/dead-letters?from=a", "from"), ("/admin/1/lanes?x=1", "x"), ("/admin/1/redactions?x=1", "x"),
      ("/admin/1/redactions?after=nobody", "after"), ("/admin/1/support/apps?x=1", "x"),
      ("/admin/1/messages/stream?from=1", "from"), ("/admin/1/senders/1/faults?x=1", "x"),
    ])
  func unknownOfOperators(path: String, name: String) async throws {
    try await ServerHarness.run(options: Self.options) { server in
      let answer = try await holder(server, "ops", .admin).call("GET", path)
      #expect(answer.status == 400)
      #expect(try JSONValue(parsing: answer.body)["message"]?.string?.contains("'\(name)'") == true)
    }
  }

  @Test("an operator's list goes on where its header says")
  func operatorsPages() async throws {
    try await ServerHarness.run(options: Self.options) { server in
      let ops = try await holder(server, "ops", .admin)
      for number in 0..<5 {
        let body = #"{"type":"fcm","identifier":"token-\#(number)"}"#
        #expect(try await ops.call("POST", "/admin/1/devices", body).status == 201)
      }
      var path: String? = "/admin/1/devices?type=fcm&limit=2"
      var sizes: [Int] = []
      while let next = path {
        let answer = try await ops.call("GET", next)
        sizes.append(try JSONValue(parsing: answer.body).array?.count ?? 0)
        path = answer.header("Link").map { String($0.dropFirst().prefix { $0 != ">" }) }
      }
      #expect(sizes == [2, 2, 1])
    }
  }

  @Test("on the routes of apps any parameter is data")
  func apps() async throws {
    try await ServerHarness.run(options: Self.options) { server in
      let app = CallbackCaller(client: try await server.connect())
      let id = try #require(try await app.json("POST", "/genesys/1/service/sales?limit=x&colour=red")["_id"]?.string)
      _ = try await app.call("POST", "/genesys/1/service/\(id)/ixn/chat")
      #expect(try await app.call("GET", "/genesys/1/service/\(id)/ixn/chat/refresh?limit=x").status == 200)
    }
  }

  // MARK: Support requests

  @Test("a ticket of another app or service is answered as if it did not exist; what an agent makes is theirs")
  func tickets() async throws {
    try await SupportRig.run { rig in
      let number = try await rig.user("guid-1").ask("Order")
      let secret = try rig.server.tokens.create(name: "sue", role: .agent, services: ["sales"])
      let sue = MessagingCaller(
        client: try await rig.server.connect(), fields: [("Authorization", "Bearer \(secret)")])
      #expect(try await sue.call("GET", "/api/v2/tickets.json").json["count"] == 0)
      #expect(try await sue.call("GET", "/api/v2/tickets/\(number).json").status == 404)
      #expect(try await sue.call("GET", "/api/v2/tickets/\(number)/comments.json").status == 404)
      #expect(
        try await sue.call("PUT", "/api/v2/tickets/\(number).json", #"{"ticket":{"status":"solved"}}"#).status == 404)
      #expect(try await sue.call("GET", "/agent/1/requests").json.array?.isEmpty == true)
      let made = try await sue.call(
        "POST", "/api/v2/tickets.json",
        #"{"ticket":{"subject":"Call","comment":{"body":"b"},"requester":{"email":"a@example.com"}}}"#)
      #expect(made.status == 201)
      let own = try #require(made.json["ticket"]?["id"]?.integer)
      #expect(try await sue.call("GET", "/api/v2/tickets/\(own).json").status == 200)
      #expect(try await sue.call("GET", "/agent/1/requests?state=own").json.array?.count == 1)
      // The app's own agents, and those of all.
      let app = try rig.server.tokens.create(name: "shopper", role: .agent, services: ["shop"])
      let shopper = MessagingCaller(
        client: try await rig.server.connect(), fields: [("Authorization", "Bearer \(app)")])
      #expect(try await shopper.call("GET", "/api/v2/tickets/\(number).json").status == 200)
      #expect(try await shopper.call("GET", "/api/v2/tickets/\(own).json").status == 404)
      #expect(try await rig.agent.call("GET", "/api/v2/tickets.json").json["count"] == 2)
      let page = try await rig.agent.call("GET", "/agent/1/requests?limit=1")
      #expect(page.json.array?.count == 1 && page.json[0]?["id"]?.integer == own)
      let rest = try await rig.agent.call("GET", "/agent/1/requests?limit=1&after=\(own)")
      #expect(rest.json.array?.count == 1 && rest.json[0]?["id"]?.integer == number)
      #expect(try await rig.agent.call("GET", "/agent/1/requests?limit=1&after=\(number)").json.array?.isEmpty == true)
    }
  }
}

@Suite("Services of tokens")
struct TokenServiceTests {
  let directory: TemporaryDirectory
  let store: TokenStore

  init() throws {
    directory = try TemporaryDirectory()
    store = try TokenStore(directory: directory.path)
  }

  @Test("are kept in order and without repetition, and shown; none means all")
  func kept() throws {
    _ = try store.create(name: "anna", role: .agent, services: ["sales", "help", "sales"])
    _ = try store.create(name: "bert", role: .bot)
    let again = try TokenStore(directory: directory.path)
    #expect(try again.list().map(\.services) == [["help", "sales"], nil])
    #expect(try again.list().map { $0.viewer.serves("sales") } == [true, true])
    #expect(try again.list().map { $0.viewer.serves("other") } == [false, true])
    #expect(try again.list().map { $0.viewer.serves(nil) } == [false, true])
  }

  @Test(
    "what is no service's name, and a role without services, are refused",
    arguments: [
      (TokenRole.agent, [""]), (.agent, ["a b"]), (.agent, [String(repeating: "x", count: 129)]),
      (.agent, (0...64).map { "s\($0)" }), (.admin, ["sales"]), (.publisher, ["sales"]),
    ])
  func refused(role: TokenRole, services: [String]) throws {
    #expect {
      try store.create(name: "anna", role: role, services: services)
    } throws: { error in
      (error as? TokenStoreError)?.code == .invalidServices
    }
    #expect(try store.list().isEmpty)
  }

  @Test("services that cannot be read do not mean all of them", arguments: ["7", "[]", "[7]", "{}", #""sales""#])
  func malformed(_ services: String) throws {
    _ = try store.create(name: "anna", role: .agent, services: ["sales"])
    let file = TokenFile(directory: directory.path)
    let text = String(decoding: TokenFile.print(try file.read()), as: UTF8.self)
    let broken = Array(text.replacing(#"["sales"]"#, with: services).utf8)
    #expect(throws: TokenStoreError.self) { try TokenFile.parse(broken, path: file.path) }
  }
}

@Suite("A chat's verbose replies, files, and pushes", .timeLimit(.minutes(5)))
struct ChatRegistrationTests {
  private func instance(_ app: CallbackCaller) async throws -> String {
    let id = try #require(try await app.json("POST", "/genesys/1/service/request-chat")["_id"]?.string)
    return "/genesys/1/service/\(id)/ixn/chat"
  }

  @Test("a chat over Comet without a user says how it is followed, and that is true")
  func follow() async throws {
    try await ServerHarness.run { server in
      let app = CallbackCaller(client: try await server.connect())
      let path = try await instance(app)
      let reply = try await app.json("POST", path, #"{"notify_by":"comet","_verbose":"true"}"#)
      let url = try #require(reply["_chatIxnAPI_COMET_URL"]?.string)
      let ext = try #require(reply["_chatIxnAPI_COMET_HANDSHAKE_EXT"]?.string)
      let handshake = try await app.call(
        "POST", url,
        #"[{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling"],"ext":\#(ext)}]"#)
      let id = try ServerHarness.clientID(in: handshake.body)
      _ = try await app.call(
        "POST", url, #"[{"channel":"/meta/subscribe","clientId":"\#(id)","subscription":"/_genesys"}]"#)
      _ = try await app.call("POST", url, server.connect(id))
      _ = try await app.call("POST", path + "/send", #"{"message":"to myself"}"#)
      #expect(try await app.call("POST", url, server.connect(id)).body.contains("to myself"))
    }
  }

  @Test("one with a user, one that polls, and one that is not asked do not say so", arguments: [0, 1, 2])
  func silent(_ kind: Int) async throws {
    try await ServerHarness.run { server in
      let app = CallbackCaller(client: try await server.connect(), headers: kind == 0 ? "gms_user: u\r\n" : "")
      let body = [
        #"{"notify_by":"comet","_verbose":"true"}"#, #"{"_verbose":"true"}"#, #"{"notify_by":"comet"}"#,
      ][kind]
      let reply = try await app.json("POST", try await instance(app), body)
      #expect(reply["chatSessionId"] != nil && reply["_chatIxnAPI_COMET_URL"] == nil)
    }
  }

  @Test("a device that nothing can be pushed to is told of in the verbose reply; the chat runs")
  func obstacle() async throws {
    try await ServerHarness.run { server in
      let app = CallbackCaller(client: try await server.connect(), headers: "gms_user: u\r\n")
      let path = try await instance(app)
      let start =
        #"{"notify_by":"comet","push_notification_type":"fcm","push_notification_deviceid":"t","_verbose":"1"}"#
      let reply = try await app.json("POST", path, start)
      #expect(reply["chatIxnState"] == "CONNECTED")
      #expect(reply["pushNotificationProblem"] == "type is not in pushEnabled")
      let later = try await app.json(
        "POST", path + "/updateData", #"{"push_notification_deviceid":"","order":"7","_verbose":"true"}"#)
      #expect(later["chatIxnState"] == "TRANSCRIPT" && later["pushNotificationProblem"] == nil)
      let wrong = try await app.call(
        "POST", path + "/updateData",
        #"{"push_notification_type":"httpcb","push_notification_deviceid":"x","order":"8"}"#)
      #expect(wrong.status == 400)
    }
  }

  @Test("a subscription that is not there is refused by its name, at the start and later")
  func subscription() async throws {
    try await ServerHarness.run { server in
      let app = CallbackCaller(client: try await server.connect(), headers: "gms_user: u\r\n")
      let path = try await instance(app)
      for (suffix, body) in [
        ("", #"{"subscriptionID":"nobody"}"#), ("", ""), ("/updateData", #"{"subscriptionID":"nobody"}"#),
      ] {
        let answer = try await app.call("POST", path + suffix, body)
        #expect(answer.status == (body.isEmpty ? 200 : 400))
        if !body.isEmpty { #expect(answer.body.contains("'subscriptionID'")) }
      }
    }
  }

  @Test(
    "a file is refused wherever it means nothing", arguments: ["", "/send", "/refresh", "/customNotice", "/updateData"])
  func file(_ suffix: String) async throws {
    try await ServerHarness.run { server in
      let app = CallbackCaller(client: try await server.connect())
      let path = try await instance(app)
      if !suffix.isEmpty { _ = try await app.call("POST", path) }
      let form =
        "--XX\r\nContent-Disposition: form-data; name=\"message\"\r\n\r\nhello\r\n"
        + "--XX\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"a.png\"\r\n\r\nx\r\n--XX--"
      let answer = try await app.call(
        "POST", path + suffix, form, headers: "Content-Type: multipart/form-data; boundary=XX\r\n")
      #expect(answer.status == 400)
      #expect(answer.body.contains("'photo'"))
    }
  }
}
