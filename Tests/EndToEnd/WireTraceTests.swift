import JSONEnvelope
import Testing

extension ServerFromOutside {
  @Suite("Wire trace: one background phase", .timeLimit(.minutes(1)))
  struct WireTraceTests {
    static let device: [(name: String, value: String)] = [
      (name: "push_notification_type", value: "customhttp"), (name: "push_notification_deviceid", value: "device-77"),
    ]
    static let guest: [(name: String, value: String)] = [
      (name: "notify_by", value: "comet"), (name: "userDisplayName", value: "Guest 7"),
      (name: "subject", value: "Order 81"),
    ]

    @Test("online, away, first push after the delay, then at once, catch-up before the connect reply")
    func trace() async throws {
      try await PushReceiver.run { receiver in
        try await ServerProcess.run(receiver.options(delaySeconds: 2)) { server in
          let (agent, customer) = (server.agent(), server.wire(user: "user-trace"))
          let app = try await shakeHands(customer)
          let (serviceID, started) = try await customer.startChat(Self.guest + Self.device)
          let chatID = try #require(started["chatSessionId"]?.string)
          try await talk(app, agent, customer, serviceID: serviceID, chatID: chatID)
          try await leave(app, agent, server, serviceID: serviceID, chatID: chatID)
          try await away(agent, chatID: chatID, serviceID: serviceID, receiver)
          try await comeBack(customer, serviceID: serviceID, chatID: chatID)
          #expect(receiver.pushes.count == 2)
        }
      }
    }

    private func shakeHands(_ customer: Wire) async throws -> CometApp {
      let response = try await customer.json(
        "/genesys/cometd/handshake",
        [["id": "1", "channel": "/meta/handshake", "version": "1.0", "supportedConnectionTypes": ["long-polling"]]])
      #expect(response.status == 200)
      #expect(response.header("Content-Type") == "application/json;charset=UTF-8")
      #expect(response.header("Cache-Control") == "no-cache, no-store")
      #expect(response.header("Pragma") == "no-cache")
      let reply = try #require(response.json.array?.first)
      let clientID = try #require(reply["clientId"]?.string)
      #expect(clientID.count == 26 && clientID.allSatisfy { $0.isASCII && ($0.isNumber || $0.isLowercase) })
      #expect(reply["id"] == "1")
      #expect(reply["successful"] == true)
      #expect(reply["version"] == "1.0" && reply["minimumVersion"] == "1.0")
      #expect(reply["advice"] == ["reconnect": "retry", "interval": 0, "timeout": 30_000])
      #expect(reply["supportedConnectionTypes"]?.array?.contains("long-polling") == true)

      let app = CometApp(wire: customer, clientID: clientID)
      let connected = try await app.connect()
      #expect(connected.count == 1)
      #expect(connected[0]["successful"] == true && connected[0]["advice"]?["reconnect"] == "retry")
      let subscribed = try json(
        #"[{"id":"3","channel":"/meta/subscribe","successful":true,"clientId":"\#(clientID)","subscription":"/_genesys"}]"#
      )
      #expect(.array(try await app.subscribe()) == subscribed)
      return app
    }

    /// Events 1 to 4: the customer joins, the agent joins and says hello, the customer answers.
    private func talk(
      _ app: CometApp, _ agent: Wire, _ customer: Wire, serviceID: String, chatID: String
    ) async throws {
      _ = try await app.receive(through: 1)
      // Held when the event comes: the one reply is the event, then the connect.
      async let held = app.connect()
      try await Task.sleep(for: .milliseconds(100))
      #expect(try await agent.agent("join", chatID, ["nickname": "Agent K", "role": "AGENT"]) == 2)
      let replies = try await held
      #expect(replies.count == 2)
      #expect(replies.last == (try json(#"{"id":"6","channel":"/meta/connect","successful":true}"#)))
      let data = try #require(replies.first?["data"])
      #expect(replies.first?["channel"] == "/_genesys")
      #expect(data["tag"] == .string("service.chat.refresh.\(serviceID)"))
      #expect(data["id"]?.string?.count == 32)
      let message = try #require(data["message"])
      #expect(
        message.object?.names.sorted() == [
          "chatIxnState", "chatServiceMessage", "chatSessionId", "startedAt", "transcriptPosition", "transcriptToShow",
        ])
      #expect(message["chatSessionId"] == .string(chatID))
      #expect(message["chatIxnState"] == "TRANSCRIPT")
      #expect(message["transcriptPosition"] == "2")
      #expect(message["chatServiceMessage"] == "Chat service is available")
      let tuple = try #require(message["transcriptToShow"]?[0]?.array)
      #expect(tuple[..<3] == ["Notice.Joined", "Agent K", "has joined the session"])
      #expect(tuple.count == 5 && Int(tuple[3].string ?? "") != nil && tuple[4] == "AGENT")

      #expect(try await agent.agent("messages", chatID, ["text": "Hello"]) == 3)
      #expect(try await customer.form(Wire.chat(serviceID, "/send"), [(name: "message", value: "Hi")]).status == 200)
      let tuples = try await app.receive(through: 4)
      #expect(tuples.compactMap { $0[2]?.string } == ["Hello", "Hi"])
    }

    private func leave(
      _ app: CometApp, _ agent: Wire, _ server: ServerProcess, serviceID: String, chatID: String
    ) async throws {
      let stream = try await HTTPConversation.open(server.port)
      try await stream.send("GET", "/agent/1/events", headers: agent.headers)
      #expect(try await stream.response().header("Content-Type") == "text/event-stream")
      async let held = app.connect()
      try await Task.sleep(for: .milliseconds(100))
      let reply = try json(
        #"[{"id":"7","channel":"/meta/disconnect","clientId":"\#(app.clientID)","successful":true}]"#)
      #expect(.array(try await app.disconnect(position: 4)) == reply)
      let released = try await held
      #expect(released.count == 1)
      #expect(released[0]["successful"] == true && released[0]["advice"]?["reconnect"] == "none")

      let event = try await stream.text(through: "customer is not online")
      #expect(event.contains("event: line\n") && event.contains(#""type":"Notice.Custom""#))
      await stream.close()
      let transcript = try await agent.get("/agent/1/chats/\(chatID)/transcript?after=0").json
      let notice = try #require(transcript["lines"]?.array?.last)
      #expect(notice["type"] == "Notice.Custom" && notice["text"] == "customer is not online")
      #expect(notice["nickname"] == "Guest 7" && notice["role"] == "CLIENT")
      #expect(notice["position"] == .null && notice["visibility"] == "agent")
      #expect(transcript["position"] == 4)
      #expect(try await agent.get("/agent/1/chats/\(chatID)").json["customerOnline"] == false)
    }

    private func away(_ agent: Wire, chatID: String, serviceID: String, _ receiver: PushReceiver) async throws {
      #expect(try await agent.agent("typing", chatID, ["started": true]) == 5)
      #expect(try await agent.agent("messages", chatID, ["text": "One moment"]) == 6)
      let timerStarted = ContinuousClock.now
      #expect(try await agent.agent("messages", chatID, ["text": "Found it"]) == 7)
      #expect(receiver.pushes.isEmpty)
      let first = try #require(try await receiver.pushes(count: 1).first)
      // The server's timers count milliseconds, and the timer started before its message was answered.
      #expect(first.time - timerStarted > .milliseconds(1_500) && first.time - timerStarted < .seconds(5))
      #expect(first.method == "POST" && first.path == "/push")
      #expect(first.contentType?.hasPrefix("application/json") == true)
      #expect(
        first.json
          == (try json(
            """
            {"deviceId":"device-77","message":{"message":"New message from Agent","serviceId":"\(serviceID)",
             "lastTranscript":[{"Message.Text":"One moment"},{"Message.Text":"Found it"}]}}
            """)))
      let posted = ContinuousClock.now
      #expect(try await agent.agent("messages", chatID, ["text": "Order 81 left"]) == 8)
      let second = try #require(try await receiver.pushes(count: 2).last)
      #expect(second.time - posted < .milliseconds(1_500))
      #expect(second.json["message"]?["lastTranscript"] == [["Message.Text": "Order 81 left"]])
    }

    private func comeBack(_ customer: Wire, serviceID: String, chatID: String) async throws {
      let app = try await CometApp.handshake(customer)
      _ = try await app.subscribe()
      let replies = try await app.connect()
      #expect(replies.count == 2)
      let message = try #require(replies.first?["data"]?["message"])
      #expect(replies.first?["channel"] == "/_genesys")
      #expect(message["transcriptPosition"] == "8" && message["chatIxnState"] == "TRANSCRIPT")
      let tuples = try #require(message["transcriptToShow"]?.array)
      #expect(
        tuples.compactMap { $0[0]?.string } == ["Notice.TypingStarted"] + Array(repeating: "Message.Text", count: 3))
      #expect(tuples.compactMap { $0[2]?.string } == ["is typing", "One moment", "Found it", "Order 81 left"])
      #expect(tuples.allSatisfy { $0[1] == "Agent K" && $0[4] == "AGENT" })
      #expect(replies.last?["channel"] == "/meta/connect" && replies.last?["successful"] == true)
    }

    @Test("subscribe and connect in one request: the catch-up rides in that response, whatever their order")
    func catchUpInOneRequest() async throws {
      try await ServerProcess.run { server in
        let (agent, customer) = (server.agent(), server.wire(user: "user-one"))
        let app = try await CometApp.online(customer)
        let (_, started) = try await customer.startChat(Self.guest)
        let chatID = try #require(started["chatSessionId"]?.string)
        _ = try await app.receive(through: 1)
        _ = try await app.disconnect(position: 1)
        try await agent.agent("join", chatID, ["nickname": "Agent K"])
        let back = try await CometApp.handshake(customer)
        let replies = try await customer.comet(
          """
          [\(back.connectMessage),
           {"id":"9","channel":"/meta/subscribe","clientId":"\(back.clientID)","subscription":"/_genesys"}]
          """)
        let event = try #require(replies.firstIndex { $0["channel"] == "/_genesys" })
        let connect = try #require(replies.firstIndex { $0["channel"] == "/meta/connect" })
        let subscribe = try #require(replies.firstIndex { $0["channel"] == "/meta/subscribe" })
        #expect(subscribe < event && event < connect && replies.count == 3)
        #expect(replies[event]["data"]?["message"]?["transcriptPosition"] == "2")
      }
    }

    @Test(
      "an app that leaves without a word is in the background after maxInterval; the agent's next message is pushed")
    func silentLoss() async throws {
      try await PushReceiver.run { receiver in
        var options = receiver.options(delaySeconds: 0)
        options["server"] = ["cometd.maxInterval": "1000"]
        try await ServerProcess.run(options) { server in
          let (agent, customer) = (server.agent(), server.wire(user: "user-silent"))
          let app = try await CometApp.online(customer)
          let (_, started) = try await customer.startChat(Self.guest + Self.device)
          let chatID = try #require(started["chatSessionId"]?.string)
          try await agent.agent("join", chatID, ["nickname": "Agent K"])
          _ = try await app.receive(through: 2)
          try await eventually("the end of the session") {
            try await agent.get("/agent/1/chats/\(chatID)").json["customerOnline"] == false ? true : nil
          }
          let refused = try await app.connect()
          #expect(
            .array(refused)
              == (try json(
                """
                [{"id":"6","channel":"/meta/connect","successful":false,"error":"402::Unknown client",
                  "advice":{"reconnect":"handshake","interval":0}}]
                """)))
          #expect(try await agent.agent("messages", chatID, ["text": "Still there?"]) == 3)
          // It has never shown that the agent's joining came.
          let pushes = try await receiver.pushes(count: 2).map { $0.json["message"]?["lastTranscript"] }
          #expect(pushes == [[["Notice.Joined": "has joined the session"]], [["Message.Text": "Still there?"]]])
          let back = try await CometApp.online(customer)
          #expect(try await back.receive(through: 3).compactMap { $0[2]?.string }.last == "Still there?")
        }
      }
    }

    @Test("httpcb: the body of the push is the message, posted to the URL given as the device")
    func httpCallback() async throws {
      try await PushReceiver.run { receiver in
        try await ServerProcess.run(receiver.options(delaySeconds: 0)) { server in
          let (agent, customer) = (server.agent(), server.wire(user: "user-cb"))
          let app = try await CometApp.online(customer)
          let (serviceID, started) = try await customer.startChat(
            Self.guest + [
              (name: "push_notification_type", value: "httpcb"),
              (name: "push_notification_deviceid", value: receiver.url("/in/17")),
            ])
          let chatID = try #require(started["chatSessionId"]?.string)
          _ = try await app.receive(through: 1)
          _ = try await app.disconnect(position: 1)
          try await agent.agent("join", chatID, ["nickname": "Agent K"])
          try await agent.agent("messages", chatID, ["text": "„Ünï“ 🚚"])
          let pushes = try await receiver.pushes(count: 2)
          #expect(pushes.allSatisfy { $0.path == "/in/17" })
          #expect(
            pushes.map(\.json)
              == [
                try json(
                  """
                  {"message":"New message from Agent","serviceId":"\(serviceID)",
                   "lastTranscript":[{"Notice.Joined":"has joined the session"}]}
                  """),
                try json(
                  """
                  {"message":"New message from Agent","serviceId":"\(serviceID)",
                   "lastTranscript":[{"Message.Text":"„Ünï“ 🚚"}]}
                  """),
              ])
        }
      }
    }
  }
}
