import CarillonClient
import JSONEnvelope
import Testing

extension ServerFromOutside {
  @Suite("Chat over REST", .timeLimit(.minutes(1)))
  struct RESTSurfaceTests {
    /// How a body is written.
    enum Encoding: String, CaseIterable {
      case form, json, jsonCalledForm, multipart

      func post(_ wire: Wire, _ path: String, _ fields: [(name: String, value: String)]) async throws -> WireResponse {
        var object = JSONObject()
        for field in fields { object[field.name] = .string(field.value) }
        let json = JSONValue.object(object).text
        switch self {
        case .form: return try await wire.form(path, fields)
        case .json: return try await wire.ask("POST", path, json, type: "application/json")
        case .jsonCalledForm: return try await wire.ask("POST", path, json, type: "application/x-www-form-urlencoded")
        case .multipart:
          let parts = fields.map {
            "--b0\r\nContent-Disposition: form-data; name=\"\($0.name)\"\r\n\r\n\($0.value)\r\n"
          }
          return try await wire.ask(
            "POST", path, Array((parts.joined() + "--b0--\r\n").utf8), type: "multipart/form-data; boundary=b0")
        }
      }
    }

    @Test("every operation, whatever form the bodies have", arguments: Encoding.allCases)
    func operations(_ encoding: Encoding) async throws {
      try await ServerProcess.run { server in
        let (wire, agent) = (server.wire(), server.agent())
        let created = try await encoding.post(
          wire, "/genesys/1/service/request-chat", [(name: "_verbose", value: "true"), (name: "plan", value: "gold")])
        #expect(created.status == 200)
        let serviceID = try #require(created.json["_id"]?.string)
        #expect(created.json["_chatIxnAPI-CREATE-URL"] == .string(Wire.chat(serviceID)))
        func ask(_ suffix: String, _ fields: [(name: String, value: String)] = []) async throws -> JSONValue {
          let response = try await encoding.post(wire, Wire.chat(serviceID, suffix), fields)
          #expect(response.status == 200, "\(suffix): \(response.text)")
          return response.json
        }
        let started = try await ask(
          "",
          [
            (name: "firstName", value: "Zoë"), (name: "lastName", value: "Ø & Co"),
            (name: "message", value: "a+b = 50 %"),
          ])
        #expect(started["chatIxnState"] == "CONNECTED" && started["transcriptPosition"] == "2")
        #expect(
          started["transcriptToShow"]?.array?.compactMap { $0[1]?.string } == ["Zoë Ø & Co", "Zoë Ø & Co"])
        #expect(started["transcriptToShow"]?[1]?[2] == "a+b = 50 %")
        let chatID = try #require(started["chatSessionId"]?.string)

        #expect(try await ask("/send", [(name: "message", value: "zwei <b>")])["transcriptPosition"] == "3")
        #expect(try await ask("/startTyping", [(name: "message", value: "dr")])["transcriptPosition"] == "4")
        #expect(try await ask("/stopTyping")["transcriptPosition"] == "5")
        #expect(try await ask("/customNotice", [(name: "message", value: "reads")])["transcriptPosition"] == "6")
        #expect(
          try await ask("/pushUrl", [(name: "pushUrl", value: "https://a.test/?x=1&y=2")])["transcriptPosition"] == "7")
        _ = try await ask("/updateData", [(name: "plan", value: ""), (name: "city", value: "Köln")])
        let all = try await ask("/refresh", [(name: "transcriptPosition", value: "0")])
        #expect(all["chatIxnState"] == "TRANSCRIPT" && all["transcriptPosition"] == "7")
        #expect(
          all["transcriptToShow"]?.array?.compactMap { $0[0]?.string } == [
            "Notice.Joined", "Message.Text", "Message.Text", "Notice.TypingStarted", "Notice.TypingStopped",
            "Notice.Custom", "Notice.PushUrl",
          ])
        #expect(
          all["transcriptToShow"]?.array?.compactMap { $0[2]?.string } == [
            "has joined the session", "a+b = 50 %", "zwei <b>", "is typing", "stopped typing", "reads",
            "https://a.test/?x=1&y=2",
          ])
        let data = try #require(try await agent.get("/agent/1/chats/\(chatID)").json["data"])
        #expect(data["city"] == "Köln" && data["plan"] == nil, "\(data)")

        let ended = try await ask("/disconnect")
        #expect(ended["chatIxnState"] == "DISCONNECTED")
        #expect(ended["transcriptToShow"]?.array?.last?[0] == "Notice.Left")
        #expect(try await ask("/disconnect")["chatIxnState"] == "DISCONNECTED")
        #expect(try await ask("/refresh")["chatIxnState"] == "DISCONNECTED")
        for suffix in ["/send", "/startTyping", "/customNotice", "/pushUrl", "/updateData"] {
          let refused = try await encoding.post(
            wire, Wire.chat(serviceID, suffix), [(name: "message", value: "https://x.test")])
          #expect(refused.status == 400, "\(suffix)")
        }
      }
    }

    @Test("polling: refresh gives what is new, also by GET, by query string and with a message of its own")
    func polling() async throws {
      try await ServerProcess.run { server in
        let (wire, agent) = (server.wire(), server.agent())
        let (serviceID, started) = try await wire.startChat([(name: "userDisplayName", value: "Guest 7")])
        let chatID = try #require(started["chatSessionId"]?.string)
        try await agent.agent("join", chatID, ["nickname": "Agent K"])
        try await agent.agent("messages", chatID, ["text": "Hello"])
        func texts(_ response: WireResponse) -> [String] {
          response.json["transcriptToShow"]?.array?.compactMap { $0[2]?.string } ?? ["?"]
        }
        let refresh = Wire.chat(serviceID, "/refresh")
        #expect(texts(try await wire.form(refresh)) == ["has joined the session", "Hello"])
        #expect(texts(try await wire.form(refresh)).isEmpty)
        #expect(texts(try await wire.json(refresh + "?transcriptPosition=2", [:])) == ["Hello"])
        #expect(texts(try await wire.get(refresh + "?transcriptPosition=2")) == ["Hello"])
        #expect(
          texts(
            try await wire.form(refresh, [(name: "transcriptPosition", value: "3"), (name: "message", value: "Hi")]))
            == ["Hi"])
        #expect(
          try await wire.form(refresh, [(name: "transcriptPosition", value: "99")]).json["transcriptPosition"] == "4")
        try await agent.agent("close", chatID)
        let ended = try await wire.form(refresh)
        #expect(ended.json["chatIxnState"] == "DISCONNECTED" && texts(ended) == ["has left the session"])
      }
    }

    @Test("verbose replies bear the members that old clients read")
    func verbose() async throws {
      try await ServerProcess.run { server in
        let wire = server.wire()
        let (serviceID, reply) = try await wire.startChat([
          (name: "_verbose", value: "true"), (name: "clientTimeZoneOffset", value: "-60"),
        ])
        let path = Wire.chat(serviceID)
        for (name, value) in [
          ("checkChatServiceLoadBalancerPath", ""), ("chatServerLoadBalancerAlias", "1"),
          ("chatServerHost", "localhost"),
          ("chatWebApiPort", String(server.port)), ("isTLSrequired", "false"), ("clientTimeZoneOffset", "-60"),
          ("_chatIxnAPI_SEND_URL", path + "/send"), ("_chatIxnAPI_REFRESH_URL", path + "/refresh"),
          ("_chatIxnAPI_REFRESH_FROM_START_URL", path + "/refresh?transcriptPosition=0"),
          ("_chatIxnAPI_START_TYPING_URL", path + "/startTyping"),
          ("_chatIxnAPI_STOP_TYPING_URL", path + "/stopTyping"),
          ("_chatIxnAPI_DISCONNECT_URL", path + "/disconnect"),
        ] {
          #expect(reply[name] == .string(value), "\(name)")
        }
        #expect(reply["userId"]?.string?.isEmpty == false && reply["secureKey"]?.string?.isEmpty == false)
        let plain = try await wire.form(path + "/refresh").json
        #expect(plain["secureKey"] == nil && plain["chatWebApiPort"] == nil)
      }
    }

    @Test("refusals: status, message and exception, each with its own")
    func refusals() async throws {
      try await ServerProcess.run { server in
        let wire = server.wire()
        let (live, _) = try await wire.startChat([])
        let fresh = try #require(try await wire.form("/genesys/1/service/request-chat").json["_id"]?.string)
        let cases: [(String, String, String?, Int)] = [
          ("/genesys/1/service/no-such-service", "", nil, 404),
          (Wire.chat("412-0b7c6e1e-52a4-4d55-9a3d-3f1d1c0a77e2", "/send"), "message=x", nil, 404),
          (Wire.chat(live, "/explode"), "", nil, 404),
          (Wire.chat(live, "/send"), "", nil, 400), (Wire.chat(live, "/send"), "message=", nil, 400),
          (Wire.chat(live, "/customNotice"), "", nil, 400), (Wire.chat(live, "/pushUrl"), "", nil, 400),
          (Wire.chat(fresh, "/send"), "message=x", nil, 400),
          (Wire.chat(live), "", nil, 409),
          (Wire.chat(live, "/send"), "<message>x</message>", "text/xml", 415),
          (Wire.chat(live, "/send"), "{\"message\":", "application/json", 400),
          (Wire.chat(live, "/send"), "message=%FF", nil, 400),
        ]
        for (path, body, type, status) in cases {
          let response = try await wire.ask(
            "POST", path, Array(body.utf8), type: type ?? "application/x-www-form-urlencoded")
          #expect(response.status == status, "\(path) \(body): \(response.text)")
          #expect(response.header("Content-Type") == "application/json;charset=UTF-8")
          #expect(response.json["message"]?.string?.isEmpty == false)
          #expect(response.json["exception"]?.string?.isEmpty == false)
          #expect(response.json["code"] == .integer(Int64(status)))
        }
        let missing = try await wire.form(Wire.chat(live, "/send")).json
        #expect(
          missing["phrase"] == "BAD_PARAMETER" && missing["message"] == "Mandatory parameter 'message' is missing")
      }
    }

    @Test("the server's credentials open everything, a service's own replace them there")
    func credentials() async throws {
      let options: ServerOptions = [
        "server": ["username": "app", "password": "secret"],
        "service.vip": ["_service": "request-chat", "username": "vip", "password": "gold"],
      ]
      try await ServerProcess.run(options) { server in
        let wire = server.wire()
        let (app, vip) = ("Basic YXBwOnNlY3JldA==", "Basic dmlwOmdvbGQ=")
        for (path, header, status) in [
          ("/genesys/1/service/request-chat", nil, 401), ("/genesys/1/service/request-chat", vip, 401),
          ("/genesys/1/service/request-chat", app, 200), ("/genesys/1/service/vip", app, 401),
          ("/genesys/1/service/vip", vip, 200), ("/genesys/cometd", nil, 401), ("/genesys/cometd", vip, 401),
        ] as [(String, String?, Int)] {
          let response = try await wire.ask(
            "POST", path, type: "application/json", headers: header.map { [("Authorization", $0)] } ?? [])
          #expect(response.status == status, "\(path) with \(header ?? "nothing")")
          if status == 401 { #expect(response.header("WWW-Authenticate") == "Basic realm=\"genesys\"") }
        }
      }
    }

    @Test("a browser's preflight is answered, and the origin echoed")
    func preflight() async throws {
      try await ServerProcess.run(["server": ["allowed_origins": "https://shop.test"]]) { server in
        let response = try await server.wire().ask(
          "OPTIONS", "/genesys/cometd",
          headers: [
            ("Origin", "https://shop.test"), ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", "gms_user, content-type"),
          ])
        #expect((200...204).contains(response.status))
        #expect(response.header("Access-Control-Allow-Origin") == "https://shop.test")
        #expect(response.header("Access-Control-Allow-Credentials") == "true")
        #expect(response.header("Access-Control-Allow-Headers")?.lowercased().contains("gms_user") == true)
        #expect(response.header("Access-Control-Allow-Methods")?.contains("POST") == true)
      }
    }
  }
}
