import ChatDomain
import EntityRuntime
import EventSourcing
import Foundation
import Journal
import JournalFormat
import PushDomain
import SystemPackage
import Testing

@testable import AuditEngine
@testable import Engine
@testable import EngineRigs

@Suite("Redaction of devices", .timeLimit(.minutes(1)))
struct DeviceRedactionTests {
  private static let phone = "SECRET-TOKEN-OF-ALICES-PHONE"
  private static let tablet = "SECRET-TOKEN-OF-ALICES-TABLET"

  /// Alice has a phone that a chat was pushed to, a tablet that only operators pushed to, and had one that is Bob's
  /// now; Bob has one of his own.
  private func populate(_ rig: DeviceRig) async throws -> DeviceRig.BackgroundChat {
    let chat = try await rig.backgroundChat(user: "alice", device: Self.phone)
    try await rig.say("a line", in: chat)
    try await rig.register(Self.tablet, owner: "alice")
    var order = CourierService.Order()
    order.display.body = "SECRET of the operator"
    rig.provider.answer(.refused(reason: "400 BadTopic"))
    _ = try await rig.couriers.push(order, to: rig.key(Self.tablet), waitingFor: .seconds(5))
    try await rig.register("shared-phone", owner: "alice")
    try await rig.push(1, of: "producer", to: "shared-phone", owner: "alice")
    try await rig.register("shared-phone", owner: "bob")
    rig.provider.answer(.retryable(reason: "503 busy"))
    try await rig.push(1, of: "for-bob", to: "shared-phone", owner: "bob")
    try await rig.register("phone-of-bob", owner: "bob")
    try await rig.settle()
    return chat
  }

  /// Where these bytes stand in any file, or in any record or state.
  private func places(of text: String, in directory: FilePath) throws -> [String] {
    var places: [String] = []
    try JournalReader(directory: directory.appending("journal")).forEachRecord { record in
      if String(decoding: record.payload, as: UTF8.self).contains(text) { places.append("record \(record.position)") }
    }
    let store = SnapshotStore(directory: directory.appending("journal"))
    for file in try store.all() {
      try store.open(file).forEachState { entry, state in
        if String(decoding: entry.brief + state, as: UTF8.self).contains(text) { places.append("state \(entry.key)") }
      }
    }
    let files = FileManager.default.enumerator(atPath: directory.string)
    while let name = files?.nextObject() as? String {
      guard let data = FileManager.default.contents(atPath: directory.appending(name).string) else { continue }
      if data.range(of: Data(text.utf8)) != nil { places.append(name) }
    }
    return places
  }

  private func tags(of key: String, in directory: FilePath) throws -> (kept: [EventTag], erased: Int) {
    var kept: [EventTag] = []
    var erased = 0
    try JournalReader(directory: directory.appending("journal")).forEachRecord { record in
      if record.isRedacted {
        erased += 1
      } else if record.kind == EntityKind.device.rawValue, record.keyText == key {
        kept.append(record.tag)
      }
    }
    return (kept, erased)
  }

  @Test("by user key: tokens and texts are gone from every file, another's device stays, and the restart agrees")
  func byUserKey() async throws {
    let rig = try await DeviceRig()
    let chat = try await populate(rig)
    try await rig.engine.snapshotNow()
    let bobs = try await rig.devices.list(DeviceFilter(owner: "bob"))
    #expect(bobs.count == 2)
    #expect(try !places(of: Self.tablet, in: rig.directory).isEmpty)

    let report = try await rig.engine.redactions.redact(subject: "alice", by: "operator", reason: "Art. 17 GDPR")
    try await rig.settle()
    for secret in [Self.phone, Self.tablet, "SECRET", "alice"] {
      #expect(try places(of: secret, in: rig.directory) == [], "\(secret)")
    }
    // Nothing but what is left of it, stated anew.
    for token in [Self.phone, Self.tablet] {
      #expect(try tags(of: rig.key(token), in: rig.directory).kept.allSatisfy { $0 == 4 })
      await #expect(throws: EngineError.unknownDevice) { try await rig.devices.device(rig.key(token)) }
    }
    #expect(try tags(of: rig.key(Self.phone), in: rig.directory).erased == report.records)
    #expect(try await rig.devices.list(DeviceFilter(owner: "alice")).isEmpty)
    #expect(try await rig.devices.list(DeviceFilter()) == bobs)
    #expect(rig.devices.counts().map { "\($0.type) \($0.isLive) \($0.count)" } == ["test true 2"])
    #expect(await rig.couriers.deadLetters().isEmpty)
    #expect(await rig.owed(chat) == 0)

    let states = try await rig.engine.capturedStates()
    let now = rig.time.now
    await rig.kill()
    for round in 0..<2 {
      let copy = try EngineRig.temporaryDirectory().appending("copy")
      try FileManager.default.copyItem(atPath: rig.directory.string, toPath: copy.string)
      if round == 1 { try FileManager.default.removeItem(atPath: copy.appending("journal/snapshots").string) }
      let again = try await DeviceRig(directory: copy, at: now)
      #expect((again.rig.summary.snapshotPosition == nil) == (round == 1))
      #expect(try await again.engine.capturedStates() == states)
      #expect(try await again.devices.list(DeviceFilter()) == bobs)
      #expect(again.devices.counts().map(\.count) == [2])
      // What waits for Bob is on its way to him.
      for _ in 0..<2 { try await again.advance(by: .seconds(60)) }
      #expect(again.provider.deliveries.map(\.message.producer) == ["for-bob"])
      // A registration makes the phone new.
      let (view, isNew) = try await again.devices.register(DeviceRig.registration(Self.phone, owner: "carol"))
      #expect(isNew && view.registration.owner == "carol" && view.ending == nil)
      try await again.push(1, of: "for-carol", to: Self.phone, owner: "carol")
      #expect(again.provider.deliveries.last?.message.producer == "for-carol")
      try await again.stop()
    }
  }

  @Test("by device token: every record of the device is gone, whosever it was, and the device is empty")
  func byToken() async throws {
    let rig = try await DeviceRig()
    _ = try await populate(rig)
    let others = try await rig.devices.list(DeviceFilter()).map(\.id).filter { $0 != rig.key("shared-phone") }
    _ = try await rig.engine.redactions.redact(subject: "shared-phone", by: "operator", reason: "")
    try await rig.settle()
    #expect(try places(of: "shared-phone", in: rig.directory) == [])
    #expect(try tags(of: rig.key("shared-phone"), in: rig.directory).kept.allSatisfy { $0 == 4 })
    await #expect(throws: EngineError.unknownDevice) { try await rig.devices.device(rig.key("shared-phone")) }
    #expect(try await rig.devices.list(DeviceFilter()).map(\.id) == others)
    try await rig.stop()
    let again = try await rig.restarted()
    #expect(try await again.devices.list(DeviceFilter()).map(\.id) == others)
    try await again.stop()
  }

  @Test(
    "a device that nothing was ever pushed to is found by its owner, and by its token", arguments: ["dora", "tok-7"])
  func neverPushed(subject: String) async throws {
    let rig = try await DeviceRig()
    try await rig.register("tok-7", owner: "dora")
    try await rig.register("tok-8", owner: "emil")
    let report = try await rig.engine.redactions.redact(subject: subject, by: "operator", reason: "")
    #expect(report.records > 0 && report.entities == 1)
    #expect(try places(of: "tok-7", in: rig.directory) == [])
    #expect(try places(of: "dora", in: rig.directory) == [])
    #expect(try await rig.devices.list(DeviceFilter()).map(\.registration.owner) == ["emil"])
    await #expect(throws: RedactionError.nothingFound) {
      try await rig.engine.redactions.redact(subject: subject, by: "operator", reason: "")
    }
    try await rig.stop()
  }

  @Test("the address that a provider named in place of a shared one is gone as well")
  func replacement() async throws {
    let rig = try await DeviceRig()
    try await rig.register("shared-phone", owner: "bob")
    try await rig.register("shared-phone", owner: "alice")
    rig.provider.answer(.delivered(replacement: "SECRET-new-token"))
    try await rig.push(1, to: "shared-phone", owner: "alice")
    try await rig.settle()
    try await rig.register("shared-phone", owner: "bob")
    #expect(try await rig.devices.device(rig.key("SECRET-new-token")).registration.owner == "alice")
    _ = try await rig.engine.redactions.redact(subject: "alice", by: "operator", reason: "")
    #expect(try places(of: "SECRET", in: rig.directory) == [])
    #expect(try await rig.devices.list(DeviceFilter()).map(\.registration.owner) == ["bob"])
    let states = try await rig.engine.capturedStates()
    try await rig.stop()
    try FileManager.default.removeItem(atPath: rig.directory.appending("journal/snapshots").string)
    let again = try await rig.restarted()
    #expect(
      try await again.engine.capturedStates().filter { $0.key.kind == .device }
        == states.filter { $0.key.kind == .device })
    try await again.stop()
  }

  @Test("a push in flight while its owner is erased ends, and its answer changes nothing")
  func inFlight() async throws {
    let rig = try await DeviceRig()
    try await rig.register(Self.phone, owner: "alice")
    rig.provider.hold()
    try await rig.push(1, to: Self.phone, owner: "alice")
    _ = try await rig.engine.redactions.redact(subject: "alice", by: "operator", reason: "")
    rig.provider.release(.delivered(replacement: "SECRET-new-token"))
    try await rig.settle()
    #expect(await rig.queued(Self.phone) == 0)
    #expect(try await rig.devices.list(DeviceFilter()).isEmpty)
    #expect(try places(of: "SECRET", in: rig.directory) == [])
    try await rig.stop()
  }

  @Test("pages go on behind devices of which everything was erased")
  func pages() async throws {
    let rig = try await DeviceRig()
    for number in 0..<20 { try await rig.register("token-\(number)", owner: number < 10 ? "alice" : "bob") }
    _ = try await rig.engine.redactions.redact(subject: "alice", by: "operator", reason: "")
    var found: [String] = []
    while true {
      let page = try await rig.devices.list(DeviceFilter(), after: found.last ?? "", limit: 2).map(\.id)
      if page.isEmpty { break }
      found += page
    }
    #expect(found.count == 10)
    try await rig.stop()
  }

  @Test("a plan that an earlier version left behind is read, and carried to its end")
  func earlierPlan() async throws {
    let old = #"""
      {"id":"r-1","by":"operator","reason":"of before","requestedAt":1770798600000,"records":3,"searchedUpTo":4,
       "scope":{"chats":["1-a"],"sessions":["s"],"queues":["q"],"ownQueues":[]}}
      """#
    let plan = try JSONDecoder().decode(RedactionPlan.self, from: Data(old.utf8))
    let scope = ErasureScope(lists: plan.scope, in: .carillon)
    #expect(scope.keys(of: .chatSession) == ["1-a"] && scope.keys(of: .pushQueue) == ["q"])
    #expect(scope.keys(of: .device).isEmpty && (scope.lists["owners"] ?? []).isEmpty && scope.allProducers == ["1-a"])
    #expect(try JSONDecoder().decode(RedactionPlan.self, from: JSONEncoder().encode(plan)) == plan)

    let rig = try await DeviceRig()
    let chat = try await rig.backgroundChat(user: "alice", device: Self.phone)
    try await rig.say("a SECRET line", in: chat)
    let searched = rig.engine.partition.journal.writer?.lastPosition ?? 0
    await rig.kill()
    let queue = rig.key(Self.phone)
    let lists = #"{"chats":["\#(chat.service)"],"sessions":[],"queues":["\#(queue)"],"ownQueues":["\#(queue)"]}"#
    let left = #"""
      {"id":"r-2","by":"operator","reason":"of before","requestedAt":1770798600000,"records":3,"searchedUpTo":\#(searched),
       "scope":\#(lists)}
      """#
    try RedactionIntent(directory: rig.directory.appending("journal")).write(Array(left.utf8))
    let after = try await rig.restarted()
    #expect(await after.engine.redactions.done().map(\.id) == ["r-2"])
    #expect(try places(of: "a SECRET line", in: rig.directory) == [])
    #expect(try await after.devices.list(DeviceFilter()).count == 1)
    try await after.stop()
  }
}
