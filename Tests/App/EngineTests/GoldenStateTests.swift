import Crypto
import EntityRuntime
import EventSourcing
import Foundation
import Logging
import SystemPackage
import Testing

@testable import Engine

/// A data directory of an earlier version, with every kind of entity, opens in this one and means what it meant.
///
/// It was made by `carillon-simulate keep`; see `Journal/Golden/README.md`. The hash covers kind, key, last event and
/// all of the state of everything that lives.
@Suite("Golden state", .timeLimit(.minutes(1)))
struct GoldenStateTests {
  private static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Journal/Golden/state-1")
  private static let stateHash = "7c84e206d7eda00bf375638853344d4f496da793aeec7b0edc1edcf8c9ebcb6a"

  @Test("opened with its snapshot, it has the state that is written down")
  func withSnapshot() async throws {
    let found = try await open { _ in }
    #expect(found.summary.snapshotPosition != nil)
    #expect(found.summary.records > 0, "nothing stands behind the snapshot")
    #expect(Self.hash(found.states) == Self.stateHash)
  }

  @Test("opened without a snapshot, it has the same")
  func withoutSnapshot() async throws {
    let found = try await open { directory in
      try FileManager.default.removeItem(atPath: directory.appending("journal/snapshots").string)
    }
    #expect(found.summary.snapshotPosition == nil)
    #expect(Self.hash(found.states) == Self.stateHash)
  }

  @Test("every kind of the catalogue lives in it")
  func kinds() async throws {
    let found = try await open { _ in }
    #expect(Set(found.states.keys.map(\.kind)) == Set(Catalogue.carillon.cards.map(\.kind)))
  }

  private func open(
    _ prepare: (FilePath) throws -> Void
  ) async throws -> (summary: RecoverySummary, states: [EntityID: CapturedState]) {
    // A start may write: it gets a copy.
    let home = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: home) }
    try FileManager.default.copyItem(at: Self.directory, to: home)
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
