import ChatDomain
import EntityRuntime
import EventSourcing
import Journal
import JournalFormat
import PushDomain
import SimulatedDisk
import SystemPackage
import Testing

@testable import Engine
@testable import EngineKit
@testable import EngineRigs

@Suite("Index of records of a running server", .timeLimit(.minutes(1)))
struct RedactionIndexTests {
  private static let directory: FilePath = "/data"

  /// Whether a term stands somewhere in the files of the index.
  private func stands(_ term: SubjectTerm, in disk: MemoryDisk, _ key: RecordIndexKey) -> Bool {
    let bytes = withUnsafeBytes(of: term.hashed(with: key).littleEndian) { Array($0) }
    return disk.paths.contains { path in
      guard path.string.contains("/index/"), let contents = disk.contents(of: path), contents.count >= 8 else {
        return false
      }
      return (0...(contents.count - 8)).contains { contents[$0..<($0 + 8)].elementsEqual(bytes) }
    }
  }

  private func extend(_ rig: EngineRig) async throws {
    let position = try #require(rig.engine.partition.journal.writer).durablePoint.position
    while try await rig.engine.partition.extendIndex(upTo: position).hasMore {}
  }

  @Test("an erased customer's terms are gone with their records, and do not come again; others' stay")
  func erasure() async throws {
    let disk = MemoryDisk()
    let rig = try await EngineRig(directory: Self.directory, storage: disk, segmentByteCount: 64 * 1024)
    let alice = try await rig.startChat(user: "alice")
    let bob = try await rig.startChat(user: "bob")
    for chat in [alice, bob] { _ = try await rig.engine.chats.send(chat, text: "hello", by: .house) }
    try await rig.engine.partition.context.untilDurable()
    // A full segment, which the index has all of.
    let writer = try #require(rig.engine.partition.journal.writer)
    _ = try writer.roll()
    try await extend(rig)
    let index = try #require(rig.engine.partition.recordIndex)
    let key = try #require(try index.look()).key
    #expect(stands(.owner("alice"), in: disk, key) && stands(.owner("bob"), in: disk, key))
    #expect(stands(.entity(EntityID(.chatSession, alice)), in: disk, key))

    _ = try await rig.engine.redactions.redact(subject: "alice", by: "operator", reason: "test")
    for _ in 0..<2 {
      #expect(!stands(.owner("alice"), in: disk, key) && !stands(.name("alice"), in: disk, key))
      try await extend(rig)
    }
    #expect(stands(.owner("bob"), in: disk, key))
    await rig.stop()
  }

  @Test("the timeline of a running server is the same with the index, and without the option there is none")
  func option() async throws {
    let disk = MemoryDisk()
    let rig = try await EngineRig(directory: Self.directory, storage: disk, segmentByteCount: 64 * 1024)
    let chat = try await rig.startChat(user: "alice")
    for number in 0..<5 { _ = try await rig.engine.chats.send(chat, text: "\(number)", by: .house) }
    try await rig.engine.partition.context.untilDurable()
    _ = try #require(rig.engine.partition.journal.writer).roll()
    let before = try await rig.engine.audit.timeline(.subject("alice"), TimelineFilter(), after: 0, limit: 100)
    try await extend(rig)
    #expect(disk.paths.contains { $0.string.hasSuffix(".index") })
    let after = try await rig.engine.audit.timeline(.subject(chat), TimelineFilter(), after: 0, limit: 100)
    #expect(after.entries.map(\.text) == before.entries.map(\.text) && after.entries.count >= 5)
    await rig.stop()
  }
}
