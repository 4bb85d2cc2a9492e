import EdgeSecurity
import Engine
import EventSourcing
import Foundation
import GCMProtocol
import Journal
import Logging
import MCSProtocol
import NIOCore
import PushDomain
import ServerKit
import ServiceLifecycle
import SystemPackage

@testable import DeviceEdge

/// A whole engine with a server for devices on loopback, port 0.
struct DeviceRig {
  static let sender = "1234567890"
  static let app = "com.example.app"

  let engine: Engine
  let server: MCSServer
  let services: ServiceGroup
  let port: Int
  let tls: TLSFiles?

  static func run(
    limits: DeviceEdgeLimits = DeviceEdgeLimits(), tls: TLSFiles? = nil, recovers: Bool = true,
    budgets: StrangerBudgets = StrangerBudgets(),
    _ body: (DeviceRig) async throws -> Void
  ) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    var configuration = EngineConfiguration(dataDirectory: FilePath(directory))
    configuration.journal.segmentByteCount = 1_048_576
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let engine = Engine(configuration: configuration, providers: { _ in nil }, logger: logger, onFatal: { _ in })
    let running = Task { await engine.run() }
    if recovers { _ = try await engine.recover() }
    var listening = MCSConfiguration(port: 0, tls: tls, limits: limits)
    listening.budgets = budgets
    let server = try MCSServer(messaging: engine.messaging, configuration: listening, logger: logger)
    let services = ServiceGroup(services: [server], logger: logger)
    let serving = Task { try await services.run() }
    let outcome: Result<Void, any Error>
    do {
      let port = try await server.boundPort
      outcome = .success(
        try await body(DeviceRig(engine: engine, server: server, services: services, port: port, tls: tls)))
    } catch {
      outcome = .failure(error)
    }
    serving.cancel()
    _ = await serving.result
    await engine.stop(grace: .zero)
    await running.value
    try outcome.get()
  }

  /// A device that has checked in and registered the app.
  func device() async throws -> (credentials: InstallationCredentials, token: String) {
    let credentials = try await engine.installations.checkIn(nil)
    let form = RegistrationForm(app: Self.app, senders: [Self.sender], platform: "ANDROID")
    return (credentials, try await engine.installations.register(form, credentials))
  }

  /// Waits until the server has so many connections; the suite's time limit ends what never comes.
  func holds(_ connections: Int) async throws {
    while server.connectionCount != connections { try await Task.sleep(for: .milliseconds(1)) }
  }

  func connect() async throws -> MCSClient { try await MCSClient.connect(port, tls: tls) }

  /// A connection whose login has been accepted.
  func logIn(_ credentials: InstallationCredentials, received: [String] = []) async throws -> MCSClient {
    let client = try await connect()
    try await client.logIn(credentials, received: received)
    guard case .loginResponse(let response) = try await client.next(), !response.hasError else {
      throw MCSClient.Unexpected()
    }
    return client
  }

  /// Sends a message; returns its id.
  @discardableResult
  func send(to token: String, configure: (inout DownstreamRequest) -> Void = { _ in }) async throws -> String {
    var request = DownstreamRequest(target: .recipient(token))
    request.data = [MailPair("score", "3x1")]
    configure(&request)
    guard case .targets(let results) = try await engine.messaging.send(request, sender: Self.sender),
      case .accepted(let id, _) = results.first
    else { throw MCSClient.Unexpected() }
    return id
  }
}
