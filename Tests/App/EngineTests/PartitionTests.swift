import ChatDomain
import EntityRuntime
import EventSourcing
import Foundation
import Journal
import JournalFormat
import PushDomain
import ScriptedClients
import SystemPackage
import Testing

@testable import Engine
@testable import EngineKit
@testable import EngineRigs

@Suite("Several partitions in one process", .timeLimit(.minutes(2)))
struct PartitionTests {
  private static let placement = Placement(count: 4, seed: 7)

  private static func rig(_ directory: FilePath) async throws -> EngineRig {
    try await EngineRig(directory: directory) { $0.placement = placement }
  }

  private static func journals(_ directory: FilePath) -> [FilePath] {
    (0..<placement.count).map { directory.appending("p000\($0)").appending("journal") }
  }

  /// So many that some lie in each.
  private static func talk(_ rig: EngineRig) async throws -> [String: String] {
    var services: [String: String] = [:]
    for number in 1...24 {
      let service = try await rig.startChat(user: "user-\(number)", pushTo: "device-\(number)")
      _ = try await rig.engine.chats.send(service, text: "text of \(number)", by: .house)
      services["user-\(number)"] = service
    }
    return services
  }

  @Test("each entity is in the journal where it lies, and a restart has all of them", arguments: [false, true])
  func restart(hasSnapshots: Bool) async throws {
    let directory = try EngineRig.temporaryDirectory()
    let before = try await Self.rig(directory)
    let services = try await Self.talk(before)
    let states = try await before.engine.capturedStates()
    if hasSnapshots { for partition in before.engine.partitions.all { try await partition.snapshotNow() } }
    await before.stop()

    var kinds: Set<EntityKind> = []
    for (number, journal) in Self.journals(directory).enumerated() {
      var count = 0
      try JournalReader(directory: journal).forEachRecord { record in
        let entity = EntityID(EntityKind(rawValue: record.kind), record.keyText)
        kinds.insert(entity.kind)
        count += 1
        #expect(Self.placement.partition(of: entity, in: .carillon) == number)
      }
      #expect(count > 0)
    }
    #expect(kinds.contains(.chatSession))

    let after = try await Self.rig(directory)
    #expect(after.summary.chats == services.count)
    let found = try await after.engine.capturedStates()
    for (entity, state) in states where entity.kind == .chatSession { #expect(found[entity] == state) }
    for (user, service) in services {
      let reply = try await after.engine.chats.refresh(service, after: 0, message: nil, by: .customer(userKey: user))
      #expect(reply.events.map(\.text).contains { $0.hasPrefix("text of ") })
    }
    await after.stop()
  }

  @Test("an erasure reaches the journals of all of them")
  func redaction() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let rig = try await Self.rig(directory)
    _ = try await Self.talk(rig)
    for number in 0..<8 {
      let service = try await rig.startChat(user: "mia", pushTo: "phone-\(number)")
      _ = try await rig.engine.chats.send(service, text: "marked-\(number)", by: .house)
    }
    let report = try await rig.engine.redactions.redact(subject: "mia", by: "operator", reason: "asked for")
    #expect(report.records > 0)
    var others = 0
    for journal in Self.journals(directory) {
      let reader = JournalReader(directory: journal)
      try reader.forEachRecord { record in
        guard !record.isRedacted else { return }
        let text = String(decoding: record.payload, as: UTF8.self)
        #expect(!text.contains("marked-"))
        if text.contains("text of ") { others += 1 }
      }
      _ = try reader.verify()
    }
    #expect(others == 24)
    await rig.stop()

    let after = try await Self.rig(directory)
    #expect(after.summary.chats >= 24)
    await after.stop()
  }

  @Test("what is told of one journal is refused, what is an entity's is read where it lies, the rest is of all")
  func audit() async throws {
    let rig = try await Self.rig(try EngineRig.temporaryDirectory())
    let (engine, services) = (rig.engine, try await Self.talk(rig))
    for service in services.values {
      let state = try await engine.audit.state(of: EntityID(.chatSession, service), at: nil, mask: nil)
      #expect(String(decoding: state, as: UTF8.self).contains("text of "))
    }
    let refusal = JournalAuditError.severalPartitions(4)
    await #expect(throws: refusal) { try await engine.audit.status() }
    await #expect(throws: refusal) {
      try await engine.audit.records(RecordQuestion(), after: 0, limit: 10, mask: nil)
    }
    await #expect(throws: refusal) { try await engine.audit.verify(by: "operator") }
    await #expect(throws: refusal) { try await engine.audit.checkpoint() }

    let positions = engine.partitions.all.compactMap { $0.journal.writer?.durablePosition }
    #expect(positions.count == 4 && positions.allSatisfy { $0 > 0 })
    #expect(try #require(engine.glance()).position >= positions.reduce(0, +))
    #expect(engine.glance()?.snapshotMade == nil)
    try await engine.snapshotNow()
    #expect(engine.partitions.all.allSatisfy { $0.newestSnapshot != nil })
    #expect(engine.glance()?.snapshotMade != nil)
    await rig.stop()
  }
}
