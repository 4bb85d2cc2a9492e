import CarillonClient
import Engine
import GCMProtocol
import PushDomain
import Synchronization
import Testing

@testable import HTTPEdge

@Suite("Device's socket", .timeLimit(.minutes(5)))
struct DeviceSocketTests {
  private static let app = "com.example.app"
  private static let sender = "1234567890"

  private func client(_ server: ServerHarness, like other: DeviceIdentity? = nil) -> DeviceClient {
    DeviceClient(
      ServerAddress(host: "127.0.0.1", port: server.port), identity: other, backOff: BackOff(step: .milliseconds(10)))
  }

  private func send(_ server: ServerHarness, to token: String) async throws -> String {
    var request = DownstreamRequest(target: .recipient(token))
    request.data = [MailPair("score", "3x1")]
    guard case .targets(let results) = try await server.engine.messaging.send(request, sender: Self.sender),
      case .accepted(let id, _) = results.first
    else { throw RawClient.ClosedEarly() }
    return id
  }

  @Test("a device checks in, registers, gets what is stored and what comes; what it acknowledges comes once")
  func messages() async throws {
    try await ServerHarness.run { server in
      let device = client(server)
      let identity = try await device.checkIn()
      let token = try await device.register(app: Self.app, senders: [Self.sender])
      let stored = try await send(server, to: token)
      var messages = await device.messages().makeAsyncIterator()
      let first = try #require(try await messages.next())
      #expect(first.id == stored)
      #expect(first.category == Self.app && first.from == Self.sender && first.data["score"] == "3x1")
      await device.acknowledge(stored)
      let unacknowledged = try await send(server, to: token)
      #expect(try await messages.next()?.id == unacknowledged)
      // The same device from another place: the first is told to go, and only the second message comes again.
      var again = await client(server, like: identity).messages().makeAsyncIterator()
      #expect(try await again.next()?.id == unacknowledged)
    }
  }

  @Test("a device that is there before its server waits for it, and says so once")
  func waitsForServer() async throws {
    try await ServerHarness.run(recovers: false) { server in
      let device = client(server)
      let remarks = Mutex<[ClientError]>([])
      async let identity = device.untilServed { error in
        remarks.withLock { $0.append(error) }
      } _: {
        try await device.checkIn()
      }
      try await until { remarks.withLock { !$0.isEmpty } }
      _ = try await server.engine.recover()
      #expect(try await identity == device.identity)
      #expect(remarks.withLock { $0.count } == 1)
      // What will never pass is not waited out.
      await #expect(throws: ClientError.refused(status: 401, message: "x")) {
        try await device.untilServed(isWaiting: { _ in }) { () async throws -> Void in
          throw ClientError.refused(status: 401, message: "x")
        }
      }
    }
  }

  @Test("where nobody listens a device waits until it is told to stop")
  func waitsForNobody() async throws {
    let device = DeviceClient(
      ServerAddress(host: "127.0.0.1", port: 1), backOff: BackOff(step: .milliseconds(1)))
    let remarks = Mutex<[ClientError]>([])
    let waiting = Task {
      try await device.untilServed { error in
        remarks.withLock { $0.append(error) }
      } _: {
        try await device.checkIn()
      }
    }
    try await until { remarks.withLock { !$0.isEmpty } }
    waiting.cancel()
    await #expect(throws: (any Error).self) { try await waiting.value }
  }

  @Test("an identity that the server does not know is refused for good")
  func unknown() async throws {
    try await ServerHarness.run { server in
      let device = client(server, like: DeviceIdentity(id: 7, securityToken: 8))
      await #expect(throws: ClientError.refused(status: 401, message: "unauthenticated")) {
        for try await _ in await device.messages() {}
      }
    }
  }

  @Test("a message to an app server is safe when `send` returns; one to nobody never will be")
  func upstream() async throws {
    try await ServerHarness.run { server in
      let device = client(server)
      try await device.checkIn()
      let token = try await device.register(app: Self.app, senders: [Self.sender])
      let appServer = AppServer()
      try await server.engine.appServers.attach(appServer, sender: Self.sender)
      let reading = Task { for try await _ in await device.messages() {} }
      try await device.send(DeviceUpstream(id: "m1", to: Self.sender, category: Self.app, data: ["move": "e4"]))
      var mails = appServer.mails.makeAsyncIterator()
      let mail = await mails.next()
      #expect(mail?.id == "m1" && mail?.origin == token && mail?.pairs == [MailPair("move", "e4")])
      await #expect(throws: ClientError.self) {
        try await device.send(DeviceUpstream(id: "m2", to: "999", category: Self.app, data: [:]))
      }
      reading.cancel()
      _ = await reading.result
    }
  }

  @Test("a request without a handshake, and another method, are told so")
  func handshake() async throws {
    try await ServerHarness.run { server in
      let raw = try await server.connect()
      try await raw.get("/device/1/socket", headers: "")
      #expect(try await raw.response().status == 400)
    }
  }
}

/// An app server's connection: keeps what it gets, and acknowledges nothing.
private final class AppServer: AppServerLink {
  let (mails, continuation) = AsyncStream.makeStream(of: Mail.self)
  var pendingCount: Int { 0 }
  func deliver(_ mail: Mail) { continuation.yield(mail) }
  func close(_ reason: MailLinkClosing) { continuation.finish() }
}
