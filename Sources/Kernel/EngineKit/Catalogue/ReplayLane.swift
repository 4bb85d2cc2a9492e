import EntityRuntime
import EventSourcing

/// What a start makes of the records of one kind. The type of the state is behind closures, which the compiler makes
/// for each kind: a start spends its time in them.
struct ReplayLane {
  let apply: (ReplayRecord) throws -> Void
  /// A record of this kind was erased lawfully.
  let erased: () -> Void
  /// Once, after the last record.
  let finish: () throws -> any RecoveredEntities

  init<State: RestorableState>(_ kind: EntityKind, over index: SnapshotIndex?, _ type: State.Type) {
    let table = Table<State>(ReplayTable(kind: kind, base: index.map { index in { try index.base(of: $0) } }))
    apply = { try table.replay.apply($0) }
    erased = { table.replay.erasedRecords += 1 }
    finish = { try RecoveredKind(table.take(), over: index) }
  }

  /// Belongs to the one thread that replays.
  private final class Table<State: RestorableState> {
    @exclusivity(unchecked) var replay: ReplayTable<State>

    init(_ replay: ReplayTable<State>) { self.replay = replay }

    /// Gives the states away, so that whoever takes them need not copy.
    func take() -> ReplayTable<State> {
      let taken = replay
      replay = ReplayTable(kind: taken.kind)
      return taken
    }
  }
}
