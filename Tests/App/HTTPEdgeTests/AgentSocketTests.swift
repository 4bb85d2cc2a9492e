import ChatAPI
import JSONEnvelope
import ServiceLifecycle
import Testing

@testable import HTTPEdge
@testable import ServerKit

@Suite("Agents' socket", .timeLimit(.minutes(5)))
struct AgentSocketTests {
  // MARK: What is done

  @Test("an agent takes a waiting chat, talks, and closes it, and hears of it on the same socket")
  func life() async throws {
    try await DeskRig.run { desk in
      let socket = try await desk.socket(try desk.token("anna"))
      let chat = try await desk.chat()
      let waiting = try await socket.event("waiting")
      #expect(waiting["data"]?["chatId"]?.string == chat)
      func ask(_ id: Int, _ members: String) async throws -> JSONValue {
        let answer = try await socket.ask(#"{"id":"\#(id)","chat":"\#(chat)",\#(members)}"#)
        #expect(answer["id"]?.string == "\(id)")
        return answer["ok"] ?? answer
      }
      #expect(try await ask(1, #""do":"join","nickname":"Agent K""#) == ["position": 2])
      #expect(try await ask(2, #""do":"send","text":"Hello""#) == ["position": 3])
      #expect(try await ask(3, #""do":"typing","started":true"#) == ["position": 4])
      #expect(try await ask(4, #""do":"pushurl","url":"https://a.test""#) == ["position": 5])
      #expect(try await ask(5, #""do":"notice","text":"n""#) == ["position": 6])
      #expect(
        try await ask(6, #""do":"ready","ready":true"#) == ["agentId": "anna", "role": "AGENT", "ready": true])
      #expect(try await ask(7, #""do":"me""#)["ready"] == true)
      var line = try await socket.event("line")
      while line["data"]?["text"] != "Hello" { line = try await socket.event("line") }
      #expect(line["data"]?["position"] == 3)
      #expect((line["number"]?.integer ?? 0) > (waiting["number"]?.integer ?? 0))
      #expect(try await ask(8, #""do":"close""#)["position"] != nil)
      #expect(try await socket.event("ended")["data"]?["chatId"]?.string == chat)
    }
  }

  @Test("two sends of one id are one message; another one of that id is refused")
  func repeated() async throws {
    try await DeskRig.run { desk in
      let token = try desk.token("anna")
      let socket = try await desk.socket(token)
      let chat = try await desk.chat()
      _ = try await socket.ask(#"{"id":"1","do":"join","chat":"\#(chat)","nickname":"K"}"#)
      let send = #"{"id":"2","do":"send","chat":"\#(chat)","text":"Hello"}"#
      try await socket.say(send)
      try await socket.say(send)
      let first = try await socket.answer()
      let second = try await socket.answer()
      #expect(first == second && first["ok"]?["position"] == 3)
      let other = try await socket.ask(#"{"id":"2","do":"send","chat":"\#(chat)","text":"Bye"}"#)
      #expect(other["status"] == 409)
      let lines = try await desk.requests(token).json("GET", "/agent/1/chats/\(chat)/transcript")["lines"]
      #expect(
        lines?.array?.map { $0["text"]?.string } == ["has joined the session", "has joined the session", "Hello"])
    }
  }

  @Test("many requests at once are all answered, those of each chat in their order")
  func many() async throws {
    try await DeskRig.run { desk in
      let socket = try await desk.socket(try desk.token("anna"))
      let chats = [try await desk.chat(), try await desk.chat(), try await desk.chat()]
      for chat in chats { _ = try await socket.ask(#"{"id":"\#(chat)","do":"join","chat":"\#(chat)","nickname":"K"}"#) }
      let count = 100
      for number in 0..<count {
        for (place, chat) in chats.enumerated() {
          try await socket.say(#"{"id":"\#(place)-\#(number)","do":"send","chat":"\#(chat)","text":"\#(number)"}"#)
        }
      }
      var positions: [[Int]] = [[], [], []]
      for _ in 0..<count * chats.count {
        let answer = try await socket.answer()
        let place = try #require(answer["id"]?.string?.first?.wholeNumberValue)
        #expect(answer["id"]?.string == "\(place)-\(positions[place].count)")
        positions[place].append(try #require(answer["ok"]?["position"]?.integer))
      }
      for found in positions { #expect(found == Array(3..<3 + count)) }
    }
  }

  @Test("a socket that comes back hears what came behind the number that it names, or that something is missing")
  func resumed() async throws {
    try await DeskRig.run { desk in
      let token = try desk.token("anna")
      let first = try await desk.socket(token)
      let chats = [try await desk.chat(), try await desk.chat()]
      let number = try #require(try await first.event("waiting")["number"]?.integer)
      _ = try await first.event("waiting")
      await first.client.close()
      let second = try await desk.socket(token, query: "?after=\(number)")
      #expect(try await second.event("waiting")["data"]?["chatId"]?.string == chats[1])
      let lost = try await desk.socket(token, query: "?after=1")
      let reset = try await lost.event("reset")
      #expect(reset["data"] == [:])
    }
  }

  // MARK: Who may

  @Test("a page logs in by its first message")
  func login() async throws {
    try await DeskRig.run { desk in
      let token = try desk.token("anna")
      let socket = try await desk.socket(nil)
      let early = try await socket.ask(#"{"id":"1","do":"me"}"#)
      #expect(early["status"] == 401 && early["error"]?["message"] == "A valid access token is required")
      let answer = try await socket.ask(#"{"id":"2","do":"login","token":"\#(token)"}"#)
      #expect(answer == ["id": "2", "ok": ["agentId": "anna", "role": "AGENT", "ready": false]])
      _ = try await desk.chat()
      _ = try await socket.event("waiting")
    }
  }

  @Test(
    "a login that is none ends the socket",
    arguments: [(#""token":"car_x""#, 401), (#""token":7"#, 400), (#""role":"agent""#, 400), ("OPERATOR", 403)])
  func wrongLogin(_ member: String, _ status: Int) async throws {
    try await DeskRig.run { desk in
      let socket = try await desk.socket(nil)
      let member = member == "OPERATOR" ? #""token":"\#(try desk.token("ops", .admin))""# : member
      let answer = try await socket.ask(#"{"id":"1","do":"login",\#(member)}"#)
      #expect(answer["status"]?.integer == status)
      #expect(try await socket.closeCode() == 1008)
    }
  }

  @Test("a request that gets no socket is refused as HTTP")
  func handshake() async throws {
    try await DeskRig.run(origins: .listed(["https://shop.test"])) { desk in
      let good = "Authorization: Bearer \(try desk.token("anna"))\r\n"
      let upgrade = AgentSocketCaller.upgrade
      let cases: [(query: String, headers: String, status: Int)] = [
        ("", good, 400), ("", upgrade + "Authorization: Bearer car_x\r\n", 401),
        ("", upgrade + "Authorization: Basic YTpi\r\n", 401),
        ("", upgrade + "Authorization: Bearer \(try desk.token("ops", .admin))\r\n", 403),
        ("?after=x", upgrade + good, 400), ("?after=-1", upgrade + good, 400), ("?since=1", upgrade + good, 400),
        ("?after=1&after=2", upgrade + good, 400), ("?after=1", upgrade + good, 101),
        ("", upgrade.replacing("13", with: "8") + good, 426),
        // Pages of other origins have no part in agents' routes, also where customers' have one in theirs.
        ("", upgrade + good + "Origin: https://shop.test\r\n", 403),
        ("", upgrade + good + "Origin: https://evil.test\r\n", 403),
        ("", upgrade + good + "Origin: http://localhost\r\n", 101),
      ]
      for (query, headers, status) in cases {
        let client = try await desk.server.connect()
        try await client.get("/agent/1/socket\(query)", headers: headers)
        let response = try await client.response()
        #expect(response.status == status, "\(query) \(headers)")
        #expect(response.header("Access-Control-Allow-Origin") == nil)
        await client.close()
      }
    }
  }

  @Test("a token that is revoked while its socket is open ends it, though nobody says a word")
  func revoked() async throws {
    let limits = AgentSocketLimits()
    #expect(LoopResidents.ticks(limits.checkInterval) * LoopResidents.tickMilliseconds < 1_000)
    try await DeskRig.run { desk in
      let socket = try await desk.socket(try desk.token("anna"))
      try desk.server.tokens.revoke("anna")
      let farewell = try await socket.answer()
      #expect(farewell["id"]?.isNull == true && farewell["status"] == 401)
      #expect(try await socket.closeCode() == 1008)
    }
  }

  @Test("a request after the revocation is refused by it, and not done")
  func revokedRequest() async throws {
    try await DeskRig.run { desk in
      let socket = try await desk.socket(try desk.token("anna"))
      let chat = try await desk.chat()
      _ = try await socket.ask(#"{"id":"1","do":"join","chat":"\#(chat)","nickname":"K"}"#)
      try desk.server.tokens.revoke("anna")
      let refusal = try await socket.ask(#"{"id":"2","do":"send","chat":"\#(chat)","text":"late"}"#)
      #expect(refusal["status"] == 401)
      #expect(try await socket.closeCode() == 1008)
      let boss = try await desk.requests(try desk.token("boss", .supervisor))
      #expect(try await boss.json("GET", "/agent/1/chats/\(chat)")["position"] == 2)
    }
  }

  // MARK: Bounds

  @Test("what a client must not send closes the socket with its code")
  func violations() async throws {
    var limits = ServerHarness.patientLimits
    limits.webSocketMessageBytesMaximum = 1_000
    try await DeskRig.run(limits: limits) { desk in
      let token = try desk.token("anna")
      let cases: [([UInt8], Int)] = [
        (AgentSocketCaller.frame(1, Array(repeating: 32, count: 1_001)), 1009), (AgentSocketCaller.frame(2, [1]), 1003),
        (AgentSocketCaller.frame(1, [0x7B, 0xFF, 0x7D]), 1007),
        (AgentSocketCaller.frame(1, [0x7B, 0x7D], isMasked: false), 1002), (AgentSocketCaller.frame(3, []), 1002),
        (AgentSocketCaller.frame(8, [3, 232]), 1000),
      ]
      for (bytes, code) in cases {
        let socket = try await desk.socket(token)
        try await socket.client.write(bytes)
        #expect(try await socket.closeCode() == code, "\(bytes.prefix(8))")
        await socket.client.close()
      }
    }
  }

  @Test("what is no JSON is refused with the reason, and the socket stays")
  func malformed() async throws {
    try await DeskRig.run { desk in
      let socket = try await desk.socket(try desk.token("anna"))
      let refusal = try await socket.ask("{")
      #expect(refusal["id"]?.isNull == true && refusal["status"] == 400)
      #expect(refusal["error"]?["message"]?.string?.hasPrefix("The body is not a JSON object") == true)
      #expect(try await socket.ask(#"{"id":"1","do":"me"}"#)["ok"] != nil)
    }
  }

  @Test("a client that does not read is cut at its bound")
  func slowReader() async throws {
    var limits = ServerHarness.patientLimits
    limits.webSocketBacklogBytesMaximum = 16_384
    try await DeskRig.run(limits: limits) { desk in
      let socket = try await desk.socket(try desk.token("anna"))
      try await socket.client.stopReading()
      let pings = [[UInt8]](repeating: AgentSocketCaller.frame(9, Array(repeating: 7, count: 125)), count: 500)
      let burst = Array(pings.joined())
      await #expect(throws: (any Error).self) {
        while true { try await socket.client.write(burst) }
      }
      try await until { desk.server.server.connectionCount == 0 }
    }
  }

  @Test("a silent client is pinged, and dropped if it stays silent")
  func silence() async throws {
    var limits = ServerHarness.patientLimits
    limits.webSocketPingInterval = .milliseconds(10)
    try await DeskRig.run(limits: limits) { desk in
      let socket = try await desk.socket(try desk.token("anna"))
      #expect(try await socket.next().opcode == 9)
      try await socket.client.closure()
    }
  }

  @Test("a stop is close code 1001")
  func stopping() async throws {
    try await DeskRig.run { desk in
      let socket = try await desk.socket(try desk.token("anna"))
      let page = try await desk.socket(nil)
      await desk.server.services.triggerGracefulShutdown()
      #expect(try await socket.closeCode() == 1001)
      #expect(try await page.closeCode() == 1001)
    }
  }

  @Test("a client that leaves frees its connection at once")
  func leaving() async throws {
    try await DeskRig.run { desk in
      let socket = try await desk.socket(try desk.token("anna"))
      try await socket.client.shutdownOutput()
      try await until { desk.server.server.connectionCount == 0 }
    }
  }
}
