import EdgeSecurity
import Engine
import EventSourcing
import GCMProtocol
import Logging
import PushDomain
import ServerKit
import ServiceLifecycle
import SystemPackage
import Testing

@testable import CCSEdge

/// A server on loopback, port 0, with something else in the engine's place.
struct ServerRig {
  let server: CCSServer
  let services: ServiceGroup
  let port: Int

  static func run(
    _ backend: ScriptedBackend, limits: CCSLimits = CCSLimits(), tls: TLSFiles? = nil,
    _ body: (ServerRig) async throws -> Void
  ) async throws {
    try await run(try server(backend.backend, limits, tls), body)
    backend.release()
  }

  static func server(
    _ backend: CCSBackend, _ limits: CCSLimits = CCSLimits(), _ tls: TLSFiles? = nil
  ) throws -> CCSServer {
    try CCSServer(
      backend: backend, configuration: CCSConfiguration(port: 0, tls: tls, limits: limits), logger: silent)
  }

  static func run(_ server: CCSServer, _ body: (ServerRig) async throws -> Void) async throws {
    let services = ServiceGroup(services: [server], logger: silent)
    let serving = Task { try await services.run() }
    let outcome: Result<Void, any Error>
    do {
      outcome = .success(
        try await body(ServerRig(server: server, services: services, port: try await server.boundPort)))
    } catch {
      outcome = .failure(error)
    }
    serving.cancel()
    _ = await serving.result
    try outcome.get()
  }

  static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

@Suite("CCS server", .timeLimit(.minutes(5)))
struct CCSServerTests {
  private func mail(_ id: String, bytes: Int = 1) -> Mail {
    Mail(
      id: id, scope: "", origin: "token", category: "com.example", sender: "1234567890", acceptedAt: .epoch,
      timeToLive: 60, pairs: [MailPair("k", String(repeating: "v", count: bytes))])
  }

  @Test("an app server logs in, sends, and is answered")
  func sends() async throws {
    let backend = ScriptedBackend()
    try await ServerRig.run(backend) { rig in
      let stream = try await RawStream.logIn(rig.port)
      try await stream.write(Words.send("m-1"))
      _ = try await stream.text(through: #"{"from":"token","message_id":"m-1","message_type":"ack"}</gcm></message>"#)
      try await stream.write("</stream:stream>")
      #expect(try await stream.rest() == "</stream:stream>")
      try await backend.until(.detached)
      #expect(backend.sent == ["m-1"])
    }
  }

  @Test("a wrong key is refused")
  func wrongKey() async throws {
    try await ServerRig.run(ScriptedBackend(key: "other")) { rig in
      let stream = try await RawStream.connect(rig.port)
      try await stream.write(Words.header + Words.auth)
      _ = try await stream.text(through: "<not-authorized/></failure>")
    }
  }

  @Test("an address with too many wrong keys is not listened to for a while")
  func tooManyWrongKeys() async throws {
    let engine = Engine(
      configuration: EngineConfiguration(dataDirectory: "/nowhere"), providers: { _ in nil }, logger: ServerRig.silent,
      onFatal: { _ in })
    var settings = BudgetSettings()
    settings.exempt = []
    settings.addressPerMinute[.wrongTokens] = 1
    let backend = CCSBackend(messaging: engine.messaging, budgets: StrangerBudgets(settings, nanoseconds: { 0 })) {
      _, _ in false
    }
    try await ServerRig.run(try ServerRig.server(backend)) { rig in
      let stream = try await RawStream.connect(rig.port)
      try await stream.write(Words.header + Words.auth)
      _ = try await stream.text(through: "<not-authorized/></failure>")
      try await stream.write(Words.auth)
      #expect(try await stream.rest().hasSuffix(streamError("policy-violation")))
    }
  }

  @Test("one address has so many connections")
  func connectionsOfOneAddress() async throws {
    var settings = BudgetSettings()
    settings.exempt = []
    settings.connectionsByAddressMaximum = 1
    var configuration = CCSConfiguration(port: 0)
    configuration.budgets = StrangerBudgets(settings)
    let backend = ScriptedBackend()
    let server = try CCSServer(backend: backend.backend, configuration: configuration, logger: ServerRig.silent)
    try await ServerRig.run(server) { rig in
      let first = try await RawStream.connect(rig.port)
      try await first.write(Words.header)
      _ = try await first.text(through: "</stream:features>")
      let second = try await RawStream.connect(rig.port)
      #expect(try await second.rest().isEmpty)
    }
    backend.release()
  }

  @Test("a sender with too many connections gets no more")
  func tooMany() async throws {
    try await ServerRig.run(ScriptedBackend(attaches: false)) { rig in
      let stream = try await RawStream.connect(rig.port)
      try await stream.write(Words.login)
      #expect(try await stream.rest().hasSuffix(streamError("resource-constraint")))
    }
  }

  @Test("while the engine recovers nobody is told that a token is dead")
  func recovering() async throws {
    let engine = Engine(
      configuration: EngineConfiguration(dataDirectory: "/nowhere"), providers: { _ in nil }, logger: ServerRig.silent,
      onFatal: { _ in })
    let backend = CCSBackend(messaging: engine.messaging) { _, _ in true }
    let address = CCSAddress(messageID: "m-1", to: "token")
    let answer = await backend.send(address, DownstreamRequest(target: .recipient("token")), "1234567890")
    #expect(answer == CCSAnswer(address, .unavailable))
    var limits = CCSLimits()
    limits.closeTimeout = .milliseconds(50)
    try await ServerRig.run(try ServerRig.server(backend, limits)) { rig in
      let stream = try await RawStream.connect(rig.port)
      try await stream.write(Words.login)
      #expect(try await stream.rest().hasSuffix(streamError("resource-constraint")))
    }
  }

  @Test("a thousand unanswered messages wait in the socket: a hundred at a time, none is lost")
  func backPressure() async throws {
    let backend = ScriptedBackend()
    try await ServerRig.run(backend) { rig in
      backend.hold()
      let stream = try await RawStream.logIn(rig.port)
      let writing = Task { try await stream.write((1...1_000).map { Words.send("m-\($0)") }.joined()) }
      try await backend.until { $0.sent.count >= 100 }
      // Time enough to take more, if it wanted to.
      try await Task.sleep(for: .milliseconds(100))
      #expect(backend.sent.count == 100)
      backend.release()
      for _ in 1...1_000 { _ = try await stream.text(through: #""message_type":"ack"}"#) }
      try await writing.value
      #expect(Set(backend.sent) == Set((1...1_000).map { "m-\($0)" }))
    }
  }

  @Test("what devices send is delivered once and acknowledged once")
  func upstream() async throws {
    let backend = ScriptedBackend()
    try await ServerRig.run(backend) { rig in
      let stream = try await RawStream.logIn(rig.port)
      try await backend.until(.attached(sender: "1234567890"))
      let link = try #require(backend.link)
      link.deliver(mail("u-1"))
      link.deliver(mail("u-1"))
      link.deliver(mail("u-2"))
      #expect(link.pendingCount == 2)
      let text = try await stream.text(through: #""message_id":"u-2"}"#)
      #expect(text.ranges(of: #""message_id":"u-1""#).count == 1)
      try await stream.write(Words.ack("u-1") + Words.ack("u-1") + Words.ack("stranger") + Words.ack("u-2"))
      try await backend.until(.acknowledged(messageID: "u-2"))
      #expect(
        backend.events.filter { if case .acknowledged = $0 { true } else { false } } == [
          .acknowledged(messageID: "u-1"), .acknowledged(messageID: "u-2"),
        ])
      #expect(link.pendingCount == 0)
      await stream.close()
      try await backend.until(.detached)
    }
  }

  @Test("a stopping server says so, refuses what is new, finishes what is under way and closes")
  func draining() async throws {
    let backend = ScriptedBackend()
    var limits = CCSLimits()
    limits.drainNotice = .milliseconds(100)
    try await ServerRig.run(backend, limits: limits) { rig in
      backend.hold()
      let stream = try await RawStream.logIn(rig.port)
      try await stream.write(Words.send("m-1"))
      try await backend.until(.sending(messageID: "m-1"))
      await rig.services.triggerGracefulShutdown()
      _ = try await stream.text(through: #"{"message_type":"control","control_type":"CONNECTION_DRAINING"}"#)
      try await stream.write(Words.send("m-2"))
      _ = try await stream.text(through: #""message_id":"m-2","message_type":"nack","error":"CONNECTION_DRAINING""#)
      backend.release()
      _ = try await stream.text(through: #""message_id":"m-1","message_type":"ack""#)
      _ = try await stream.text(through: "</stream:stream>")
      await stream.close()
      while rig.server.connectionCount > 0 { try await Task.sleep(for: .milliseconds(2)) }
      #expect(backend.sent == ["m-1"])
    }
  }

  @Test("whoever does not log in is told that time is up", arguments: ["", "<stream", Words.header])
  func loginTimeout(text: String) async throws {
    var limits = CCSLimits()
    // Long enough for a busy machine to write after the connect.
    limits.loginTimeout = .seconds(2)
    limits.closeTimeout = .milliseconds(50)
    try await ServerRig.run(ScriptedBackend(), limits: limits) { rig in
      let stream = try await RawStream.connect(rig.port)
      try await stream.write(text)
      #expect(try await stream.rest().hasSuffix(streamError("connection-timeout")))
    }
  }

  @Test("a bomb ends its own connection and no other, with the right word")
  func bombs() async throws {
    var limits = CCSLimits()
    limits.closeTimeout = .milliseconds(500)
    let entities = (1...9).map { "<!ENTITY e\($0) '\(String(repeating: "&e\($0 - 1);", count: 10))'>" }.joined()
    let deep = String(repeating: "<a>", count: 3_000)
    let attributes = (0..<400).map { " a\($0)=''" }.joined()
    try await ServerRig.run(ScriptedBackend(), limits: limits) { rig in
      let bystander = try await RawStream.logIn(rig.port)
      for (text, word) in [
        ("<!DOCTYPE s [<!ENTITY e0 'ha'>\(entities)]><s>&e9;</s>", "restricted-xml"),
        (Words.header + deep, "policy-violation"), (Words.login + "<message>" + deep, "policy-violation"),
        (Words.login + "<message\(attributes)/>", "policy-violation"),
        (Words.login + "<message>" + String(repeating: "x", count: 200_000), "policy-violation"),
        (Words.header + "<auth>" + String(repeating: "x", count: 9_000), "policy-violation"),
        (Words.login + "<message>&unknown;</message>", "not-well-formed"),
        ("GET / HTTP/1.1\r\n\r\n<", "not-well-formed"), ("\u{16}\u{3}\u{1}>", "not-well-formed"),
      ] {
        let stream = try await RawStream.connect(rig.port)
        // What is not taken any more may break the connection.
        try? await stream.write(text)
        if word == "not-well-formed" { try? await stream.write(">") }
        #expect(try await stream.rest().hasSuffix(streamError(word)), "\(text.prefix(60))")
      }
      try await bystander.write(Words.send("m-1"))
      _ = try await bystander.text(through: #""message_type":"ack""#)
    }
  }

  @Test("one connection more than allowed is closed at once")
  func connectionLimit() async throws {
    var limits = CCSLimits()
    limits.connectionsMaximum = 1
    try await ServerRig.run(ScriptedBackend(), limits: limits) { rig in
      let first = try await RawStream.logIn(rig.port)
      #expect(try await RawStream.connect(rig.port).rest() == "")
      #expect(rig.server.connectionCount == 1)
      await first.close()
      while rig.server.connectionCount > 0 { try await Task.sleep(for: .milliseconds(2)) }
      _ = try await RawStream.logIn(rig.port)
    }
  }

  @Test("a client that does not read is dropped, and its messages go elsewhere")
  func slowReader() async throws {
    let backend = ScriptedBackend()
    var limits = CCSLimits()
    limits.backlogBytesMaximum = 100_000
    try await ServerRig.run(backend, limits: limits) { rig in
      let stream = try await RawStream.logIn(rig.port)
      try await stream.stopReading()
      try await backend.until(.attached(sender: "1234567890"))
      let link = try #require(backend.link)
      var number = 0
      while !backend.events.contains(.detached) {
        number += 1
        link.deliver(mail("u-\(number)", bytes: 50_000))
        try await Task.sleep(for: .milliseconds(1))
      }
    }
  }

  @Test("a silent connection is kept alive by blanks")
  func keepAlive() async throws {
    var limits = CCSLimits()
    limits.keepAliveInterval = .milliseconds(50)
    try await ServerRig.run(ScriptedBackend(), limits: limits) { rig in
      let stream = try await RawStream.logIn(rig.port)
      #expect(try await stream.text(through: "  ") == "  ")
    }
  }

  @Test("a connection whose engine goes is closed with the reason")
  func closedByTheEngine() async throws {
    let backend = ScriptedBackend()
    var limits = CCSLimits()
    limits.closeTimeout = .milliseconds(50)
    try await ServerRig.run(backend, limits: limits) { rig in
      let stream = try await RawStream.logIn(rig.port)
      try await backend.until(.attached(sender: "1234567890"))
      backend.link?.close(.revoked)
      #expect(try await stream.rest().hasSuffix(streamError("not-authorized")))
    }
  }

  private func streamError(_ word: String) -> String {
    "<stream:error><\(word) xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error></stream:stream>"
  }
}
