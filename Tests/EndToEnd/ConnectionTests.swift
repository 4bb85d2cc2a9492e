import JSONEnvelope
import Testing

extension ServerFromOutside {
  @Suite("Connections of slow, hostile and departing clients", .timeLimit(.minutes(1)))
  struct ConnectionTests {
    @Test("a head that drips is cut off at its deadline, however steadily it drips")
    func drippingHead() async throws {
      try await ServerProcess.run(["server": ["limits.head_seconds": "0.5"]]) { server in
        let client = try await HTTPConversation.open(server.port)
        let begin = ContinuousClock.now
        let dripping = Task {
          for byte in "GET /health/live HTTP/1.1\r\nHost: localhost\r\nX: ".utf8 {
            try await client.write([byte])
            try await Task.sleep(for: .milliseconds(50))
          }
        }
        #expect(try await client.response(within: .seconds(5)).status == 408)
        try await client.closure(within: .seconds(5))
        #expect(ContinuousClock.now - begin < .seconds(3))
        dripping.cancel()
        _ = await dripping.result
      }
    }

    @Test("so is a body")
    func drippingBody() async throws {
      try await ServerProcess.run(["server": ["limits.body_seconds": "0.5"]]) { server in
        let client = try await HTTPConversation.open(server.port)
        try await client.write("POST /genesys/cometd HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n[{")
        #expect(try await client.response(within: .seconds(5)).status == 408)
        try await client.closure(within: .seconds(5))
      }
    }

    @Test("clients that leave their held polls free everything within a second; the sessions go on")
    func departures() async throws {
      try await ServerProcess.run { server in
        let count = 20
        let baseline = try await server.metric("carillon_http_connections")
        var apps: [CometApp] = []
        var polls: [HTTPConversation] = []
        for number in 0..<count {
          let app = try await CometApp.online(server.wire(user: "user-\(number)"))
          let poll = try await HTTPConversation.open(server.port)
          try await poll.send(
            "POST", "/genesys/cometd", Array("[\(app.connectMessage)]".utf8), headers: app.wire.headers)
          apps.append(app)
          polls.append(poll)
        }
        try await eventually("\(count) held polls") {
          try await server.metric("carillon_http_connections") >= baseline + Double(count) ? true : nil
        }
        for poll in polls { await poll.close() }
        try await eventually("the end of all their connections", within: .seconds(1)) {
          let open = try await server.metric("carillon_http_connections")
          let departed = try await server.metric("carillon_http_clients_departed_total")
          return open <= baseline && departed == Double(count) ? true : nil
        }
        for app in apps {
          // A first-rate reply: the session is in its grace, not gone. A second connect releases the held one.
          async let held = app.connect()
          try await Task.sleep(for: .milliseconds(20))
          let second = try await app.wire.comet(
            app.connectMessage.replacing("\"connectionType\"", with: #""advice":{"timeout":0},"connectionType""#))
          #expect(second.first?["successful"] == true)
          #expect(try await held.last?["successful"] == true)
        }
      }
    }

    @Test("keep-alive survives long polls, even where each is longer than all other patience")
    func keepAlive() async throws {
      let options: ServerOptions = [
        "server": ["cometd.timeout": "5000", "limits.idle_seconds": "1", "limits.response_seconds": "1"]
      ]
      try await ServerProcess.run(options) { server in
        let app = try await CometApp.online(server.wire(user: "patient"))
        let client = try await HTTPConversation.open(server.port)
        for _ in 0..<2 {
          let begin = ContinuousClock.now
          try await client.send("POST", "/genesys/cometd", Array("[\(app.connectMessage)]".utf8))
          let response = try await client.response()
          #expect(response.status == 200 && response.header("Connection") != "close")
          #expect(response.json[0]?["successful"] == true)
          #expect(ContinuousClock.now - begin > .seconds(2))
        }
        try await client.send("GET", "/health/live")
        #expect(try await client.response().status == 200)
        await client.close()
      }
    }

    @Test("two hundred hostile connections cost another client nothing")
    func hostility() async throws {
      try await ServerProcess.run { server in
        let (agent, customer) = (server.agent(), server.wire(user: "good"))
        let app = try await CometApp.online(customer)
        let (_, started) = try await customer.startChat(WireTraceTests.guest)
        let chatID = try #require(started["chatSessionId"]?.string)
        try await agent.agent("join", chatID, ["nickname": "Agent K"])
        _ = try await app.receive(through: 2)
        let hostile: [[UInt8]] = [
          Array("GET / HT".utf8),
          Array("POST /genesys/cometd HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n[".utf8),
          Array("\r\n\r\n\r\n\0\0\0".utf8), Array(repeating: 0xFF, count: 2_000),
          Array(
            String(repeating: "POST /genesys/cometd HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n[]", count: 50).utf8
          ),
          Array(
            "POST /genesys/cometd HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n".utf8),
          [0x16, 0x03, 0x01, 0x02, 0x00, 0x01], [],
        ]
        var connections: [HTTPConversation] = []
        for number in 0..<200 {
          let connection = try await HTTPConversation.open(server.port)
          // Some are cut off while they still write.
          try? await connection.write(hostile[number % hostile.count])
          connections.append(connection)
        }
        for number in 0..<20 {
          async let held = app.connect()
          try await Task.sleep(for: .milliseconds(10))
          let posted = ContinuousClock.now
          #expect(try await agent.agent("messages", chatID, ["text": .string("\(number)")]) == 3 + number)
          let replies = try await held
          #expect(
            replies.count == 2 && replies.first?["data"]?["message"]?["transcriptPosition"] == .string("\(3 + number)"))
          #expect(ContinuousClock.now - posted < .seconds(2))
        }
        for connection in connections { await connection.close() }
      }
    }
  }
}
