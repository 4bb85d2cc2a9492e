import Foundation
import JSONEnvelope
import ProcessControl
import StandInSupport
import Testing

extension ServerFromOutside {
  @Suite("carillon push and config check", .timeLimit(.minutes(2)))
  struct PushCommandTests {
    @Test("a token is pushed to through the server; the provider's answer is printed, and is the exit code")
    func push() async throws {
      let apns = try await StandIn.start("apns.py")
      defer { apns.stop() }
      try await ServerProcess.run(PushPayloadTests.options(apple: apns)) { server in
        let token = try await tokenFile(server)
        func push(_ device: String) async throws -> (status: Int32, output: String) {
          try await server.command([
            "push", "--device", device, "--title", "Hello", "--body", "It works", "--data", #"{"order":81}"#,
            "--server", "http://127.0.0.1:\(server.port)", "--token-file", token,
          ])
        }
        let done = try await push("ios:\(PushPayloadTests.iosToken)")
        #expect(done.status == 0)
        #expect(done.output.hasPrefix("delivered, 1 attempt, id "))
        let request = try #require(await apns.next())
        #expect(
          request["body"] as? String
            == #"{"aps":{"alert":{"title":"Hello","body":"It works"}},"order":81}"#)
        let rows = apns.hello["rows"] as? [String: any Sendable] ?? [:]
        let gone = try await push("ios:\(rows["ExpiredToken"] as? String ?? "")")
        #expect(gone.status == 1)
        #expect(gone.output.hasPrefix("unregistered (410 ExpiredToken), 1 attempt"))
        let unknown = try await push("0123")
        #expect(unknown.status == 1)
        #expect(unknown.output.contains("the server says 404: There is no such device"))
        let timeline = try await server.command(["journal", "timeline", server.dataDirectory, "--details"])
        #expect(timeline.output.contains("was delivered") && timeline.output.contains("the device is gone"))
        #expect(!timeline.output.contains(PushPayloadTests.iosToken))
      }
    }

    @Test("what an enabled type lacks is named, and a type that lacks something stops no other")
    func checkConfig() async throws {
      try await PushReceiver.run { receiver in
        var options = receiver.options(delaySeconds: 0)
        options["push", default: [:]]["pushEnabled"] = "comet,customhttp,ios,fcm"
        options["push", default: [:]]["apple.topic"] = "com.example.chat"
        try await ServerProcess.run(options) { server in
          let checked = try await server.command(["config", "check", "--config", server.configurationFile])
          #expect(checked.status == 78)
          #expect(checked.output.contains("push customhttp: ready"))
          #expect(checked.output.contains("push ios: not set: apple.key_file"))
          #expect(checked.output.contains("push fcm: not set: fcm.service_account_file"))
          let chat = try await PushPayloadTests.away(server, type: "customhttp", device: "device-77")
          try await PushPayloadTests.write(chat, server, ["Are you still there?"])
          _ = try await receiver.pushes(count: 1)
        }
      }
    }

    @Test("what waits for its next attempt is counted where operators look, with the age of its oldest")
    func backlog() async throws {
      try await PushReceiver.run { receiver in
        var options = receiver.options(delaySeconds: 0)
        for (name, value) in options["push", default: [:]] where value == receiver.url() {
          options["push", default: [:]][name] = "http://127.0.0.1:9/nobody-listens"
        }
        try await ServerProcess.run(options) { server in
          let chat = try await PushPayloadTests.away(server, type: "customhttp", device: "device-77")
          try await PushPayloadTests.write(chat, server, ["Are you still there?"])
          func total(_ metric: String) async throws -> Double {
            try await server.wire().get("/metrics").text.split(separator: "\n")
              .filter { $0.hasPrefix(metric + "{") }
              .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.reduce(0, +)
          }
          try await eventually("a push that waits") {
            let (depth, age) = (
              try await total("carillon_push_queue_depth"), try await total("carillon_push_oldest_age_seconds")
            )
            return depth == 1 && age > 0 ? true : nil
          }
        }
      }
    }

    @Test("SIGHUP: a credential that was missing is taken up, and pushes go out")
    func reload() async throws {
      let apns = try await StandIn.start("apns.py")
      defer { apns.stop() }
      var options = PushPayloadTests.options(apple: apns)
      let keyFile = options["push"]?["apple.key_file"]
      options["push", default: [:]]["apple.key_file"] = "/nonexistent.p8"
      try await ServerProcess.run(options) { server in
        let token = try await tokenFile(server)
        let command = [
          "push", "--device", "ios:\(PushPayloadTests.iosToken)", "--title", "Hello", "--server",
          "http://127.0.0.1:\(server.port)", "--token-file", token,
        ]
        let refused = try await server.command(command)
        #expect(refused.status == 1)
        #expect(refused.output.contains("apple.key_file"))
        options["push", default: [:]]["apple.key_file"] = keyFile
        try server.configure(options)
        server.process?.send(signal: SIGHUP)
        _ = try await server.logLine { $0["message"] == "configuration read again" }
        let done = try await server.command(command)
        #expect(done.output.hasPrefix("delivered"))
      }
    }

    private func tokenFile(_ server: ServerProcess) async throws -> String {
      let made = try await server.command([
        "token", "create", "--name", "ops", "--role", "admin", "--data-directory", server.dataDirectory,
      ])
      let token = try #require(made.output.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("car_") })
      let path = server.directory + "/ops.token"
      try String(token).write(toFile: path, atomically: true, encoding: .utf8)
      return path
    }
  }
}
