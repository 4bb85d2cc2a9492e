import ChatDomain
import ChatEngine
import CometEngine
import EngineKit
import Foundation
import JSONEnvelope
import Journal
import Logging
import PushDomain
import PushEngine
import ScriptedClients
import SimulatedDisk
import Synchronization
import SystemPackage
import Testing

@testable import Bayeux

/// Chat, with what it stands on, and nothing else: no capability reaches into another that it does not name.
struct SmallServer {
  static let features: [any Feature.Type] = [CometGateway.self, PushFeature.self, ChatFeature.self]

  let comet: CometGateway
  let chat: ChatFeature
  let courier = ScriptedCourier()
  let service: PartitionService

  init(_ node: Node, directory: FilePath) {
    let partitions = Partitions(
      node, PartitionConfiguration(dataDirectory: directory), catalogue: Catalogue(Self.features.flatMap { $0.kinds })
    ) { _ in }
    comet = CometGateway(partitions, settings: SessionSettings(), requiresCookie: false, requiresProof: false)
    let push = PushFeature(partitions, comet: comet) { [courier] in $0 == "test" ? courier : nil }
    chat = ChatFeature(partitions, comet: comet, push: push)
    service = PartitionService(partitions, [comet, push, chat])
  }

  /// A chat of Mia's, whom the phone wakes.
  func startChat() async throws -> (id: String, chatID: String) {
    let id = try await chat.chats.create(service: "request-chat", data: [], userKey: "mia")
    let start = ChatStartRequest(
      userKey: "mia", notifiesByComet: true, nickname: "Mia", subject: "Order",
      pushTarget: PushTarget(type: "test", deviceID: "phone"))
    return (id, try await chat.chats.start(id, start).chatSessionID)
  }

  func texts(of id: String, after position: Int = 0) async throws -> [String] {
    try await chat.chats.refresh(id, after: position, message: nil, by: .customer(userKey: "mia")).events.map(\.text)
  }

  /// One process: a node with a partition in each directory.
  static func run(
    in directories: [FilePath], _ environment: EngineEnvironment = EngineEnvironment(),
    _ body: @Sendable ([SmallServer]) async throws -> Void
  ) async throws {
    let options = Options(sections: [
      "service.request-chat": ["_client_timeout_notification": "0"], "push": ["pushEnabled": "comet,test"],
    ])
    let node = Node(
      NodeConfiguration(options: options), environment: environment,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let servers = directories.map { SmallServer(node, directory: $0) }
    let services = servers.map(\.service)
    let running = Task { await node.run(services) }
    let result: Result<Void, any Error>
    do {
      for service in services { _ = try await service.recover(for: .service) }
      node.becomeReady()
      result = .success(try await body(servers))
    } catch { result = .failure(error) }
    await node.stop(services, grace: .seconds(2))
    await running.value
    try result.get()
  }
}

@Suite("A server of Comet, push and chat alone", .timeLimit(.minutes(1)))
struct SmallServerTests {
  @Test("plays the story: chat, background, push, restart, catch-up")
  func story() async throws {
    try await withDirectories(1) { directories in
      let id = Mutex("")
      try await SmallServer.run(in: directories) { servers in
        let server = servers[0]
        let started = try await server.startChat()
        id.withLock { $0 = started.id }
        let client = ScriptedClient(server.comet, user: "mia")
        _ = try await client.comeOnline()
        let poll = try client.poll()
        _ = try await server.chat.agents.join(started.chatID, agentID: "k", nickname: "Kim", role: .agent)
        #expect(Notification(try await poll.reply()[0])?.lines == [["Notice.Joined", "has joined the session"]])
        _ = try await client.disconnect(position: 2)
        _ = try await server.chat.agents.send(started.chatID, agentID: "k", text: "Are you there?")
        let push = try await server.courier.next()
        #expect(push["lastTranscript"]?[0]?["Message.Text"]?.string == "Are you there?")
      }
      try await SmallServer.run(in: directories) { servers in
        let again = ScriptedClient(servers[0].comet, user: "mia")
        _ = try await again.comeOnline()
        #expect(try await servers[0].texts(of: id.withLock { $0 }, after: 2) == ["Are you there?"])
      }
    }
  }

  @Test("lives twice in one process, on two journals: neither knows of the other's chats, nor after a restart")
  func twoPartitions() async throws {
    try await withDirectories(2) { directories in
      let ids = Mutex<[String]>([])
      try await SmallServer.run(in: directories) { servers in
        for (number, server) in servers.enumerated() {
          let started = try await server.startChat()
          ids.withLock { $0.append(started.id) }
          _ = try await server.chat.agents.join(started.chatID, agentID: "k", nickname: "Kim", role: .agent)
          _ = try await server.chat.agents.send(started.chatID, agentID: "k", text: "from \(number)")
        }
      }
      // They belong to their directories, in whatever order those are opened.
      try await SmallServer.run(in: directories.reversed()) { servers in
        let ids = ids.withLock { $0 }
        let texts = [try await servers[1].texts(of: ids[0]), try await servers[0].texts(of: ids[1])]
        #expect(texts.map(\.last) == ["from 0", "from 1"])
        await #expect(throws: EngineError.chat(.unknownService)) { try await servers[0].texts(of: ids[0]) }
        await #expect(throws: EngineError.chat(.unknownService)) { try await servers[1].texts(of: ids[1]) }
      }
    }
  }

  @Test(
    "goes on when the journal of another partition of the process fails: who waits there hears so, and it is dropped")
  func oneFails() async throws {
    let disk = MemoryDisk()
    let started = Mutex<[String]>([])
    var environment = EngineEnvironment()
    environment.storage = disk
    try await SmallServer.run(in: ["/a", "/b"], environment) { servers in
      let chats = [try await servers[0].startChat(), try await servers[1].startChat()]
      started.withLock { $0 = chats.map(\.id) }
      disk.set(fault: DiskFault(.fail(.ioError), lasts: true) { $0.path.starts(with: "/a") })
      await #expect(throws: EngineError.unavailable) {
        try await servers[0].chat.chats.send(chats[0].id, text: "lost", by: .house)
      }
      await servers[0].service.close()
      _ = try await servers[1].chat.chats.send(chats[1].id, text: "kept", by: .house)
      #expect(try await servers[1].texts(of: chats[1].id).last == "kept")
    }
    disk.set(fault: nil)
    let ids = started.withLock { $0 }
    try await SmallServer.run(in: ["/a", "/b"], environment) { servers in
      let texts = [try await servers[0].texts(of: ids[0]), try await servers[1].texts(of: ids[1])]
      #expect(texts.map(\.count) == [1, 2])
    }
  }

  @Test("does not open a directory that another partition of the process has")
  func oneDirectory() async throws {
    try await withDirectories(1) { directories in
      let error = await #expect(throws: JournalError.self) {
        try await SmallServer.run(in: [directories[0], directories[0]]) { _ in }
      }
      #expect(error.map { "\($0)" }?.contains("in use") == true, "\(String(describing: error))")
    }
  }

  private func withDirectories(_ count: Int, _ body: ([FilePath]) async throws -> Void) async throws {
    let all = (0..<count).map { _ in
      FileManager.default.temporaryDirectory.appendingPathComponent("carillon-\(UUID().uuidString)")
    }
    defer { for one in all { try? FileManager.default.removeItem(at: one) } }
    for one in all { try FileManager.default.createDirectory(at: one, withIntermediateDirectories: true) }
    try await body(all.map { FilePath($0.path) })
  }
}
