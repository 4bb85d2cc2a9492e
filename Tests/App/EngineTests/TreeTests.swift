import ChatDomain
import Engine
import Foundation
import Journal
import JournalFormat
import SystemPackage
import Testing
import Transparency

@testable import EngineRigs

@Suite("The tree beside a running engine", .timeLimit(.minutes(1)))
struct TreeTests {
  private static func chats(_ rig: EngineRig, _ count: Int) async throws {
    for number in 0..<count {
      let service = try await rig.startChat(user: "u\(number % 5)")
      _ = try await rig.engine.chats.send(service, text: "text of chat \(number)", by: .house)
    }
  }

  private static func makeWhole(_ rig: EngineRig) async throws {
    while try await rig.engine.extendTree().hasMore {}
  }

  /// What is on the disk, by itself; and `journal verify` has nothing against it.
  private static func stored(_ directory: FilePath) throws -> JournalTree {
    let journal = directory.appending("journal")
    let tree = JournalTree(directory: journal)
    try tree.open()
    var audit = try TreeAudit(directory: journal)
    let report = try JournalReader(directory: journal).verify(frame: { audit.add($0) }, leaves: { audit.add($0, $1) })
    try audit.finish()
    #expect(tree.size == report.lastPosition)
    return tree
  }

  @Test("it has every record, stays after a stop, and goes on after a start")
  func goesOn() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let rig = try await EngineRig(directory: directory)
    try await Self.chats(rig, 20)
    try await Self.makeWhole(rig)
    let early = try rig.engine.tree.head()
    #expect(early.size > 40)
    try await Self.chats(rig, 5)
    await rig.stop()
    let tree = try Self.stored(directory)
    #expect(tree.size > early.size)
    #expect(try tree.head(at: early.size) == early)

    let next = try await EngineRig(directory: directory)
    try await Self.chats(next, 5)
    await next.stop()
    let later = try Self.stored(directory)
    #expect(try later.size > tree.size && later.head(at: tree.size) == tree.head())
  }

  @Test("a directory that has none gets the same one")
  func madeAnew() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let rig = try await EngineRig(directory: directory)
    try await Self.chats(rig, 10)
    await rig.stop()
    let head = try Self.stored(directory).head()
    try FileManager.default.removeItem(atPath: directory.appending("journal/tree").string)
    let next = try await EngineRig(directory: directory)
    try await Self.makeWhole(next)
    await next.stop()
    #expect(try Self.stored(directory).head(at: head.size) == head)
  }

  @Test("before records are deleted their edge is kept: lost, the tree goes on from there")
  func deletion() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let configure: (inout EngineConfiguration) -> Void = { configuration in
      configuration.housekeeping.retention = .delete
      configuration.housekeeping.segmentBytesMaximum = 1
    }
    let rig = try await EngineRig(directory: directory, segmentByteCount: 32 * 1024, configure: configure)
    for _ in 0..<2 {
      try await Self.chats(rig, 60)
      try await rig.engine.snapshotNow()
    }
    await rig.engine.tidySegments()
    let snapshots = try FileManager.default.contentsOfDirectory(atPath: directory.appending("journal/snapshots").string)
    #expect(snapshots.contains { $0.hasSuffix(".edge") })
    let segments = try FileManager.default.contentsOfDirectory(atPath: directory.appending("journal").string)
    #expect(!segments.contains("000000000001.segment"))
    await rig.stop()
    let head = try Self.stored(directory).head()

    try FileManager.default.removeItem(atPath: directory.appending("journal/tree").string)
    let next = try await EngineRig(directory: directory, segmentByteCount: 32 * 1024, configure: configure)
    try await Self.makeWhole(next)
    #expect(try next.engine.tree.head(at: head.size) == head)
    #expect(throws: TreeError.self) { try next.engine.tree.head(at: 1) }
    await next.stop()
    _ = try Self.stored(directory)
  }
}
