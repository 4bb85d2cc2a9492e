import Foundation
import JSONEnvelope
import StandInSupport
import Testing

extension ServerFromOutside {
  /// What each kind of device gets, byte for byte, when an agent writes to a chat in the background. Spec: GMS 7.2, 7.3.
  @Suite("Chat in the background, every kind of device", .timeLimit(.minutes(2)))
  struct PushPayloadTests {
    @Test("ios: alert, badge and sound, the message as an object beside aps, no transcript")
    func ios() async throws {
      let apns = try await StandIn.start("apns.py")
      defer { apns.stop() }
      try await ServerProcess.run(Self.options(apple: apns)) { server in
        let chat = try await Self.away(server, type: "ios", device: Self.iosToken)
        try await Self.write(chat, server, ["Are you still there?"])
        let request = try #require(await apns.next())
        #expect(request["path"] as? String == "/3/device/\(Self.iosToken)")
        #expect(
          request["body"] as? String
            == #"{"aps":{"alert":{"body":"New message from Agent"},"badge":1,"sound":"default"},"#
            + #""message":{"message":"New message from Agent","serviceId":"\#(chat.serviceID)"}}"#)
        let headers = request["headers"] as? [String: any Sendable] ?? [:]
        #expect(headers["apns-topic"] as? String == "com.example.chat")
        #expect(headers["apns-push-type"] as? String == "alert")
        #expect(headers["apns-priority"] as? String == "10")
        #expect((headers["apns-id"] as? String)?.count == 36)
        #expect(request["status"] as? Int == 200)
      }
    }

    @Test("gcm: data.message is a string with the JSON text, posted in the old form")
    func gcm() async throws {
      let fcm = try await StandIn.start("fcm.py")
      defer { fcm.stop() }
      try await ServerProcess.run(Self.options(google: fcm, isLegacy: true)) { server in
        let chat = try await Self.away(server, type: "gcm", device: "reg-token-1")
        try await Self.write(chat, server, ["Are you still there?", "I have found your order."])
        let first = try #require(await fcm.next())
        #expect(first["path"] as? String == "/fcm/send")
        let body = try JSONValue(parsing: first["body"] as? String ?? "")
        #expect(body["to"] == "reg-token-1")
        #expect(body["data"]?["message"]?.string == Self.message(chat, [Self.texts[0]]))
        #expect(body["notification"] == nil)
        let second = try JSONValue(parsing: try #require(await fcm.next())["body"] as? String ?? "")
        #expect(second["data"]?["message"]?.string == Self.message(chat, [Self.texts[1]]))
      }
    }

    @Test("fcm: the same by HTTP v1, with the visible notification of the options")
    func fcm() async throws {
      let fcm = try await StandIn.start("fcm.py")
      defer { fcm.stop() }
      try await ServerProcess.run(Self.options(google: fcm)) { server in
        let chat = try await Self.away(server, type: "fcm", device: "reg-token-2")
        try await Self.write(chat, server, ["Are you still there?"])
        let token = try #require(await fcm.next())
        #expect(token["path"] as? String == "/token")
        let request = try #require(await fcm.next())
        #expect(request["path"] as? String == "/v1/projects/demo-project/messages:send")
        let body = try JSONValue(parsing: request["body"] as? String ?? "")
        #expect(body["message"]?["token"] == "reg-token-2")
        #expect(body["message"]?["data"] == ["message": .string(Self.message(chat, [Self.texts[0]]))])
        #expect(body["message"]?["notification"] == ["title": "Shop", "body": "You have a message"])
        #expect(request["status"] as? Int == 200)
      }
    }

    @Test("httpcb: the body is the message")
    func httpcb() async throws {
      try await PushReceiver.run { receiver in
        try await ServerProcess.run(receiver.options(delaySeconds: 0)) { server in
          let chat = try await Self.away(server, type: "httpcb", device: receiver.url("/app"))
          try await Self.write(chat, server, ["Are you still there?"])
          let push = try await receiver.pushes(count: 1)[0]
          #expect(push.method == "POST" && push.path == "/app" && push.contentType == "application/json")
          #expect(String(decoding: push.body, as: UTF8.self) == Self.message(chat, [Self.texts[0]]))
        }
      }
    }

    @Test("customhttp: device id and message")
    func customhttp() async throws {
      try await PushReceiver.run { receiver in
        try await ServerProcess.run(receiver.options(delaySeconds: 0)) { server in
          let chat = try await Self.away(server, type: "customhttp", device: "device-77")
          try await Self.write(chat, server, ["Are you still there?"])
          let push = try await receiver.pushes(count: 1)[0]
          #expect(push.method == "POST" && push.path == "/push" && push.contentType == "application/json")
          #expect(
            String(decoding: push.body, as: UTF8.self)
              == #"{"deviceId":"device-77","message":\#(Self.message(chat, [Self.texts[0]]))}"#)
        }
      }
    }

    // MARK: Parts

    struct Chat {
      let serviceID: String
      let chatID: String
    }

    static let iosToken = String(repeating: "0f3a51c2", count: 8)
    static let texts = ["Are you still there?", "I have found your order."]

    /// The chat push message with these lines. Spec: GMS 7.2.
    static func message(_ chat: Chat, _ lines: [String]) -> String {
      let transcript = lines.map { #"{"Message.Text":"\#($0)"}"# }.joined(separator: ",")
      return #"{"message":"New message from Agent","serviceId":"\#(chat.serviceID)","lastTranscript":[\#(transcript)]}"#
    }

    /// - Returns: a chat whose app has gone to the background.
    static func away(_ server: ServerProcess, type: String, device: String) async throws -> Chat {
      let customer = server.wire(user: "user-\(type)")
      let app = try await CometApp.online(customer)
      let (serviceID, started) = try await customer.startChat(
        WireTraceTests.guest + [("push_notification_type", type), ("push_notification_deviceid", device)])
      let chat = Chat(serviceID: serviceID, chatID: try #require(started["chatSessionId"]?.string))
      _ = try await server.agent().agent("join", chat.chatID, ["nickname": "Agent K", "role": "AGENT"])
      _ = try await app.receive(through: 2)
      _ = try await app.disconnect(position: 2)
      return chat
    }

    static func write(_ chat: Chat, _ server: ServerProcess, _ lines: [String]) async throws {
      for line in lines { _ = try await server.agent().agent("messages", chat.chatID, ["text": .string(line)]) }
    }

    /// The file that the console gives out, for the stand-in.
    private static func serviceAccount(_ google: StandIn) -> String {
      let account: [String: String] = [
        "type": "service_account", "project_id": google.hello["project"] as? String ?? "",
        "private_key_id": google.hello["private_key_id"] as? String ?? "",
        "private_key": google.hello["private_key"] as? String ?? "",
        "client_email": google.hello["client_email"] as? String ?? "",
        "token_uri": "https://localhost:\(google.port)/token",
      ]
      let path = google.directory + "/account.json"
      try? JSONSerialization.data(withJSONObject: account).write(to: URL(fileURLWithPath: path))
      return path
    }

    static func options(apple: StandIn? = nil, google: StandIn? = nil, isLegacy: Bool = false) -> ServerOptions {
      var push = ["pushEnabled": "comet,ios,gcm,fcm"]
      if let apple {
        push["apple.base_url"] = "https://localhost:\(apple.port)"
        push["apple.ca_file"] = apple.hello["ca"] as? String ?? ""
        push["apple.key_file"] = apple.hello["key"] as? String ?? ""
        push["apple.key_id"] = "KEY1234567"
        push["apple.team_id"] = "TEAM123456"
        push["apple.topic"] = "com.example.chat"
      }
      if let google {
        let base = "https://localhost:\(google.port)"
        push["fcm.base_url"] = base
        push["fcm.ca_file"] = google.hello["ca"] as? String ?? ""
        if !isLegacy { push["fcm.service_account_file"] = Self.serviceAccount(google) }
        push["android.gcm.apiKey"] = "AIza-legacy-key"
        push["android.gcm.url"] = base + "/fcm/send"
      }
      return [
        "push": push, "service.request-chat": ["_client_timeout_notification": "0"],
        "push.provider.event.chat.newagentmessage": [
          "apple.badge": "1", "apple.sound": "default", "fcm.title": "Shop", "fcm.body": "You have a message",
        ],
      ]
    }
  }
}
