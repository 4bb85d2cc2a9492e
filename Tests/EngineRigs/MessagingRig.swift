import EntityRuntime
import EventSourcing
import Foundation
import GCMProtocol
import PushDomain
import Synchronization
import SystemPackage

@testable import Engine
@testable import MessagingEngine

/// An engine with devices that connect, and a clock that stands still until it is told to move.
final class MessagingRig: Sendable {
  static let sender = "1234567890"
  static let app = "org.example.app"

  let rig: DeviceRig

  init(
    directory: FilePath? = nil, at now: Timestamp = DeviceRig.start,
    sections: [String: [String: String]] = [:], configure: (inout EngineConfiguration) -> Void = { _ in }
  ) async throws {
    rig = try await DeviceRig(directory: directory, at: now, sections: sections, configure: configure)
  }

  var engine: Engine { rig.engine }
  var messaging: MessagingService { rig.engine.messaging }
  var installations: InstallationService { rig.engine.installations }

  func advance(by duration: Duration) async throws { try await rig.advance(by: duration) }

  /// Everything that the process owes itself is done, broadcasts too.
  func settle() async throws {
    // A broadcast puts its next piece behind what waits.
    for _ in 0..<4 {
      await withCheckedContinuation { continuation in
        messaging.broadcasts.lane.enqueue { continuation.resume() }
      }
      try await rig.settle()
    }
  }

  /// The process ends without a word, and another one begins.
  func restarted() async throws -> MessagingRig {
    try await rig.stop()
    return try await MessagingRig(directory: rig.directory, at: rig.time.now)
  }

  func stop() async throws { try await rig.stop() }

  /// A device with one registration.
  func device(
    senders: [String] = [MessagingRig.sender], app: String = MessagingRig.app, subtype: String? = nil
  ) async throws -> TestDevice {
    let credentials = try await installations.checkIn(nil)
    let form = RegistrationForm(app: app, senders: senders, subtype: subtype, platform: "ANDROID")
    return TestDevice(credentials: credentials, token: try await installations.register(form, credentials))
  }

  /// The token of a device that is reached through APNs.
  func appleToken() async throws -> String {
    try await installations.importAPNs(
      token: String(repeating: "0c", count: 32), application: MessagingRig.app, isSandbox: true,
      sender: MessagingRig.sender)
  }

  /// Logs in, and is given what waits.
  @discardableResult
  func connect(_ device: TestDevice, received: [String] = [], as link: TestLink = TestLink()) async throws -> TestLink {
    try await engine.deviceGateway.logIn(device.credentials, received: received, link: link)
    engine.deviceGateway.drain(device.id, link: link)
    try await settle()
    return link
  }

  func acknowledge(_ ids: [String], by device: TestDevice) async throws {
    engine.deviceGateway.acknowledge(ids, by: device.id)
    try await settle()
  }

  /// - Returns: the id of an accepted message.
  @discardableResult
  func send(
    to token: String, sender: String = MessagingRig.sender, _ change: (inout DownstreamRequest) -> Void = { _ in }
  ) async throws -> String {
    guard case .accepted(let id, _) = try await result(to: token, sender: sender, change) else {
      throw RigFailure(text: "not accepted")
    }
    try await settle()
    return id
  }

  func result(
    to token: String, sender: String = MessagingRig.sender, _ change: (inout DownstreamRequest) -> Void = { _ in }
  ) async throws -> TargetResult {
    var request = DownstreamRequest(target: .recipient(token))
    change(&request)
    guard case .targets(let results) = try await messaging.send(request, sender: sender), let only = results.first
    else {
      throw RigFailure(text: "no result")
    }
    return only
  }

  /// What waits for a device.
  func pending(_ device: TestDevice) async -> [String] {
    await engine.queues[MailboxKey.device(device.id)]?.peek { $0.mail.pending.map(\.id) } ?? []
  }
}

struct RigFailure: Error { let text: String }

struct TestDevice: Sendable {
  let credentials: InstallationCredentials
  let token: String
  var id: InstallationID { credentials.id }
}

/// A connection that keeps what it is given.
final class TestLink: AppServerLink {
  private let state = Mutex<(mails: [Mail], deliveries: Int, closing: MailLinkClosing?)>(([], 0, nil))

  func deliver(_ mail: Mail) {
    // As the contract asks: not twice on one connection.
    state.withLock { state in
      state.deliveries += 1
      if !state.mails.contains(where: { $0.id == mail.id }) { state.mails.append(mail) }
    }
  }

  func close(_ reason: MailLinkClosing) { state.withLock { $0.closing = reason } }

  var pendingCount: Int { 0 }
  var mails: [Mail] { state.withLock { $0.mails } }
  /// How often it was given anything, also the same again.
  var deliveries: Int { state.withLock { $0.deliveries } }
  var ids: [String] { mails.map(\.id) }
  var closing: MailLinkClosing? { state.withLock { $0.closing } }
}
