import CallbackDomain
import ChatDomain
import EntityRuntime
import EventSourcing
import JSONEnvelope
import PushDomain
import SystemPackage

@testable import Engine

/// An engine with callback services, and a clock that stands still until it is told to move.
final class CallbackRig: Sendable {
  static let service = "callback-voice"
  let rig: DeviceRig

  init(
    directory: FilePath? = nil, at now: Timestamp = DeviceRig.start, options: [String: String] = [:],
    sections: [String: [String: String]] = [:], configure: (inout EngineConfiguration) -> Void = { _ in }
  ) async throws {
    rig = try await DeviceRig(
      directory: directory, at: now,
      sections: ["service.\(Self.service)": options.merging(["_service": "callback"]) { $1 }].merging(sections) { $1 },
      configure: configure)
    try await settle()
  }

  var engine: Engine { rig.engine }
  var callbacks: CallbackService { rig.engine.callbacks }
  var now: Timestamp { rig.time.now }

  func settle() async throws {
    // A task brings about what starts the next one.
    var quiet = 0
    while quiet < 3 {
      try await rig.settle()
      quiet = engine.node.tasks.count == 0 ? quiet + 1 : 0
    }
  }

  func advance(by duration: Duration) async throws {
    try await rig.advance(by: duration)
    try await settle()
  }

  /// Timers that are started meanwhile fire too.
  func advance(seconds: Int) async throws { for _ in 0..<seconds { try await advance(by: .seconds(1)) } }

  func stop() async throws { try await rig.stop() }

  /// The process ends without a word, and another one begins, `later`.
  func restarted(
    after later: Duration = .zero, options: [String: String] = [:], sections: [String: [String: String]] = [:]
  ) async throws -> CallbackRig {
    await rig.kill()
    return try await CallbackRig(
      directory: rig.directory, at: now.advanced(by: later), options: options, sections: sections)
  }

  // MARK: Parts of tests

  /// - Parameter fields: beside the customer's number.
  @discardableResult
  func order(
    _ fields: [String: String] = [:], service: String = CallbackRig.service, user: String? = nil, device: String? = nil
  ) async throws(EngineError) -> String {
    var all = ["_customer_number": "5551234"].merging(fields) { $1 }
    if let device { all.merge(["_device_os": "test", "_device_notification_id": device]) { $1 } }
    let order = CallbackOrder(
      fields: all.sorted { $0.key < $1.key }.map { NameValuePair($0.key, $0.value) }, userKey: user)
    return try await callbacks.create(service: service, order).view.id
  }

  func ready(_ agent: String, _ isReady: Bool = true) async throws {
    try await engine.agents.setReady(AgentViewer(id: agent), isReady)
    try await settle()
  }

  /// The ids in an agent's list.
  func work(_ filter: AgentService.Filter, of agent: String) async throws -> [String] {
    try await work(filter, for: AgentViewer(id: agent))
  }

  func work(_ filter: AgentService.Filter, for viewer: AgentViewer) async throws -> [String] {
    try await callbacks.list(AgentListQuery(filter), for: viewer).elements.map(\.id)
  }

  func status(_ id: String) async throws -> String {
    let view = try await callbacks.view(id)
    return ([view.status.name, view.reason?.name, view.agentID] as [String?]).compactMap(\.self).joined(separator: " ")
  }

  /// The actions of the pushes so far, in their order.
  var pushed: [String] {
    rig.provider.deliveries.compactMap { (try? JSONValue(parsing: $0.message.content))?["_action"]?.string }
  }
}
