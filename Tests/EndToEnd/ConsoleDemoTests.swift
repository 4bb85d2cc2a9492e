import CarillonClient
import Foundation
import JSONEnvelope
import ProcessControl
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension ServerFromOutside {
  /// As somebody starts it who wants to see the console.
  @Suite("carillon demo --serve", .timeLimit(.minutes(4)))
  struct ConsoleDemoTests {
    /// The demo as it was started here, with what it has printed.
    private struct Demo {
      let process: ChildProcess
      /// Where it may leave files.
      let directory: String
      let port: Int
      /// One-time codes by the names that they sign in.
      let codes: [String: String]

      var wire: Wire { Wire(port: port) }
      var leftovers: [String] { (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] }

      /// Ctrl-C; the exit code.
      func interrupt() async throws -> Int32 {
        process.send(signal: SIGINT)
        return try await process.status(within: .seconds(20))
      }
    }

    private func withDemo(
      in server: ServerProcess, _ arguments: [String] = [], _ body: (Demo) async throws -> Void
    ) async throws {
      let directory = server.directory + "/tmp"
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      let log = server.directory + "/demo-\(UUID().uuidString).txt"
      let process = try ChildProcess.start(
        ServerProcess.executable, ["demo", "--serve", "--port", "0"] + arguments, environment: ["TMPDIR": directory],
        log: log)
      do {
        let (port, codes) = try await Self.greeting(of: process, log)
        try await body(Demo(process: process, directory: directory, port: port, codes: codes))
      } catch {
        process.send(signal: SIGTERM)
        _ = try? await process.status()
        Issue.record("the demo has said:\n\((try? String(contentsOfFile: log, encoding: .utf8)) ?? "")")
        throw error
      }
      #expect(!process.isRunning, "the test ends it")
    }

    /// Reads on until all links are there.
    private static func greeting(of process: ChildProcess, _ log: String) async throws -> (Int, [String: String]) {
      let deadline = ContinuousClock.now + .seconds(60)
      while ContinuousClock.now < deadline {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        if text.contains("Ctrl-C ends it"),
          let found = text.firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\/console\/demo-app/)
        {
          let codes = text.matches(of: /(\w+), \w+ +http:\S+\/console\/#code=(csc_\S+)/)
            .map { (String($0.output.1), String($0.output.2)) }
          return (try #require(Int(found.output.1)), Dictionary(uniqueKeysWithValues: codes))
        }
        if let status = process.poll() { throw EndToEndFailure("the demo ended with \(status)") }
        try await Task.sleep(for: .milliseconds(20))
      }
      throw EndToEndFailure("the demo printed no links")
    }

    /// Signs in with a printed link, as a browser does.
    private func signIn(_ demo: Demo, _ name: String) async throws -> (wire: Wire, session: JSONValue) {
      let code = try #require(demo.codes[name])
      let answer = try await demo.wire.json("/console/1/session", ["code": .string(code)])
      #expect(answer.status == 200, "\(answer.text)")
      let cookie = try #require(answer.header("Set-Cookie")?.split(separator: ";").first)
      let csrf = try #require(answer.json["csrf"]?.string)
      return (
        Wire(port: demo.port, headers: [("Cookie", String(cookie)), ("X-CSRF-Token", csrf)]), answer.json
      )
    }

    /// Asks again until the answer is as wanted.
    private func until<Value>(
      _ what: String, within timeout: Duration = .seconds(60), _ look: () async throws -> Value?
    ) async throws -> Value {
      let deadline = ContinuousClock.now + timeout
      while ContinuousClock.now < deadline {
        if let value = try await look() { return value }
        try await Task.sleep(for: .milliseconds(200))
      }
      throw EndToEndFailure("\(what): not within \(timeout)")
    }

    @Test("its links sign in, its customers write and answer, its phone is pushed to; Ctrl-C leaves nothing behind")
    func life() async throws {
      try await ServerProcess.run(agents: [], starts: false) { server in
        try await withDemo(in: server) { demo in
          #expect(Set(demo.codes.keys) == ["anna", "ben", "sue", "op"])
          for (name, role) in [("sue", "supervisor"), ("op", "admin"), ("ben", "agent")] {
            #expect(try await signIn(demo, name).session["role"] == .string(role))
          }
          let anna = try await signIn(demo, "anna").wire
          try await answers(anna)
          try await phone(demo, anna)
          #expect(demo.leftovers.count == 1)
          #expect(try await demo.interrupt() == 0)
          #expect(demo.leftovers.isEmpty, "\(demo.leftovers)")
          await #expect(throws: (any Error).self, "the server is gone") {
            _ = try await demo.wire.get("/health/live")
          }
          let processes = try Self.processes(naming: demo.directory)
          #expect(processes.isEmpty, "\(processes)")
        }
      }
    }

    /// A customer's chat waits; what an agent says in it is answered.
    private func answers(_ anna: Wire) async throws {
      let chat = try await until("a chat that waits") { () -> String? in
        let chats = try await anna.get("/agent/1/chats?state=waiting").json.array ?? []
        return chats.first { $0["service"] != "returns" && $0["phase"] == "foreground" }?["chatId"]?.string
      }
      try await anna.agent("join", chat, ["nickname": "Anna"])
      let position = try #require(try await anna.agent("messages", chat, ["text": "Which order is it about?"]))
      let answer = try await until("the customer's answer", within: .seconds(150)) { () -> String? in
        let lines = try await anna.get("/agent/1/chats/\(chat)/transcript?after=\(position)").json["lines"]?.array ?? []
        return lines.first { $0["type"] == "Message.Text" && $0["role"] == "CLIENT" }?["text"]?.string
      }
      #expect(!answer.isEmpty)
    }

    /// What the page of the phone does, by a client that speaks the same.
    private func phone(_ demo: Demo, _ anna: Wire) async throws {
      let page = try await demo.wire.get("/console/demo-app")
      #expect(page.status == 200 && page.header("Content-Security-Policy")?.hasPrefix("default-src 'self'") == true)
      let sender = try #require(page.text.firstMatch(of: /data-sender="(\d+)"/)?.output.1)
      let service = try #require(page.text.firstMatch(of: /data-service="(\w+)"/)?.output.1)
      let address = ServerAddress(host: "127.0.0.1", port: demo.port)
      let device = DeviceClient(address)
      try await device.checkIn()
      let token = try await device.register(app: "demo.phone", senders: [String(sender)])
      var configuration = ChatConfiguration(server: address, userKey: "phone-\(UUID().uuidString)")
      configuration.service = String(service)
      let chat = CarillonChat(configuration)
      try await chat.start(ChatParameters(displayName: "Pat", push: .init(type: "fcm", deviceID: token)))
      let id = try #require(await chat.chatSessionID)
      try await anna.agent("join", id, ["nickname": "Anna"])
      try await chat.enterBackground()
      try await anna.agent("messages", id, ["text": "It has left"])
      var messages = await device.messages().makeAsyncIterator()
      let push = try #require(try await messages.next())
      #expect(push.data.contains { $0.value.contains("It has left") }, "\(push)")
      await device.acknowledge(push.id)
      _ = try await until("the push's outcome") { () -> Bool? in
        let own = try await anna.get("/agent/1/chats?state=own").json.array ?? []
        return own.first { $0["chatId"] == .string(id) }?["pushes"]?["last"]?["outcome"] == "delivered" ? true : nil
      }
      try await chat.disconnect()
    }

    /// Processes with a text in their command line.
    private static func processes(naming text: String) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { pid in
        guard Int(pid) != nil, let line = try? Data(contentsOf: URL(filePath: "/proc/\(pid)/cmdline")) else {
          return false
        }
        return String(decoding: line, as: UTF8.self).contains(text)
      }
    }

    @Test("a named data directory stays, and serves again")
    func again() async throws {
      try await ServerProcess.run(agents: [], starts: false) { server in
        for _ in 1...2 {
          try await withDemo(in: server, ["--data-directory", server.dataDirectory]) { demo in
            let session = try await signIn(demo, "anna").session
            #expect(session["name"] == "anna")
            let status = try await demo.interrupt()
            #expect(status == 0)
            #expect(demo.leftovers.isEmpty)
          }
          #expect(FileManager.default.fileExists(atPath: server.dataDirectory + "/tokens.json"))
        }
      }
    }

    @Test("a server's own end is the demo's, with what it has said")
    func end() async throws {
      try await ServerProcess.run(agents: [], starts: false) { server in
        try await withDemo(in: server) { demo in
          let pids = try Self.processes(naming: demo.directory)
          #expect(pids.count == 1)
          for pid in pids.compactMap({ Int32($0) }) { kill(pid, SIGKILL) }
          #expect(try await demo.process.status(within: .seconds(30)) == 1)
          #expect(demo.leftovers.isEmpty)
        }
      }
    }

    @Test("an ordinary server has no phone, and nothing of it")
    func ordinary() async throws {
      try await ServerProcess.run { server in
        for path in ["/console/demo-app", "/console/demo-app/", "/console/demo/phone.js"] {
          let answer = try await server.wire().get(path)
          #expect(answer.status == 404, "\(path)")
        }
        let page = try await server.wire().get("/console/")
        #expect(page.status == 200)
        let help = try await server.command(["serve", "--help"])
        #expect(help.status == 0 && !help.output.contains("demo-app"))
      }
    }

    @Test("what cannot be is said before anything is made")
    func refusals() async throws {
      try await ServerProcess.run { server in
        let taken = try await server.command(
          ["demo", "--serve", "--port", String(server.port)], environment: ["TMPDIR": server.directory])
        #expect(taken.status == 69 && taken.output.contains("error: cannot listen on 127.0.0.1:\(server.port)"))
        #expect(taken.output.contains("--port"), "\(taken.output)")
        for arguments in [
          ["--port", "8080"], ["--data-directory", "x"], ["--serve", "--port", "65536"], ["--serve", "--port", "x"],
        ] {
          #expect(try await server.command(["demo"] + arguments).status == 64, "\(arguments)")
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: server.directory)
        #expect(!files.contains { $0.hasPrefix("carillon-demo-") })
      }
    }
  }
}
