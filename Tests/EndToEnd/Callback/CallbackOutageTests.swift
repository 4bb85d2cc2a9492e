import Foundation
import JSONEnvelope
import Testing

extension ServerFromOutside {
  /// What comes by the clock comes late if the server is down at its time, but it comes: once, and in its order.
  @Suite("Callbacks whose times pass while the server is down", .timeLimit(.minutes(2)))
  struct CallbackOutageTests {
    /// Enough to order them all before the first of their times.
    static let seconds = 5

    /// All at once by their own services.
    static let services: ServerOptions = [
      "service.at-time": [
        "_wait_for_agent": "false", "_call_direction": "USERTERMINATED", "_request_execution_time_buffer": "0",
      ],
      "service.asked": [
        "_media_type": "chat", "_wait_for_user_confirm": "true", "_user_confirm_timeout": String(seconds),
        "_max_number_of_user_availability_confirmation_attempts": "2",
      ],
      "service.snoozed": ["_call_direction": "USERTERMINATED", "_snooze_duration": String(seconds)],
      "service.short-lived": ["_ttl": String(seconds)],
      // Due and over during one outage.
      "service.missed": ["_ttl": "1", "_request_execution_time_buffer": "0"],
    ]

    @Test("scheduled time, confirmation, snooze and time to live: each is carried out once after the restart")
    func outage() async throws {
      try await PushReceiver.run { receiver in
        var options = receiver.options(delaySeconds: 0)
        options.merge(Self.services) { _, own in own }
        try await ServerProcess.run(options) { server in
          let ids = try await order(server, receiver)
          try await server.killNow()
          #expect(receiver.pushes.count == 1, "only the first question was due before the kill")
          // Until the last of their times is over.
          try await Task.sleep(for: .seconds(Self.seconds + 2))
          try await server.start()
          try await check(ids, server, receiver)
        }
      }
    }

    private struct Orders {
      let atTime, asked, snoozed, shortLived, missed: String
    }

    private func order(_ server: ServerProcess, _ receiver: PushReceiver) async throws -> Orders {
      let customer = CallbackCustomer(server)
      func order(_ service: String, inSeconds seconds: Double? = nil) async throws -> String {
        var fields = ["_device_os": "customhttp", "_device_notification_id": "device-\(service)"]
        if let seconds { fields["_desired_time"] = CallbackCustomer.time(inSeconds: seconds) }
        return try await customer.order(service, fields)
      }
      // The agent is asked for by this one only, and is not ready for the others.
      let asked = try await order("asked")
      try await server.setReady(true)
      _ = try await receiver.pushes(count: 1)
      try await server.setReady(false)
      let snoozed = try await order("snoozed")
      #expect(try await customer.act("snooze", on: snoozed).status == 200)
      return Orders(
        atTime: try await order("at-time", inSeconds: Double(Self.seconds)), asked: asked, snoozed: snoozed,
        shortLived: try await order("short-lived"), missed: try await order("missed", inSeconds: Double(Self.seconds)))
    }

    private func check(_ ids: Orders, _ server: ServerProcess, _ receiver: PushReceiver) async throws {
      try await eventually("the pushes that were owed") {
        receiver.actions(of: ids.atTime).isEmpty || receiver.actions(of: ids.asked).count < 2 ? nil : true
      }
      // One more question, not one for each time-out that the outage would have had room for.
      #expect(try await server.callback(ids.asked)["confirming"]?["attempt"] == 2)
      // For what comes once too often.
      try await Task.sleep(for: .milliseconds(700))
      let question = "get-dialog-user-confirmation-provide_code-false"
      #expect(receiver.actions(of: ids.asked) == [question, question])

      #expect(receiver.actions(of: ids.atTime) == ["connect-outbound"])
      #expect(try await server.history(ofCallback: ids.atTime).prefix(3) == ["created", "cameDue", "routed"])
      #expect(try await server.callback(ids.atTime)["state"] == "ROUTING")

      let snoozed = try await server.history(ofCallback: ids.snoozed)
      #expect(snoozed == ["created", "snoozed", "snoozeEnded"])
      #expect(receiver.actions(of: ids.snoozed).isEmpty, "it waits for an agent again")
      #expect(try await server.callback(ids.snoozed)["state"] == "QUEUED")

      for (id, before) in [(ids.shortLived, []), (ids.missed, ["cameDue"])] as [(String, [String])] {
        #expect(try await server.history(ofCallback: id) == ["created"] + before + ["completed"])
        #expect(receiver.actions(of: id).isEmpty)
        #expect(try await server.callback(id)["reason"] == "FAIL_TIMEOUT_TTL")
      }

      // The agent is for it alone.
      for id in [ids.atTime, ids.asked] {
        #expect(try await CallbackCustomer(server).act("cancel", on: id).status == 200)
      }
      try await server.setReady(true)
      try await eventually("the push of the one that was snoozed") {
        receiver.actions(of: ids.snoozed) == ["connect-outbound"] ? true : nil
      }
    }
  }
}
