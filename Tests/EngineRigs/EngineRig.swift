import Bayeux
import ChatDomain
import EngineKit
import EntityRuntime
import Foundation
import JSONEnvelope
import Journal
import Logging
import PushDomain
import ScriptedClients
import Synchronization
import SystemPackage

@testable import Engine

extension AgentViewer {
  /// Who sees everything.
  static let overseer = AgentViewer(id: "overseer", isSupervisor: true)
}

/// A whole engine on a directory of its own, without an edge.
final class EngineRig: Sendable {
  let engine: Engine
  let courier: ScriptedCourier
  let summary: RecoverySummary
  private let time: ManualTime?
  private let running: Task<Void, Never>

  /// - Parameters:
  ///   - directory: the data of an earlier rig, to be a restart of it.
  ///   - storage: the disk that it is on.
  ///   - time: a clock that the test moves: the timers fire when it says `tick`, too.
  ///   - provider: who serves its types, beside the courier of the type `test`.
  init(
    directory: FilePath, sections: [String: [String: String]] = [:], maxInterval: Int = 10_000,
    storage: any JournalStorage = DiskStorage(), segmentByteCount: Int = 1 << 20, time: ManualTime? = nil,
    provider: (any PushProvider)? = nil, logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
    configure: (inout EngineConfiguration) -> Void = { _ in }
  ) async throws {
    var configuration = EngineConfiguration(dataDirectory: directory)
    configuration.journal.segmentByteCount = segmentByteCount
    configuration.sessionSettings.maxIntervalMilliseconds = maxInterval
    configuration.options = Options(
      sections: [
        "service.request-chat": ["_client_timeout_notification": "0"],
        "push": ["pushEnabled": "comet,test"],
      ].merging(sections) { $0.merging($1) { _, new in new } })
    configure(&configuration)
    let courier = ScriptedCourier()
    self.courier = courier
    var environment = EngineEnvironment()
    environment.storage = storage
    self.time = time
    if let time {
      environment.time = time
      environment.isStepped = true
    }
    let engine = Engine(
      configuration: configuration, environment: environment,
      providers: { type in
        if let provider, provider.types.contains(type) { return provider }
        return type == "test" ? courier : nil
      },
      logger: logger, onFatal: { _ in })
    self.engine = engine
    running = Task { await engine.run() }
    summary = try await engine.recover()
  }

  func stop(grace: Duration = .seconds(2)) async {
    guard time != nil else {
      await engine.stop(grace: grace)
      return await running.value
    }
    // By a clock that stands still the engine would wait for ever for what is under way.
    let deadline = ContinuousClock.now + grace
    while engine.node.tasks.count + engine.node.pushTasks.count > 0, ContinuousClock.now < deadline {
      try? await Task.sleep(for: .milliseconds(1))
    }
    await engine.stop(grace: .zero)
    await running.value
  }

  /// A chat over Comet: its service id, and the session that gets its events.
  func startChat(user: String, pushTo device: String? = nil) async throws -> String {
    let service = try await engine.chats.create(service: "request-chat", data: [])
    _ = try await engine.chats.start(
      service,
      ChatStartRequest(
        userKey: user, notifiesByComet: true, nickname: "Guest 7", subject: "Order",
        pushTarget: device.map { PushTarget(type: "test", deviceID: $0) }))
    return service
  }

  func chatID(_ service: String) async throws -> String {
    try await engine.chats.refresh(service, after: 0, message: nil, by: .house).chatSessionID
  }

  /// Lets the test's clock run, as fast as it can, until the customer's sessions have come to their end: a client that
  /// comes back afterwards has all the time it needs.
  func passUntilOffline(_ chat: String) async throws {
    guard let time else { preconditionFailure("a rig with a clock of its own") }
    while try await engine.agents.summary(chat, for: .overseer).customerOnline {
      time.advance(by: .milliseconds(100))
      engine.tick()
      await Task.yield()
    }
  }

  static func temporaryDirectory() throws -> FilePath {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return FilePath(url.path)
  }
}

extension ScriptedClient {
  convenience init(_ rig: EngineRig, user: String?, accessToken: String? = nil, clientID: String? = nil) {
    self.init(rig.engine.comet, user: user, accessToken: accessToken, clientID: clientID)
  }
}
