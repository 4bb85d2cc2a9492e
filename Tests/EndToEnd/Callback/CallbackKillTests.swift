import Foundation
import JSONEnvelope
import Testing

extension ServerFromOutside {
  /// Between an agent's readiness and the push on the customer's phone lie four records of three entities.
  @Suite("Kill -9 between an agent's readiness and the push", .timeLimit(.minutes(5)))
  struct CallbackKillTests {
    static let kills = KillPlan.count(30, long: 200)
    /// How long the server lives on after it has answered the agent, milliseconds: mostly less than a push takes.
    static let delays = [0, 0, 1, 2, 3, 5, 8, 15]

    @Test(
      "the customer is told all the same, once more at most, under the same id, and the agent is held for nobody else")
    func kills() async throws {
      try await PushReceiver.run { receiver in
        var options = receiver.options(delaySeconds: 0)
        options["service.callback-voice"] = ["_call_direction": "USERTERMINATED"]
        try await ServerProcess.run(options) { server in
          var ids: [String] = []
          for round in 0..<Self.kills {
            let id = try await CallbackCustomer(server).order(
              "callback-voice", ["_device_os": "customhttp", "_device_notification_id": "device-\(round)"])
            ids.append(id)
            try await server.setReady(true)
            try await Task.sleep(for: .milliseconds(Self.delays[round % Self.delays.count]))
            try await server.killNow()
            try await server.start()
            try await eventually("the push of round \(round)") { receiver.actions(of: id).isEmpty ? nil : true }
            let held = try await server.callback(id)
            #expect(held["state"] == "ROUTING" && held["agentId"] == "k")
            // Ends it, so that the next round finds the agent free, and not ready.
            try await server.setReady(false)
            #expect(try await CallbackCustomer(server).act("cancel", on: id).status == 200)
          }
          try judge(ids, receiver)
        }
      }
    }

    private func judge(_ ids: [String], _ receiver: PushReceiver) throws {
      var repeated = 0
      for id in ids {
        let copies = receiver.pushes.filter { $0.json["message"]?["_id"]?.string == id }
        #expect((1...2).contains(copies.count), "\(copies.count) pushes")
        #expect(copies.allSatisfy { $0.json["message"]?["_action"] == "connect-outbound" })
        #expect(Set(copies.map(\.id)).count == 1, "one push under several ids")
        if copies.count == 2 { repeated += 1 }
      }
      #expect(Set(receiver.pushes.map(\.id)).count == ids.count)
      print("\(ids.count) kills: \(receiver.pushes.count) deliveries, \(repeated) repeated once, none lost")
    }
  }
}
