import EntityRuntime
import EventSourcing
import Journal
import Logging
import Testing

@testable import Engine
@testable import EngineRigs

/// What a snapshot notes of a sleeping entity is what the indexes know of it: whose it is, what it is called, what waits
/// in it. A start that dropped it would serve without.
@Suite("Notes that cannot be read", .timeLimit(.minutes(1)))
struct UnreadableNoteTests {
  /// No index knows of them while they sleep.
  private static let noteless: Set<EntityKind> = [
    .cometSession, .redactionLog, .broadcast, .supportApp, .cannedReplies,
  ]

  @Test(
    "stop the start, with the entity",
    arguments: Catalogue.carillon.cards.map(\.kind).filter { !noteless.contains($0) })
  func stops(kind: EntityKind) async throws {
    let directory = try EngineRig.temporaryDirectory()
    let rig = try await EngineRig(directory: directory)
    _ = try await rig.startChat(user: "ann")
    let point = try #require(rig.engine.partition.journal.writer?.durablePoint)
    let snapshot = try rig.engine.partition.snapshots.begin(at: point, createdMilliseconds: 0)
    // Of an agent the first byte says whether more follows.
    let brief = Brief(rest: .asleep(until: nil), note: kind == .agent ? [1, 0xFF] : [0xFF])
    try snapshot.add(
      kind: kind.rawValue, key: "7", sequence: 1, brief: brief.bytes,
      state: EntityImage(brief: brief, state: []).bytes)
    _ = try snapshot.finish()
    await rig.stop()

    let engine = Engine(
      configuration: EngineConfiguration(dataDirectory: directory), providers: { _ in nil },
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, onFatal: { _ in })
    let running = Task { await engine.run() }
    let error = await #expect(throws: ReplayError.self) { try await engine.recover() }
    guard case .unreadableNote(let entity, _)? = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(entity == EntityID(kind, "7"))
    #expect("\(ReplayError.unreadableNote(entity: entity, reason: .truncated))".contains("\(entity)"))
    await engine.stop(grace: .zero)
    await running.value
  }
}
