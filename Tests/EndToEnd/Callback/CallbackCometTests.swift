import JSONEnvelope
import Testing

extension ServerFromOutside {
  @Suite("A callback pushed over Comet to a client of somebody else: aiocometd-ng", .timeLimit(.minutes(2)))
  struct CallbackCometTests {
    static let user = "user-callback"
    static let options: ServerOptions = [
      "service.callback-chat": [
        "_media_type": "chat", "_wait_for_user_confirm": "true", "_user_confirm_timeout": "20",
      ]
    ]

    @Test("a push waits for the app to connect; the next comes over the open connection, and so does the chat")
    func life() async throws {
      try await ServerProcess.run(Self.options) { server in
        let customer = CallbackCustomer(server, user: Self.user)
        let first = try await order(customer)
        try await server.setReady(true)
        try await eventually("the question") { try await server.callback(first)["confirming"] == nil ? nil : true }

        let app = try ScriptProcess(
          "Scripts/comet_callback.py",
          ["--url", "http://localhost:\(server.port)/genesys/cometd", "--user", Self.user], directory: server.directory)
        do {
          try await play(app, customer, first, server)
        } catch {
          await app.kill()
          Issue.record("the client's errors:\n\(app.errors)")
          throw error
        }
        try await app.finish()
      }
    }

    private func play(
      _ app: ScriptProcess, _ customer: CallbackCustomer, _ first: String, _ server: ServerProcess
    ) async throws {
      let question = "get-dialog-user-confirmation-provide_code-false"
      let waited = try await app.first { $0["push"] != nil }
      #expect(waited["push"] == ["_id": .string(first), "_action": .string(question)])
      #expect(waited["tag"] == "callback.get-dialog-user-confirmation")
      #expect(try await customer.act("cancel", on: first).status == 200)

      let second = try await order(customer)
      let live = try await app.event("push")
      #expect(live == ["_id": .string(second), "_action": .string(question)])
      let invitation = try await customer.act("connect", on: second).json
      #expect(invitation["_action"] == "StartChat")
      #expect(invitation["_user_header"] == .string(Self.user))

      let started = try await customer.wire.form(
        Wire.chat(second), [(name: "notify_by", value: "comet"), (name: "userDisplayName", value: "Nora")])
      let chatID = try #require(started.json["chatSessionId"]?.string)
      try await server.agent().agent("join", chatID, ["nickname": "Agent K"])
      try await server.agent().agent("messages", chatID, ["text": "Hello Nora"])
      _ = try await app.first { $0["event"]?[2] == "Hello Nora" }
      try await eventually("the conversation") {
        try await server.callback(second)["state"] == "PROCESSING" ? true : nil
      }
      try await server.agent().agent("close", chatID)
      try await eventually("its end") {
        try await server.callback(second)["reason"] == "AGENT_CONNECTED" ? true : nil
      }
    }

    private func order(_ customer: CallbackCustomer) async throws -> String {
      try await customer.order("callback-chat", ["_device_os": "comet", "_device_notification_id": Self.user])
    }
  }
}
