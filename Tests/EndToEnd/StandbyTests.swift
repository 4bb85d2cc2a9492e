import CarillonClient
import Foundation
import JSONEnvelope
import Testing

extension ServerFromOutside {
  @Suite("A standby", .timeLimit(.minutes(4)))
  struct StandbyTests {
    /// A customer online in a chat with agent K.
    private struct Talk {
      let app: CometApp
      let chatID: String

      init(_ server: ServerProcess) async throws {
        let wire = server.wire(user: "ann")
        let (_, started) = try await wire.startChat([
          (name: "notify_by", value: "comet"), (name: "userDisplayName", value: "Ann"),
        ])
        guard let chatID = started["chatSessionId"]?.string else { throw EndToEndFailure("no chat: \(started)") }
        self.chatID = chatID
        try await server.agent().agent("join", chatID, ["nickname": "Agent K"])
        app = try await CometApp.online(wire)
      }

      /// The agent writes, and the customer has it at once.
      ///
      /// - Returns: the texts that have come since the last call.
      func say(_ text: String, _ server: ServerProcess) async throws -> [String] {
        let position = try await server.agent().agent("messages", chatID, ["text": .string(text)])
        guard let position else { throw EndToEndFailure("a message without a position") }
        return try await app.receive(through: position).compactMap { $0[2]?.string }
      }
    }

    /// Runs `body` with a server and a standby of it, which has not begun.
    private func withStandby(_ body: (ServerProcess, StandbyProcess) async throws -> Void) async throws {
      // Only a lost session may cost the client its life here, not a machine that is busy.
      try await ServerProcess.run(["server": ["cometd.maxInterval": "60000"]]) { server in
        let standby = try await StandbyProcess(of: server)
        do {
          try await body(server, standby)
        } catch {
          await standby.end()
          Issue.record("the standby's output ends with:\n\(standby.output.suffix(3_000))")
          throw error
        }
        await standby.end()
      }
    }

    @Test("takes over from a server that is killed: the client goes on, without 402, gap or repetition")
    func takesOver() async throws {
      try await withStandby { server, standby in
        let talk = try await Talk(server)
        #expect(try await talk.say("before", server).last == "before")
        try standby.start()
        try await standby.catchUp()
        for number in 1...20 { #expect(try await talk.say("\(number)", server) == ["\(number)"]) }
        try await standby.catchUp()
        let status = try await server.command(["standby", "--status", standby.dataDirectory])
        #expect(status.status == 0 && status.output.contains("state     following"), "\(status.output)")

        try await server.killNow()
        let refused = try await server.command(["promote", standby.dataDirectory])
        #expect(refused.status == 75, "its follower runs: \(refused.output)")
        #expect(try await standby.stop() == 0)
        let early = try await server.command(["serve", "--data-directory", standby.dataDirectory, "--port", "0"])
        #expect(early.status == 111, "\(early.output.suffix(500))")
        let promoted = try await server.command(["promote", standby.dataDirectory])
        #expect(promoted.status == 0, "\(promoted.output)")

        try server.configure([
          "server": ["cometd.maxInterval": "60000", "data_directory": standby.dataDirectory]
        ])
        try await server.start()
        // On the old clientId and with the old token, as if nothing had been.
        #expect(try await talk.say("after", server) == ["after"])
        #expect(try await server.stop() == 0)
        let verdict = try await server.command(["journal", "verify", standby.dataDirectory])
        #expect(verdict.status == 0, "\(verdict.output)")
      }
    }

    @Test("goes on after it was killed, and after the server was, with nothing missing")
    func kills() async throws {
      try await withStandby { server, standby in
        let talk = try await Talk(server)
        for round in 1...5 {
          try standby.start()
          #expect(try await talk.say("a\(round)", server).last == "a\(round)")
          try await standby.killNow()
          #expect(try await talk.say("b\(round)", server).last == "b\(round)")
          try standby.start()
          try await server.killNow()
          try await server.start()
          #expect(try await talk.say("c\(round)", server).last == "c\(round)")
          try await standby.catchUp()
          #expect(try await standby.stop() == 0)
        }
      }
    }

    @Test("says what is wrong, each in one line with its exit code")
    func badInput() async throws {
      try await withStandby { server, standby in
        let url = "http://127.0.0.1:\(server.port)"
        try "car_nothing".write(toFile: server.directory + "/wrong.token", atomically: true, encoding: .utf8)
        try "nothing".write(toFile: server.directory + "/ca.pem", atomically: true, encoding: .utf8)
        func expect(
          _ status: Int32, _ text: String, _ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
          let result = try await server.command(["standby"] + arguments)
          #expect(result.status == status, "\(result.output)", sourceLocation: sourceLocation)
          #expect(result.output.contains(text), "\(result.output)", sourceLocation: sourceLocation)
        }
        let other = ["--data-directory", server.directory + "/other"]
        let token = ["--token-file", server.directory + "/copy.token"]
        try await expect(64, "--from URL", [])
        try await expect(64, "is not a URL", ["--from", "ftp://x"] + other + token)
        try await expect(64, "--insecure", ["--from", "http://192.0.2.1:8080"] + other + token)
        try await expect(66, "cannot be read", ["--from", url, "--token-file", server.directory + "/none"] + other)
        try await expect(66, "is not a standby's", ["--status", server.directory + "/other"])
        try await expect(
          78, "is not a PEM file", ["--from", url, "--ca", server.directory + "/ca.pem"] + other + token)
        try await expect(
          77, "does not take the token", ["--from", url, "--token-file", server.directory + "/wrong.token"] + other)
        // Not even the server's own.
        try await expect(75, "is in use", ["--from", url, "--data-directory", server.dataDirectory] + token)

        try standby.start()
        try await standby.catchUp()
        try await expect(75, "is in use", Array(standby.arguments.dropFirst()))
        #expect(try await standby.stop() == 0)
        let stopped = try await server.command(["standby", "--status", standby.dataDirectory])
        #expect(stopped.status == 1 && stopped.output.contains("stopped"), "\(stopped.output)")
        let promoted = try await server.command(["promote", standby.dataDirectory])
        #expect(promoted.status == 0, "\(promoted.output)")
        try await expect(115, "is a primary's", Array(standby.arguments.dropFirst()))
      }
    }
  }
}
