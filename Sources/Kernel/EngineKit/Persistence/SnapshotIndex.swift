package import EntityRuntime
package import EventSourcing
import Journal
import JournalFormat

/// What a snapshot holds of one kind of entity, while a start goes through the records behind it.
final class SnapshotIndex {
  struct Entry {
    let place: StatePlace?
    let sequence: UInt64
    let brief: Brief

    /// It had ended when the snapshot was made.
    var isFinished: Bool { place == nil }
  }

  /// What the records behind the snapshot do not mention.
  private(set) var entries: [String: Entry] = [:]

  static func read(_ snapshot: Snapshot?) throws -> [EntityKind: SnapshotIndex] {
    var indexes: [EntityKind: SnapshotIndex] = [:]
    guard let snapshot else { return indexes }
    let states = SnapshotStates(snapshot)
    try snapshot.forEachEntry { entry in
      let kind = EntityKind(rawValue: entry.kind)
      let index = indexes[kind] ?? SnapshotIndex()
      indexes[kind] = index
      index.entries[entry.key] =
        entry.isFinished
        ? Entry(place: nil, sequence: entry.sequence, brief: Brief(rest: .asleep(until: nil), note: []))
        : Entry(
          place: states.place(entry.place), sequence: entry.sequence, brief: try Brief(bytes: entry.brief))
    }
    return indexes
  }

  /// The state to go on from; what was asked for is the replay's from then on.
  func base<State: RestorableState>(of key: String) throws -> ReplayTable<State>.Base? {
    guard let entry = entries.removeValue(forKey: key) else { return nil }
    guard let place = entry.place else { return .finished }
    return .state(try State(stateBytes: EntityImage(bytes: place.image()).state), sequence: entry.sequence)
  }
}

/// What a start knows of the entities of some kind.
package protocol RecoveredEntities: Sendable {
  var count: Int { get }
  /// The keys of those that are in memory.
  var awake: [String] { get }
  /// The keys of those that came to their end in what was replayed, or while the snapshot was made.
  var finished: [String] { get }
}

/// What a start knows of all entities of one kind: those that the records behind the snapshot are about, with their
/// states, and those that sleep in the snapshot.
package struct RecoveredKind<State: RestorableState>: RecoveredEntities, @unchecked Sendable {
  // Made on one thread and handed over to the next: nobody shares it.
  package private(set) var entities: [RecoveredEntity<State>] = []
  private(set) var sleeping: [(key: String, place: StatePlace, sequence: UInt64, brief: Brief)] = []
  /// The keys of those that came to their end in what was replayed, or while the snapshot was made.
  package private(set) var finished: [String] = []

  package var count: Int { entities.count + sleeping.count }
  package var awake: [String] { entities.map(\.key) }

  init(_ shares: consuming [ReplayTable<State>], over index: SnapshotIndex?) throws {
    (entities, finished) = try ReplayTable.finish(shares)
    guard let index else { return }
    finished += index.entries.filter(\.value.isFinished).map(\.key)
    // In the order of the file, which is the same in every process, and in which each block is read once.
    let entries = index.entries.compactMap { key, entry in entry.place.map { (key: key, entry: entry, place: $0) } }
      .sorted { $0.place.address < $1.place.address }
    for (key, entry, place) in entries {
      // What is owed is taken up at once, so the state has to be there.
      if entry.brief.rest == .wakeful {
        let state = try State(stateBytes: EntityImage(bytes: place.image()).state)
        entities.append(RecoveredEntity(key: key, state: state, sequence: entry.sequence))
      } else {
        sleeping.append((key, place, entry.sequence, entry.brief))
      }
    }
  }
}
