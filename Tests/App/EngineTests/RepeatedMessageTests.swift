import CallbackDomain
import EntityRuntime
import EventSourcing
import PushDomain
import Testing

@testable import CallbackEngine
@testable import Engine
@testable import EngineRigs
@testable import PushEngine

/// What one entity tells another without waiting for an answer may have to be told again after a crash. Pushes, mail and
/// publications are known by their ids; these need none: the second time there is nothing left to do.
@Suite("A message between entities that comes twice", .timeLimit(.minutes(1)))
struct RepeatedMessageTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let message: String
    /// All that has to have happened. - Returns: whom it is for.
    var prepare: @Sendable (CallbackRig) async throws -> String = { _ in "" }
    let send: @Sendable (CallbackRig, _ to: String) async throws -> Void

    var testDescription: String { message }
  }

  private static let address = PushAddress(type: "test", deviceID: "phone-1")

  private static func show(_ owner: String?, _ rig: CallbackRig) async throws {
    await rig.engine.devices.show(DeviceRegistration(address: address, owner: owner))
    try await rig.settle()
  }

  /// A push that waits for Anna's device, behind one that is on its way.
  private static func pushes(_ rig: CallbackRig) async throws -> String {
    rig.rig.provider.hold()
    for number in 1...2 {
      let message = PushMessage(
        producer: "somebody", number: number, tag: "t", alert: "", content: Array("{}".utf8), service: "s",
        target: address, owner: "anna")
      await rig.engine.order(.enqueue(message), of: address)
      try await rig.settle()
    }
    return ""
  }

  private static func device(_ message: String, _ command: PushCommand) -> Row {
    Row(message: message, prepare: pushes) { rig, _ in await rig.engine.order(command, of: address) }
  }

  /// - Parameter before: what the callback was told until then.
  private static func callback(_ message: String, _ action: CallbackAction, after before: [CallbackAction] = []) -> Row
  {
    Row(message: message) { rig in
      let id = try await rig.order()
      for action in before { try await tell(action, rig, id) }
      return id
    } send: { rig, id in
      try await tell(action, rig, id)
    }
  }

  private static func tell(_ action: CallbackAction, _ rig: CallbackRig, _ id: String) async throws {
    let callback = try #require(rig.callbacks.directory[id])
    await callback.post(CallbackCommand(action, policy: CallbackPolicy()))
    try await rig.settle()
  }

  private static let rows = [
    Row(message: "a device is shown") { rig, _ in try await show("anna", rig) },
    Row(message: "a device is shown by another owner") { rig in
      try await show("anna", rig)
      return try await pushes(rig)
    } send: { rig, _ in
      try await show("ben", rig)
    },
    Row(message: "a device has another address") { rig in
      try await show("anna", rig)
      return "phone-2"
    } send: { rig, successor in
      await rig.engine.devices.replace(address, by: successor)
    },
    Row(message: "a device is gone") { rig in
      try await show("anna", rig)
      return DeviceKey.of(address)
    } send: { rig, key in
      await rig.engine.devices.gone(key, reason: "410")
    },
    device("a queue's device is there", .register), device("a queue's device is gone", .unregister(reason: "410")),
    device("a queue's device is another's", .handOver(to: "ben")),
    device("a queue's device is not told of somebody any more", .withdraw(owner: "anna", reason: "signed out")),
    callback("a callback's chat began", .chatStarted),
    callback("a callback's chat met an agent", .agentConnected(agentID: "Kim"), after: [.chatStarted]),
    callback("a callback's chat ended", .chatEnded, after: [.chatStarted, .agentConnected(agentID: "Kim")]),
    callback("a callback's chat ended before an agent came", .chatEnded, after: [.chatStarted]),
    Row(message: "a callback's chat is gone") { rig in
      try await rig.order()
    } send: { rig, id in
      await rig.callbacks.chatIsGone(id)
    },
  ]

  @Test("changes nothing the second time, nor after a restart", arguments: rows)
  func twice(row: Row) async throws {
    let rig = try await CallbackRig(options: ["_media_type": "chat", "_wait_for_agent": "true"])
    let receiver = try await row.prepare(rig)
    try await rig.settle()
    let before = try await Standing(rig)
    try await row.send(rig, receiver)
    try await rig.settle()
    let once = try await Standing(rig)
    #expect(once != before, "nothing to be known")
    try await row.send(rig, receiver)
    try await rig.settle()
    #expect(try await Standing(rig) == once)

    let next = try await rig.restarted()
    let restored = try await Standing(next)
    try await row.send(next, receiver)
    try await next.settle()
    #expect(try await Standing(next) == restored)
    try await next.stop()
  }

  @Test("a chat that has ended long ago is not begun by a message of its beginning")
  func late() async throws {
    let rig = try await CallbackRig(options: ["_media_type": "chat", "_wait_for_agent": "true"])
    let id = try await rig.order()
    let told: [CallbackAction] = [.chatStarted, .agentConnected(agentID: "Kim"), .chatEnded]
    for action in told { try await Self.tell(action, rig, id) }
    let over = try await Standing(rig)
    for action in told { try await Self.tell(action, rig, id) }
    #expect(try await Standing(rig) == over)
    try await rig.stop()
  }

  /// The states of all entities, and what has gone out.
  private struct Standing: Equatable {
    let states: [EntityID: [UInt8]]
    let deliveries: Int

    init(_ rig: CallbackRig) async throws {
      states = try await rig.engine.capturedStates().mapValues(\.image.state)
      deliveries = rig.rig.provider.deliveries.count
    }
  }
}
