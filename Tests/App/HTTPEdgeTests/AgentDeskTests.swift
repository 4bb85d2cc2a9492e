import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("The agents' desk over HTTP", .timeLimit(.minutes(5)))
struct AgentDeskTests {
  private static let options: [String: [String: String]] = [
    "service.sales": ["_type": "builtin"], "service.help": ["_type": "builtin"],
  ]

  private struct Desk {
    let server: ServerHarness
    let app: CallbackCaller
    /// The customer's path.
    let own: String
    let chat: String

    var path: String { "/agent/1/chats/\(chat)" }

    func holder(_ name: String, _ role: TokenRole, _ services: [String] = []) async throws -> CallbackCaller {
      let secret = try server.tokens.create(name: name, role: role, services: services)
      return CallbackCaller(client: try await server.connect(), headers: "Authorization: Bearer \(secret)\r\n")
    }
  }

  private func withDesk(_ body: (Desk) async throws -> Void) async throws {
    try await ServerHarness.run(options: Self.options) { server in
      let app = CallbackCaller(client: try await server.connect())
      let id = try #require(try await app.json("POST", "/genesys/1/service/sales")["_id"]?.string)
      let own = "/genesys/1/service/\(id)/ixn/chat"
      let chat = try #require(try await app.json("POST", own, #"{"nickname":"Guest"}"#)["chatSessionId"]?.string)
      try await body(Desk(server: server, app: app, own: own, chat: chat))
    }
  }

  @Test("a list shows who waits, what was said last and what is unread; what is read is unread no more")
  func summaries() async throws {
    try await withDesk { desk in
      let anna = try await desk.holder("anna", .agent, ["sales"])
      _ = try await anna.call("POST", desk.path + "/join", #"{"nickname":"Anna"}"#)
      _ = try await desk.app.call("POST", desk.own + "/send", #"{"message":"Hello"}"#)
      let answer = try await anna.call("GET", "/agent/1/chats?state=own&phase=foreground&sort=waitingSince")
      let chat = try #require(try JSONValue(parsing: answer.body)[0])
      #expect(chat["lastLine"]?["text"] == "Hello" && chat["lastLine"]?["position"] == 3)
      #expect(chat["unread"] == 1 && chat["waitingSince"]?.string != nil && chat["phase"] == "foreground")
      #expect(chat["pushes"] == ["owed": 0, "last": .null] && chat["endedAt"]?.isNull == true)
      #expect(chat["wrapUp"]?.isNull == true)
      let all = try await anna.call("GET", "/agent/1/chats")
      #expect(all.header("X-Total-Count") == "1")
      #expect(try await anna.json("POST", desk.path + "/read", #"{"position":99}"#) == ["position": 3])
      #expect(try await anna.json("POST", desk.path + "/read", #"{"position":1}"#) == ["position": 3])
      #expect(try await anna.json("GET", desk.path)["unread"] == 0)
      let boss = try await desk.holder("boss", .supervisor)
      #expect(try await boss.json("GET", desk.path)["unread"] == 1)
    }
  }

  @Test("a supervisor looks and whispers, agents take notes, and the customer has no trace of it")
  func privately() async throws {
    try await withDesk { desk in
      let (anna, boss) = (
        try await desk.holder("anna", .agent, ["sales"]), try await desk.holder("boss", .supervisor)
      )
      _ = try await anna.call("POST", desk.path + "/join", #"{"nickname":"Anna"}"#)
      _ = try await boss.call("GET", desk.path + "/transcript")
      _ = try await boss.call("POST", desk.path + "/read", #"{"position":2}"#)
      #expect(try await boss.json("POST", desk.path + "/whisper", #"{"text":"Be kind"}"#) == ["position": .null])
      #expect(try await anna.json("POST", desk.path + "/private", #"{"text":"Difficult"}"#) == ["position": .null])
      #expect(try await anna.call("POST", desk.path + "/whisper", #"{"text":"x"}"#).status == 403)
      #expect(try await boss.call("POST", desk.path + "/private", #"{"text":"x"}"#).status == 403)
      let lines = try #require(try await anna.json("GET", desk.path + "/transcript?after=2")["lines"]?.array)
      #expect(lines.map { $0["text"] } == ["Be kind", "Difficult"])
      #expect(
        lines.map { $0["role"] } == ["SUPERVISOR", "AGENT"] && lines.map { $0["visibility"] } == ["agent", "agent"])
      let seen = try await desk.app.call("GET", desk.own + "/refresh?transcriptPosition=0").body
      #expect(!seen.contains("Be kind") && !seen.contains("Difficult") && !seen.contains("boss"))
      #expect(seen.contains(#""transcriptPosition":"2""#))
    }
  }

  @Test("who is invited finds the chat and joins; a transfer hands it to others; a supervisor takes it over")
  func passingOn() async throws {
    try await withDesk { desk in
      let (anna, bert) = (
        try await desk.holder("anna", .agent, ["sales"]), try await desk.holder("bert", .agent, ["help"])
      )
      let boss = try await desk.holder("boss", .supervisor)
      _ = try await desk.holder("ops", .admin)
      _ = try await anna.call("POST", desk.path + "/join", #"{"nickname":"Anna"}"#)
      for (member, name) in [
        (#"{}"#, "agentId"), (#"{"agentId":"nobody"}"#, "agentId"), (#"{"agentId":"ops"}"#, "agentId"),
        (#"{"agentId":7}"#, "agentId"), (#"{"agentId":null}"#, "agentId"), (#"{"agentId":"anna"}"#, "agentId"),
      ] {
        let answer = try await anna.call("POST", desk.path + "/invite", member)
        #expect(answer.status == 400 && answer.body.contains("'\(name)'"), "\(member)")
      }
      #expect(try await anna.call("POST", desk.path + "/invite", #"{"agentId":"bert"}"#).status == 200)
      #expect(try await bert.json("GET", "/agent/1/chats?state=waiting")[0]?["chatId"]?.string == desk.chat)
      #expect(try await bert.call("GET", desk.path + "/transcript").status == 200)
      #expect(try await bert.json("POST", desk.path + "/join", #"{"nickname":"Bert"}"#) == ["position": 3])
      #expect(try await anna.call("POST", desk.path + "/invite", #"{"agentId":"bert"}"#).status == 409)
      for (body, name) in [
        (#"{"agentId":"bert","service":"help"}"#, "service"), (#"{"service":"nowhere"}"#, "service"),
        (#"{"service":7}"#, "service"), ("{}", "agentId"),
      ] {
        let answer = try await anna.call("POST", desk.path + "/transfer", body)
        #expect(answer.status == 400 && answer.body.contains("'\(name)'"), "\(body)")
      }
      #expect(try await bert.call("POST", desk.path + "/leave").status == 200)
      #expect(try await bert.call("GET", desk.path).status == 404)
      #expect(try await anna.json("POST", desk.path + "/transfer", #"{"service":"help"}"#) == ["position": 5])
      #expect(try await anna.call("GET", desk.path).status == 404)
      #expect(try await bert.json("GET", "/agent/1/chats?state=waiting&service=help")[0]?["service"] == "help")
      #expect(try await bert.call("POST", desk.path + "/join", #"{"nickname":"Bert"}"#).status == 200)
      #expect(try await bert.call("POST", desk.path + "/takeover", #"{"nickname":"B"}"#).status == 403)
      #expect(try await boss.json("POST", desk.path + "/takeover", #"{"nickname":"Boss"}"#) == ["position": 8])
      #expect(try await boss.json("GET", desk.path)["agents"]?.array?.map { $0["agentId"] } == ["boss"])
      #expect(try await bert.call("POST", desk.path + "/messages", #"{"text":"x"}"#).status == 404)
      // The customer's key to it is what it was.
      #expect(try await desk.app.call("GET", desk.own + "/refresh").status == 200)
    }
  }

  @Test("whoever was in the chat wraps it up, also afterwards; the customer never sees it")
  func wrapUp() async throws {
    try await withDesk { desk in
      let (anna, cleo) = (try await desk.holder("anna", .agent), try await desk.holder("cleo", .agent))
      _ = try await anna.call("POST", desk.path + "/join", #"{"nickname":"Anna"}"#)
      _ = try await anna.call("POST", desk.path + "/close")
      let path = desk.path + "/wrapup"
      for (body, name) in [
        ("{}", "disposition"), (#"{"disposition":""}"#, "disposition"), (#"{"disposition":null}"#, "disposition"),
        (#"{"disposition":"x","tags":"y"}"#, "tags"), (#"{"disposition":"x","tags":[""]}"#, "tags"),
        (#"{"disposition":"x","note":1}"#, "note"),
      ] {
        let answer = try await anna.call("POST", path, body)
        #expect(answer.status == 400 && answer.body.contains("'\(name)'"), "\(body)")
      }
      let body = #"{"disposition":"sold","note":"call back","tags":["vip"]}"#
      #expect(try await cleo.call("POST", path, body).status == 404)
      #expect(try await anna.call("POST", path, body).status == 200)
      let wrapUp = try #require(try await anna.json("GET", desk.path)["wrapUp"])
      #expect(wrapUp["agentId"] == "anna" && wrapUp["disposition"] == "sold" && wrapUp["tags"] == ["vip"])
      #expect(try await !desk.app.call("GET", desk.own + "/refresh?transcriptPosition=0").body.contains("sold"))
    }
  }

  @Test("a transcript comes in pages, and says where it goes on")
  func pages() async throws {
    try await withDesk { desk in
      let anna = try await desk.holder("anna", .agent)
      _ = try await anna.call("POST", desk.path + "/join", #"{"nickname":"Anna"}"#)
      for number in 0..<5 {
        _ = try await anna.call("POST", desk.path + "/messages", #"{"text":"\#(number)"}"#)
        _ = try await anna.call("POST", desk.path + "/private", #"{"text":"p\#(number)"}"#)
      }
      let whole = try #require(try await anna.json("GET", desk.path + "/transcript")["lines"]?.array)
      #expect(whole.count == 12)
      for (start, isBackwards) in [("limit=2", false), ("before=100&limit=3", true)] {
        var path: String? = desk.path + "/transcript?" + start
        var lines: [JSONValue] = []
        while let next = path {
          let answer = try await anna.call("GET", next)
          let page = try JSONValue(parsing: answer.body)["lines"]?.array ?? []
          lines = isBackwards ? page + lines : lines + page
          path = answer.header("Link").map { String($0.dropFirst().prefix { $0 != ">" }) }
        }
        #expect(lines == whole, "\(start)")
      }
      for (query, name) in [
        ("limit=0", "limit"), ("limit=1001", "limit"), ("before=0", "before"), ("before=x", "before"),
        ("after=-1", "after"), ("after=1&before=3", "before"), ("upto=3", "upto"),
      ] {
        let answer = try await anna.call("GET", desk.path + "/transcript?" + query)
        #expect(answer.status == 400 && answer.body.contains("'\(name)'"), "\(query)")
      }
    }
  }

  @Test("a customer is what one sees of them, with devices masked, and nothing to those who see nothing")
  func customers() async throws {
    try await withDesk { desk in
      let app = CallbackCaller(client: try await desk.server.connect(), headers: "gms_user: user-0815\r\n")
      for (service, order) in [("sales", "1"), ("help", "2")] {
        let id = try #require(try await app.json("POST", "/genesys/1/service/\(service)")["_id"]?.string)
        let start = """
          {"nickname":"Guest \(order)","order":"\(order)","\(service)":"yes","push_notification_type":"fcm",\
          "push_notification_deviceid":"fcm-token-number-1234"}
          """
        #expect(try await app.call("POST", "/genesys/1/service/\(id)/ixn/chat", start).status == 200)
      }
      let (anna, boss) = (
        try await desk.holder("anna", .agent, ["sales"]), try await desk.holder("boss", .supervisor)
      )
      let path = "/agent/1/customers/user-0815"
      let seen = try await anna.json("GET", path)
      #expect(seen["key"] == "user-0815" && seen["name"] == "Guest 1")
      #expect(seen["data"]?["order"] == "1" && seen["data"]?["help"] == nil)
      #expect(seen["chats"]?.array?.count == 1 && seen["callbacks"] == [] && seen["requests"] == [])
      #expect(seen["devices"]?[0]?["device"] == "…1234" && seen["devices"]?[0]?["type"] == "fcm")
      let all = try await boss.json("GET", path)
      #expect(all["chats"]?.array?.count == 2 && all["chats"]?[0]?["customer"]?.string == all["name"]?.string)
      let chat = try #require(seen["chats"]?[0]?["chatId"]?.string)
      #expect(try await anna.call("POST", "/agent/1/chats/\(chat)/join", #"{"nickname":"Anna"}"#).status == 200)
      #expect(try await anna.call("POST", "/agent/1/chats/\(chat)/request", "{}").status == 201)
      #expect(try await anna.json("GET", path)["requests"]?.array?.count == 1)
      let stranger = try await desk.holder("stranger", .agent, ["other"])
      #expect(try await stranger.call("GET", path).status == 404)
      #expect(try await anna.call("GET", "/agent/1/customers/nobody").status == 404)
      #expect(try await desk.holder("ops", .admin).call("GET", path).status == 403)
      // Keys are the app's: addresses, names, whatever it has; the path has them encoded.
      let others = CallbackCaller(client: try await desk.server.connect(), headers: "gms_user: erika m/50%@b.c\r\n")
      let id = try #require(try await others.json("POST", "/genesys/1/service/sales")["_id"]?.string)
      let start = #"{"nickname":"Erika"}"#
      #expect(try await others.call("POST", "/genesys/1/service/\(id)/ixn/chat", start).status == 200)
      let erika = try await boss.json("GET", "/agent/1/customers/erika%20m%2F50%25%40b.c")
      #expect(erika["key"] == "erika m/50%@b.c" && erika["name"] == "Erika")
      #expect(try await boss.call("GET", "/agent/1/customers/erika%2").status == 404)
    }
  }

  @Test("agents are shown to those who have a service in common with them, and to supervisors")
  func colleagues() async throws {
    try await withDesk { desk in
      let anna = try await desk.holder("anna", .agent, ["sales"])
      let bert = try await desk.holder("bert", .agent, ["help"])
      let boss = try await desk.holder("boss", .supervisor, ["help"])
      let ops = try await desk.holder("ops", .admin)
      _ = try await desk.holder("cleo", .agent)
      #expect(try await ops.call("GET", "/agent/1/agents").status == 403)
      func names(_ caller: CallbackCaller) async throws -> [String] {
        (try await caller.json("GET", "/agent/1/agents").array ?? []).compactMap { $0["agentId"]?.string }
      }
      #expect(try await names(anna) == ["anna", "cleo"])
      #expect(try await names(bert) == ["bert", "boss", "cleo"])
      #expect(try await names(boss) == ["anna", "bert", "boss", "cleo"])
      _ = try await anna.call("PUT", "/agent/1/me", #"{"ready":true}"#)
      _ = try await anna.call("POST", desk.path + "/join", #"{"nickname":"Anna"}"#)
      #expect(
        try await anna.json("GET", "/agent/1/agents")[0] == [
          "agentId": "anna", "role": "AGENT", "ready": true, "presence": "away", "chats": 1, "capacity": 4,
          "services": ["sales"],
        ])
      let stream = try await desk.server.connect()
      let secret = try desk.server.tokens.create(name: "dora", role: .agent, services: ["sales"])
      try await stream.get("/agent/1/events", headers: "Authorization: Bearer \(secret)\r\n")
      _ = try await stream.response(withoutBody: true)
      #expect(try await anna.json("GET", "/agent/1/agents?after=cleo")[0]?["presence"] == "online")
      await stream.close()
      // Pages are loaded anew: who has just gone is still there.
      #expect(try await anna.json("GET", "/agent/1/agents?after=cleo")[0]?["presence"] == "online")
    }
  }
}
