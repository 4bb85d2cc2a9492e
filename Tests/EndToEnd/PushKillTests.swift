import Foundation
import JSONEnvelope
import ProcessControl
import Synchronization
import Testing

extension ServerFromOutside {
  /// The gap that no journal closes: a provider has said 200, and the server dies before it has written that down.
  @Suite("Kill -9 between the provider's 200 and its record", .timeLimit(.minutes(10)))
  struct PushKillTests {
    static let kills = KillPlan.count(60, long: 200)

    @Test("no push is lost, each comes once more at most, under the same id")
    func kills() async throws {
      try await PushReceiver.run { receiver in
        var options = receiver.options(delaySeconds: 0)
        options["service.request-chat", default: [:]]["_max_notify_delivery_attempts"] = "10"
        try await ServerProcess.run(options) { server in
          let chatID = try await chatInBackground(server)
          // What kills is the answer itself: the first to the text that is waited for.
          let victim = Victim()
          receiver.onAnswer { push in
            if let process = victim.process(for: Self.text(of: push)) { process.send(signal: SIGKILL) }
          }
          for number in 1...Self.kills {
            let text = "line \(number)"
            victim.aim(at: text, server.process)
            // The push may kill the server before its agent has read the answer.
            _ = try? await server.agent().agent("messages", chatID, ["text": .string(text)])
            _ = try await server.process?.status()
            try await server.start()
          }
          let last = "line \(Self.kills)"
          // What was repeated is repeated by now or right after the start; then nothing is under way any more.
          _ = try await server.agent().agent("messages", chatID, ["text": "the end"])
          try await eventually("the last push", within: .seconds(30)) {
            receiver.pushes.contains { Self.text(of: $0) == "the end" } ? true : nil
          }
          try judge(receiver.pushes, last: last)
        }
      }
    }

    private func chatInBackground(_ server: ServerProcess) async throws -> String {
      let customer = server.wire(user: "user-kill")
      let app = try await CometApp.online(customer)
      let (_, started) = try await customer.startChat(WireTraceTests.guest + WireTraceTests.device)
      let chatID = try #require(started["chatSessionId"]?.string)
      _ = try await server.agent().agent("join", chatID, ["nickname": "Agent K", "role": "AGENT"])
      _ = try await app.receive(through: 2)
      _ = try await app.disconnect(position: 2)
      return chatID
    }

    private func judge(_ pushes: [PushReceiver.Push], last: String) throws {
      let byText = Dictionary(grouping: pushes) { Self.text(of: $0) }
      var repeated = 0
      for number in 1...Self.kills {
        let copies = byText["line \(number)"] ?? []
        #expect((1...2).contains(copies.count), "line \(number) came \(copies.count) times")
        #expect(Set(copies.map(\.id)).count == 1, "line \(number) came under several ids")
        if copies.count == 2 { repeated += 1 }
      }
      #expect(Set(pushes.compactMap(\.id)).count == Self.kills + 1, "each push has an id of its own")
      print("\(Self.kills) kills: \(pushes.count) deliveries, \(repeated) repeated once, none lost")
    }

    /// The line that a push is about: each has one.
    private static func text(of push: PushReceiver.Push) -> String {
      push.json["message"]?["lastTranscript"]?.array?.last?["Message.Text"]?.string ?? ""
    }

    /// The process that the next answer is to kill.
    private final class Victim: Sendable {
      private let aim = Mutex<(text: String, process: ChildProcess)?>(nil)

      func aim(at text: String, _ process: ChildProcess?) { aim.withLock { $0 = process.map { (text, $0) } } }

      func process(for text: String) -> ChildProcess? {
        aim.withLock { aim in
          guard let (wanted, process) = aim, wanted == text else { return nil }
          aim = nil
          return process
        }
      }
    }
  }
}
