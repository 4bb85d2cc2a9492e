import Foundation
import JSONEnvelope
import ProcessControl
import Testing

extension ServerFromOutside {
  @Suite("A CometD client of somebody else: aiocometd-ng", .timeLimit(.minutes(2)))
  struct CometClientTests {
    /// Held connects end soon, so that a session that nobody polls ends soon as well.
    static let options: ServerOptions = [
      "server": ["cometd.timeout": "1200", "cometd.maxInterval": "1500"],
      "service.request-chat": ["_client_timeout_notification": "60"],
    ]

    static let user = "user-aiocometd"

    @Test(
      "handshake, subscribe, receive, disconnect, return, and recovery from 402",
      arguments: ["long-polling", "websocket"])
    func life(_ transport: String) async throws {
      try await ServerProcess.run(Self.options) { server in
        let app = try Self.client(server, transport)
        do {
          try await play(app, transport, server)
        } catch {
          await app.process.end()
          Issue.record("the client said:\n\(app.text)")
          throw error
        }
      }
    }

    private func play(_ app: CometClient, _ transport: String, _ server: ServerProcess) async throws {
      let (agent, customer) = (server.agent(), server.wire(user: Self.user))
      try await app.waits(for: "a subscription") { $0["subscribed"] == "/_genesys" }
      #expect(try app.lines().contains { $0["opened"] == .string(transport) })
      let (serviceID, started) = try await customer.startChat(WireTraceTests.guest)
      let chatID = try #require(started["chatSessionId"]?.string)
      try await agent.agent("join", chatID, ["nickname": "Agent K"])
      for text in ["Hello", "leave"] { try await agent.agent("messages", chatID, ["text": .string(text)]) }
      try await away(app, agent, chatID)

      _ = try await customer.form(Wire.chat(serviceID, "/send"), [(name: "message", value: "Hi")])
      try await agent.agent("messages", chatID, ["text": "freeze"])
      try await app.waits(for: "the message before the freeze") { $0["ready-to-freeze"] == true }
      try await freeze(app, agent, chatID)

      try await agent.agent("messages", chatID, ["text": "finish"])
      try await app.waits(for: "the end") { $0["closed"] == true }
      #expect(try await app.process.status() == 0)
      try await check(app, agent, chatID)
    }

    private func away(_ app: CometClient, _ agent: Wire, _ chatID: String) async throws {
      try await app.waits(for: "its disconnect") { $0["disconnected"] == true }
      try await agent.agent("messages", chatID, ["text": "missed"])
      // Again and again: it stops itself just after it has said that it is away.
      try await app.waits(for: "the missed message") {
        app.process.send(signal: SIGCONT)
        return $0["event"]?[2] == "missed"
      }
    }

    /// The process stands still until its session has expired; a message is posted meanwhile.
    private func freeze(_ app: CometClient, _ agent: Wire, _ chatID: String) async throws {
      let handshakes = try app.handshakes()
      app.process.send(signal: SIGSTOP)
      try await eventually("the end of the frozen session") {
        try await agent.get("/agent/1/chats/\(chatID)").json["customerOnline"] == false ? true : nil
      }
      try await agent.agent("messages", chatID, ["text": "while frozen"])
      app.process.send(signal: SIGCONT)
      try await app.waits(for: "the message posted while it was frozen") { $0["event"]?[2] == "while frozen" }
      let lines = try app.lines()
      #expect(lines.contains { $0["refused"] == "402::Unknown client" && $0["channel"] == "/meta/connect" })
      #expect(try app.handshakes().count == handshakes.count + 1)
    }

    private func check(_ app: CometClient, _ agent: Wire, _ chatID: String) async throws {
      let lines = try app.lines()
      let events = lines.filter { $0["event"] != nil }
      let transcript = try await agent.get("/agent/1/chats/\(chatID)/transcript?after=0").json
      let all = (transcript["lines"]?.array ?? []).filter { $0["position"] != .null }
      #expect(events.map { $0["position"]?.integer } == Array(1...all.count))
      #expect(events.map { $0["event"]?[2] } == all.map { $0["text"] })
      // Three handshakes: the beginning, the return, the recovery.
      #expect(Set(try app.handshakes()).count == 3)
      let notices = (transcript["lines"]?.array ?? []).filter { $0["text"] == "customer is not online" }
      #expect(notices.count >= 2, "one for the disconnect, one for the frozen client")
    }

    /// Starts the script by `localhost`: the client sends no cookies to bare addresses.
    private static func client(_ server: ServerProcess, _ transport: String) throws -> CometClient {
      let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Scripts/comet_client.py").path
      return try CometClient(
        python: try python(), arguments: [script, "http://localhost:\(server.port)/genesys/cometd", transport, user],
        log: server.directory + "/client.log")
    }

    private static func python() throws -> String {
      let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
      let path =
        ProcessInfo.processInfo.environment["CARILLON_PYTHON"] ?? root.appendingPathComponent(".venv/bin/python3").path
      guard FileManager.default.isExecutableFile(atPath: path) else {
        throw EndToEndFailure("there is no \(path): `make test` sets up the environment with aiocometd-ng")
      }
      return path
    }
  }
}

/// The Python process and what it has said.
private struct CometClient: Sendable {
  let process: ChildProcess
  private let log: String

  init(python: String, arguments: [String], log: String) throws {
    self.log = log
    process = try ChildProcess.start(python, arguments, environment: ["NO_PROXY": "localhost"], log: log)
  }

  var text: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

  func lines() throws -> [JSONValue] {
    text.split(separator: "\n").compactMap { try? JSONValue(parsing: String($0)) }
  }

  func handshakes() throws -> [String] { try lines().compactMap { $0["handshake"]?.string } }

  func waits(for what: String, where isWanted: (JSONValue) -> Bool) async throws {
    try await eventually("\(what) of the client", within: .seconds(25)) {
      if try lines().contains(where: isWanted) { return true }
      if let status = process.poll() { throw EndToEndFailure("the client ended with \(status)") }
      return nil
    }
  }
}
