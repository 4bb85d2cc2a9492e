import Crypto
import EntityRuntime
import EventSourcing
import Foundation
import Logging
import SystemPackage
import Testing

@testable import Engine

/// A data directory of an earlier version, with every kind of entity that there was, opens in this one and means what it
/// meant.
///
/// They were made by `carillon-simulate keep`; see `Journal/Golden/README.md`. The hash covers kind, key, last event and
/// all of the state of everything that lives.
@Suite("Golden state", .timeLimit(.minutes(1)))
struct GoldenStateTests {
  /// A directory below `Journal/Golden`.
  struct Golden: Sendable, CustomTestStringConvertible {
    let name: String
    let hash: String
    /// Read from its records alone, where they tell more than its snapshot, whose version did not keep it yet: since when
    /// a chat's customer is away, and what became of its last push.
    let hashOfRecords: String
    /// The number of the last kind that there was when it was made: all up to it live there.
    let lastKind: UInt8

    var testDescription: String { name }
  }

  /// A version that adds a kind adds one.
  private static let all = [
    Golden(
      name: "state-1", hash: "04f0b80c5f3c51fa15596847e654d141c36c7d55c980e697b1fb8ea8e97d6371",
      hashOfRecords: "04f0b80c5f3c51fa15596847e654d141c36c7d55c980e697b1fb8ea8e97d6371", lastKind: 15),
    Golden(
      name: "state-2", hash: "64e3c9e918fe94f75fc7f07cdc44adc7298f1abcd89c291da30992e063cb9de0",
      hashOfRecords: "80ec1829695ab96bb0f90179e243ab6d110c538fd9fad11970656c99144944f0", lastKind: 16),
    Golden(
      name: "state-3", hash: "5b6bdfbaac560ded566800653982f40bdbddbe6e7464b8ec9e6fb13553dcd4de",
      hashOfRecords: "5b6bdfbaac560ded566800653982f40bdbddbe6e7464b8ec9e6fb13553dcd4de", lastKind: 17),
  ]
  private static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Journal/Golden")

  @Test("opened with its snapshot, it has the state that is written down", arguments: all)
  func withSnapshot(golden: Golden) async throws {
    let found = try await open(golden) { _ in }
    #expect(found.summary.snapshotPosition != nil)
    #expect(found.summary.records > 0, "nothing stands behind the snapshot")
    #expect(Self.hash(found.states) == golden.hash)
  }

  @Test("opened without a snapshot, it has the same, and what only the records tell", arguments: all)
  func withoutSnapshot(golden: Golden) async throws {
    let found = try await open(golden) { directory in
      try FileManager.default.removeItem(atPath: directory.appending("journal/snapshots").string)
    }
    #expect(found.summary.snapshotPosition == nil)
    #expect(Self.hash(found.states) == golden.hashOfRecords)
  }

  @Test("every kind that there was lives in it", arguments: all)
  func kinds(golden: Golden) async throws {
    let found = try await open(golden) { _ in }
    #expect(
      Set(found.states.keys.map(\.kind))
        == Set(Catalogue.carillon.cards.map(\.kind).filter { $0.rawValue <= golden.lastKind }))
  }

  @Test("each kind of the catalogue lives in the newest")
  func newest() {
    #expect(Self.all.last?.lastKind == Catalogue.carillon.cards.last?.kind.rawValue)
  }

  private func open(
    _ golden: Golden, _ prepare: (FilePath) throws -> Void
  ) async throws -> (summary: RecoverySummary, states: [EntityID: CapturedState]) {
    // A start may write: it gets a copy.
    let home = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: home) }
    try FileManager.default.copyItem(at: Self.directory.appending(path: golden.name), to: home)
    let copy = FilePath(home.path)
    try prepare(copy)
    let engine = Engine(
      configuration: EngineConfiguration(dataDirectory: copy), providers: { _ in nil },
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, onFatal: { Issue.record("\($0)") })
    let running = Task { await engine.run() }
    let summary = try await engine.recover(for: .maintenance)
    let states = try await engine.capturedStates()
    await engine.stop(grace: .zero)
    await running.value
    return (summary, states)
  }

  private static func hash(_ states: [EntityID: CapturedState]) -> String {
    var hash = SHA256()
    for (id, state) in states.sorted(by: { ($0.key.kind.rawValue, $0.key.key) < ($1.key.kind.rawValue, $1.key.key) }) {
      hash.update(data: Data("\(id) \(state.sequence) \(state.image.bytes.count)\n".utf8))
      hash.update(data: state.image.bytes)
    }
    return hash.finalize().map { String(format: "%02x", $0) }.joined()
  }
}
