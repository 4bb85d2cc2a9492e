import EdgeSecurity
import Engine
import Foundation
import NIOCore
import NIOEmbedded
import ServerKit
import SystemPackage
import TestSupport
import Testing

@testable import CCSEdge

/// What an app server's connection costs once it has left: nothing. Each kind runs in a process of its own, where nobody
/// else allocates, and the bytes in use are read from the allocator.
@Suite("App servers that leave, in great number", .timeLimit(.minutes(10)))
struct BackEndDepartureTests {
  @Test("in the middle of their first stanza")
  func anonymous() async {
    await #expect(processExitsWith: .success) { try await BackEndDepartures.run(logsIn: false) }
  }

  @Test("after they have logged in")
  func loggedIn() async {
    await #expect(processExitsWith: .success) { try await BackEndDepartures.run(logsIn: true) }
  }
}

/// Connections without sockets: the pipeline is the server's, and so is the engine behind it.
enum BackEndDepartures {
  static func run(logsIn: Bool) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let engine = Engine(
      configuration: EngineConfiguration(dataDirectory: FilePath(directory)), providers: { _ in nil },
      logger: ServerRig.silent, onFatal: { _ in })
    let running = Task { await engine.run() }
    _ = try await engine.recover()
    let loop = NIOAsyncTestingEventLoop()
    let services = try CCSServices(
      backend: CCSBackend(messaging: engine.messaging) { _, _ in true }, configuration: CCSConfiguration(port: 0),
      logger: ServerRig.silent)
    let connections = OpenCount()
    let acceptor = Acceptor(
      admission: ConnectionAdmission(connections: connections, limit: .max, budgets: StrangerBudgets()),
      residents: Residents(group: loop), certificate: nil, pipeline: CCSPipeline(services: services))
    try await Departing.measureCostly(logsIn ? "app server" : "app server without a login") { count in
      for _ in 0..<count { try await depart(logsIn: logsIn, acceptor, connections, loop, engine) }
    }
    await loop.shutdownGracefully()
    await engine.stop(grace: .zero)
    await running.value
  }

  private static func depart(
    logsIn: Bool, _ acceptor: Acceptor, _ connections: OpenCount, _ loop: NIOAsyncTestingEventLoop,
    _ engine: Engine
  ) async throws {
    let channel = NIOAsyncTestingChannel(loop: loop)
    try await loop.executeInContext { try acceptor.accept(channel) }
    try await channel.writeInbound(ByteBuffer(string: logsIn ? Words.login : Words.header + Words.auth.prefix(20)))
    var heard = ""
    while logsIn, !heard.contains("</jid></bind></iq>") {
      heard += String(buffer: try await channel.waitForOutboundWrite(as: ByteBuffer.self))
    }
    _ = try await channel.finish(acceptAlreadyClosed: true)
    try await Departing.until { connections.current == 0 && engine.appServers.connectionCount == 0 }
  }
}
