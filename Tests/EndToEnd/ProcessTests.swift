import CarillonClient
import JSONEnvelope
import ProcessControl
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension ServerFromOutside {
  @Suite("The process: start, stop, configuration", .timeLimit(.minutes(1)))
  struct ProcessTests {
    @Test("without a token it listens on loopback only and says how to make one; with one it listens where it is told")
    func loopback() async throws {
      try await ServerProcess.run(["server": ["host": "0.0.0.0"]], agents: []) { server in
        #expect(try server.listeningAddresses() == ["0100007F"])
        #expect(server.log.contains("carillon token create"))
        try await server.makeToken("k")
        #expect(try await server.agent().get("/agent/1/me").status == 200, "a running server takes new tokens over")
        #expect(try server.listeningAddresses() == ["0100007F"], "but not a new address")
        #expect(try await server.stop() == 0)
        try await server.start()
        #expect(try server.listeningAddresses() == ["00000000"])
      }
    }

    @Test("a second server on the same directory ends with 75 and leaves the first alone")
    func secondProcess() async throws {
      try await ServerProcess.run { server in
        let second = try await server.command(["serve", "--config", server.configurationFile, "--port", "0"])
        #expect(second.status == 75)
        #expect(second.output.contains(server.dataDirectory) && second.output.contains("in use"))
        #expect(try await server.wire().get("/health/ready").status == 200)
      }
    }

    @Test("whoever connects while it starts is answered or turned away, and never left waiting")
    func knocking() async throws {
      try await ServerProcess.run { server in
        for _ in 1...5 {
          try await server.killNow()
          try server.launch()
          let pool = HTTPPool(ServerAddress(host: "127.0.0.1", port: server.port))
          defer { pool.shutDown() }
          try await Self.knock(pool)
        }
      }
    }

    /// Asks without a pause until the server is ready.
    private static func knock(_ pool: HTTPPool) async throws {
      let deadline = ContinuousClock.now + .seconds(15)
      while ContinuousClock.now < deadline {
        do throws(ClientError) {
          let answer = try await pool.response(to: HTTPRequest(.get, "/health/ready"), timeout: .seconds(3))
          if answer.status == 200 { return }
        } catch {
          if case .timedOut = error { throw EndToEndFailure("a request was left without an answer") }
        }
      }
      throw EndToEndFailure("the server is not ready")
    }

    @Test("a bad configuration ends it with 78, every problem with file, section, option and reason")
    func badConfiguration() async throws {
      try await ServerProcess.run(starts: false) { server in
        try server.configure([
          "server": ["port": "http", "cometd.maxinterval": "5"],
          "service.request-chat": ["_client_timeout_notification": "-1"],
        ])
        let result = try await server.command(["serve", "--config", server.configurationFile])
        #expect(result.status == 78)
        for (section, option) in [
          ("server", "port"), ("server", "cometd.maxinterval"),
          ("service.request-chat", "_client_timeout_notification"),
        ] {
          let line = result.output.split(separator: "\n").first {
            $0.contains("section \(section), option \(option):") && $0.contains(server.configurationFile + ":")
          }
          #expect(line != nil, "\(section) \(option) in:\n\(result.output)")
        }
        #expect(result.output.contains("did you mean cometd.maxInterval"))
      }
    }

    @Test("SIGTERM: what is held is answered, the session is still known after the next start, exit 0")
    func stop() async throws {
      try await ServerProcess.run { server in
        let app = try await CometApp.online(server.wire(user: "u"))
        async let held = app.connect()
        try await Task.sleep(for: .milliseconds(100))
        let stream = try await HTTPConversation.open(server.port)
        try await stream.send("GET", "/agent/1/events", headers: server.agent().headers)
        _ = try await stream.response()
        let begin = ContinuousClock.now
        #expect(try await server.stop() == 0)
        #expect(ContinuousClock.now - begin < .seconds(5))
        let replies = try await held
        #expect(replies.last?["channel"] == "/meta/connect" && replies.last?["successful"] == true)
        try await stream.closure()
        try await server.start()
        #expect(try await app.connect().last?["successful"] == true)
      }
    }

    @Test("SIGHUP: service options are read again; a refused file changes nothing")
    func reload() async throws {
      try await ServerProcess.run { server in
        let wire = server.wire()
        let (serviceID, _) = try await wire.startChat([])
        _ = try await wire.form(Wire.chat(serviceID, "/disconnect"))
        func refresh() async throws -> Int { try await wire.form(Wire.chat(serviceID, "/refresh")).status }
        #expect(try await refresh() == 200)
        try server.configure(["service.request-chat": ["_chat_400_response_on_disconnected": "true"]])
        server.process?.send(signal: SIGHUP)
        _ = try await server.logLine { $0["message"] == "configuration read again" }
        #expect(try await refresh() == 400)
        try server.configure(["service.request-chat": ["_chat_400_response_on_disconnected": "perhaps"]])
        server.process?.send(signal: SIGHUP)
        _ = try await server.logLine { $0["message"] == "configuration refused, the old one stays" }
        #expect(server.log.contains(#""option":"_chat_400_response_on_disconnected""#))
        #expect(try await refresh() == 400)
        #expect(server.isRunning)
      }
    }
  }
}
