import CarillonClient
import Foundation
import JSONEnvelope
import Testing

extension ServerFromOutside {
  /// Between an agent's comment and the POST lie the request's record, the queue's, and the attempt. Spec: support
  /// requests 11, check 6.
  @Suite("Kill -9 between an agent's comment and the POST", .timeLimit(.minutes(5)))
  struct SupportKillTests {
    static let kills = 30
    /// How long the server lives on after it has answered the agent, milliseconds: mostly less than a POST takes.
    static let delays = [0, 0, 1, 2, 3, 5, 8, 15]

    @Test("each comment that was answered is told of all the same, once more at most, under the same id, in order")
    func kills() async throws {
      try await PushReceiver.run { receiver in
        try await ServerProcess.run(SupportDesk.options(webhookURL: receiver.url())) { server in
          let desk = SupportDesk(server: server)
          let (ann, agent) = (try await desk.signedIn("guid-kill"), desk.agent())
          try await ann.registerDevice("abcd", type: .ios)
          let request = try await ann.create(subject: "Order", text: "Where?").id
          for round in 0..<Self.kills {
            try await agent.comment("round \(round)", onTicket: request)
            try await Task.sleep(for: .milliseconds(Self.delays[round % Self.delays.count]))
            try await server.killNow()
            try await server.start()
            // Behind it in the queue: when this one comes, what became of the other is on the disk.
            try await agent.comment("after \(round)", onTicket: request)
            try await eventually("the POST after round \(round)") {
              receiver.pushes.contains { Self.text($0) == "after \(round)" } ? true : nil
            }
          }
          // Its token outlived them all.
          #expect(try await ann.comments(of: request).count == 2 * Self.kills + 1)
          try judge(receiver.pushes, request)
          await ann.shutDown()
          agent.shutDown()
        }
      }
    }

    private func judge(_ pushes: [PushReceiver.Push], _ request: Int64) throws {
      var repeated = 0
      let texts = (0..<Self.kills).flatMap { ["round \($0)", "after \($0)"] }
      for text in texts {
        let copies = pushes.filter { Self.text($0) == text }
        #expect((1...2).contains(copies.count), "\(copies.count) POSTs of \(text)")
        #expect(Set(copies.map(\.id)).count == 1, "one notification under several ids")
        #expect(copies.allSatisfy { $0.json["notification"]?["ticket_id"] == .string(String(request)) })
        if copies.count == 2 { repeated += 1 }
      }
      #expect(Set(pushes.map(\.id)).count == texts.count)
      let order = pushes.compactMap { Self.text($0) }.reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
      #expect(order == texts)
      print("\(Self.kills) kills: \(pushes.count) deliveries, \(repeated) repeated once, none lost")
    }

    private static func text(_ push: PushReceiver.Push) -> String? { push.json["notification"]?["body"]?.string }
  }
}
