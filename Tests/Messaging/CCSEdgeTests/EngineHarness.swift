import EdgeSecurity
import Engine
import Foundation
import PushDomain
import ServiceLifecycle
import StandInSupport
import Synchronization
import SystemPackage

@testable import CCSEdge

/// A server with TLS in front of a whole engine, for clients of somebody else's making.
struct EngineHarness {
  static let sender = "1234567890"
  static let key = "the-key"

  let engine: Engine
  let server: CCSServer
  let services: ServiceGroup
  let port: Int
  private let authority: String

  /// - Parameter clients: so many stand-ins are started; the first one makes the certificate.
  static func run(
    clients: Int = 1, limits: CCSLimits = CCSLimits(), _ body: (EngineHarness, [StandIn]) async throws -> Void
  ) async throws {
    var standIns: [StandIn] = []
    defer { for standIn in standIns { standIn.stop() } }
    for _ in 0..<clients { standIns.append(try await StandIn.start("ccs_client.py")) }
    func path(_ part: String) -> String { standIns.first?.hello[part] as? String ?? "" }
    let directory = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let engine = Engine(
      configuration: EngineConfiguration(dataDirectory: FilePath(directory)), providers: { _ in nil },
      logger: ServerRig.silent, onFatal: { _ in })
    let running = Task { await engine.run() }
    _ = try await engine.recover()
    let tls = TLSFiles(certificateChainPath: path("certificate"), privateKeyPath: path("key"))
    let server = try CCSServer(
      messaging: engine.messaging, configuration: CCSConfiguration(port: 0, tls: tls, limits: limits),
      logger: ServerRig.silent
    ) { $0 == Self.sender && $1 == Self.key }
    let outcome: Result<Void, any Error>
    do {
      try await ServerRig.run(server) { rig in
        try await body(
          EngineHarness(
            engine: engine, server: server, services: rig.services, port: rig.port, authority: path("authority")),
          standIns)
      }
      outcome = .success(())
    } catch {
      outcome = .failure(error)
    }
    await engine.stop(grace: .zero)
    await running.value
    try outcome.get()
  }

  /// Makes a stand-in the client that this script of `Tests/EndToEnd/Scripts` is.
  func start(_ script: String, as client: StandIn, key: String = key, _ arguments: [String] = []) throws {
    let all = ["--ccs", "127.0.0.1:\(port)", "--sender", Self.sender, "--key", key, "--ca", authority] + arguments
    try client.send(["run": script, "arguments": all])
  }

  /// A device that is online and has a token for our sender.
  func device() async throws -> (ScriptedDevice, token: String) {
    let credentials = try await engine.installations.checkIn(nil)
    let token = try await engine.installations.register(
      RegistrationForm(app: "com.example", senders: [Self.sender], platform: "ANDROID"), credentials)
    let device = ScriptedDevice(engine, credentials.id)
    try await engine.deviceGateway.logIn(credentials, received: [], link: device)
    engine.deviceGateway.drain(credentials.id, link: device)
    return (device, token)
  }
}

/// A device that confirms what it gets.
final class ScriptedDevice: MailLink {
  private let engine: Engine
  private let id: InstallationID
  private let received = Mutex<[Mail]>([])

  init(_ engine: Engine, _ id: InstallationID) {
    self.engine = engine
    self.id = id
  }

  var mail: [Mail] { received.withLock { $0 } }

  func deliver(_ mail: Mail) {
    received.withLock { $0.append(mail) }
    engine.deviceGateway.acknowledge([mail.id], by: id)
  }

  func close(_ reason: MailLinkClosing) {}

  func send(_ message: UpstreamMessage, to recipient: String) async -> UpstreamOutcome {
    await engine.messaging.send(message, to: recipient, from: id)
  }
}
