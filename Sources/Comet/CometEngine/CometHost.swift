import EngineKit
import EntityRuntime
import EventSourcing
import Synchronization

/// Comet sessions over a restart. They are no entities of a directory: a live session is its own actor.
final class CometHost: KindHost {
  private let gateway: CometGateway
  private let shelves: [CometShelf]
  /// Between a start's restoring and its taking up.
  private let restored = Mutex<[CometSession]>([])

  init(_ gateway: CometGateway, _ partitions: Partitions) {
    self.gateway = gateway
    shelves = gateway.directory.shelves(partitions)
  }

  var kind: EntityKind { .cometSession }
  var count: Int { gateway.directory.count }

  func source(in partition: Int) -> any SnapshotSource { shelves[partition] }

  func restore(_ recovered: [RecoveredShare]) async throws {
    var sessions: [CometSession] = []
    for share in recovered {
      guard let kind = share.entities as? RecoveredKind<CometRecord> else {
        preconditionFailure("Comet sessions have another state")
      }
      for one in kind.entities where one.state.isOpen {
        let session = CometSession(
          clientID: one.key, record: one.state, sequence: one.sequence, settings: gateway.settings,
          context: share.partition.context, gateway: gateway)
        guard gateway.directory.insert(session, limit: .max, limitByUser: .max) else { continue }
        await session.rejoin()
        sessions.append(session)
      }
    }
    restored.withLock { $0 = sessions }
  }

  func takeUp(_ phase: RearmPhase, _ found: FoundEntities) async {
    switch phase {
    case .revoked, .owed, .heard: break
    case .returned: for session in living { await gateway.tell { await $0.returned(session) } }
    case .grace:
      for session in living { await session.startGrace(restored: true) }
      restored.withLock { $0 = [] }
    }
  }

  /// Nothing is delivered to them any more.
  func erase(_ phase: ErasurePhase, _ scope: ErasureScope) async throws {
    guard phase == .people else { return }
    for clientID in scope.keys(of: .cometSession).sorted() {
      if let session = gateway.directory.session(evenDeparting: clientID) { try await session.dismiss() }
    }
  }

  private var living: [CometSession] {
    restored.withLock { $0 }.filter { gateway.directory[$0.clientID] === $0 }
  }
}
