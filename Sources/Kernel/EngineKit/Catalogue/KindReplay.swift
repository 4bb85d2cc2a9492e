import EntityRuntime
import EventSourcing

/// What a start makes of the records of one kind. The type of the state is behind closures, which the compiler makes
/// for each kind: a start spends its time in them.
struct KindReplay {
  /// What one thread does with the records of the kind.
  struct Lane: Sendable {
    /// Takes the record, if it is in the thread's share.
    let apply: @Sendable (ReplayRecord) throws -> Void
    /// A record of this kind was erased lawfully; nobody knows any more in whose share it was.
    let erased: @Sendable () -> Void
  }

  /// One for each share.
  let lanes: [Lane]
  /// Once, after the last record.
  let finish: () throws -> any RecoveredEntities

  init<State: RestorableState>(
    _ kind: EntityKind, over index: SnapshotIndex?, _ shares: [ReplayShare], _ type: State.Type
  ) {
    let boxes = shares.map { share in
      ReplayBox<State>(ReplayTable(kind: kind, share: share, base: index.map { index in { try index.base(of: $0) } }))
    }
    lanes = boxes.map { box in Lane(apply: { try box.apply($0) }, erased: { box.noteErased() }) }
    finish = { try RecoveredKind(boxes.map { $0.take() }, over: index) }
  }
}
