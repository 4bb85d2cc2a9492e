package import EntityRuntime
package import EventSourcing

/// In which order a start takes up what is owed: what is new must not overtake it.
package enum RearmPhase: Int, CaseIterable, Sendable {
  /// What must not go out any more.
  case revoked
  /// What is owed: queues, then who owes to them.
  case owed
  /// What a kill kept one from hearing of another.
  case heard
  /// Clients get what they missed; who counted on somebody learns who is lost.
  case returned
  /// The grace of those who have to come back begins last.
  case grace
}

/// Which entities of a kind a start has found.
package struct FoundEntities: Sendable {
  /// Those in memory.
  package let awake: [String]
  /// Those that came to their end in what was replayed.
  package let finished: [String]
}

/// The entities of one kind in a running server. A `Partition` walks its hosts at a start, for snapshots and for sleep.
package protocol KindHost: Sendable {
  var source: any SnapshotSource { get }
  /// Takes over what replay made. - Throws: `ReplayError.unreadableNote`.
  func restore(_ recovered: any RecoveredEntities, in partition: Partition) async throws
  func takeUp(_ phase: RearmPhase, _ found: FoundEntities) async
  /// Erases what a customer has here, as far as it is the phase's turn. Each step may have been done already by a process
  /// that did not live to do the next.
  func erase(_ phase: ErasurePhase, _ scope: ErasureScope) async throws
  /// Adds what came since the journal was searched, once those who could make more of it are shut out.
  func add(to scope: inout ErasureScope) async
}

extension KindHost {
  package func erase(_ phase: ErasurePhase, _ scope: ErasureScope) async throws {}
  package func add(to scope: inout ErasureScope) async {}
}

/// Whoever carries out what the entities of a kind want, and keeps the index of them.
package protocol EntityHost<State>: KindHost {
  associatedtype State: RestorableState

  var directory: EntityDirectory<State> { get }
  /// Carries out what an entity wants, in journal order; waits for nothing durable.
  func perform(_ effects: [State.Effect], of entity: Entity<State>) async
  /// So many are about to be restored.
  func reserveCapacity(_ count: Int)
  /// What the indexes must know of an entity while it sleeps.
  func note(of state: borrowing State) -> [UInt8]
  /// The index learns of an entity that the journal remembers.
  func restored(_ key: String, _ state: borrowing State)
  /// As the other, of one that sleeps. - Returns: false if the note does not say all: the state is read then.
  func restored(_ key: String, note: [UInt8]) throws(PayloadError) -> Bool
  /// After the last of them.
  func restoredAll(in partition: Partition) async throws
  /// In which order the index wants them; nil: as they come.
  var order: (@Sendable (String, String) -> Bool)? { get }
  /// When those in memory are told to want again what they are owed; nil: they are owed nothing.
  var rearming: RearmPhase? { get }
}

extension EntityHost {
  package var source: any SnapshotSource { directory }

  package func reserveCapacity(_ count: Int) {}
  package func note(of state: borrowing State) -> [UInt8] { [] }
  package func restored(_ key: String, _ state: borrowing State) {}
  package func restored(_ key: String, note: [UInt8]) throws(PayloadError) -> Bool { true }
  package func restoredAll(in partition: Partition) async throws {}
  package var order: (@Sendable (String, String) -> Bool)? { nil }

  package func takeUp(_ phase: RearmPhase, _ found: FoundEntities) async {
    if phase == rearming { await rearm(found) }
  }

  package func rearm(_ found: FoundEntities) async {
    for key in found.awake { await directory[key]?.rearm() }
  }

  package func restore(_ recovered: any RecoveredEntities, in partition: Partition) async throws {
    guard let recovered = recovered as? RecoveredKind<State> else {
      preconditionFailure("the entities of \(directory.kind) have another state")
    }
    directory.reserveCapacity(recovered.count)
    reserveCapacity(recovered.count)
    directory.restore(recovered.entities)
    var deadlines: [(deadline: Timestamp, key: String)] = []
    for one in recovered.sleeping {
      directory.restore(one.key, sleepingAt: one.place, sequence: one.sequence)
      if case .asleep(let deadline?) = one.brief.rest { deadlines.append((deadline, one.key)) }
    }
    let (lanes, directory) = (partition.context.lanes, directory)
    WakeList(deadlines, context: partition.context) { key in
      lanes[key.hashValue].enqueue { await directory[key]?.wakeUp() }
    }.start()
    for key in try index(recovered) { await directory.peek(key) { restored(key, $0) } }
    try await restoredAll(in: partition)
  }

  /// - Returns: those that sleep and whose note does not say all.
  private func index(_ recovered: RecoveredKind<State>) throws(ReplayError) -> [String] {
    var short: [String] = []
    func sleeping(_ key: String, _ brief: Brief) throws(ReplayError) {
      do throws(PayloadError) {
        if try !restored(key, note: brief.note) { short.append(key) }
      } catch {
        // The checksum of the snapshot was right, so that it is a defect of our own, or another version's: to go on would
        // be to forget whose it is.
        throw .unreadableNote(entity: EntityID(directory.kind, key), reason: error)
      }
    }
    guard let order else {
      for one in recovered.entities { restored(one.key, one.state) }
      for one in recovered.sleeping { try sleeping(one.key, one.brief) }
      return short
    }
    let places =
      recovered.entities.indices.map { (key: recovered.entities[$0].key, place: $0, isAwake: true) }
      + recovered.sleeping.indices.map { (key: recovered.sleeping[$0].key, place: $0, isAwake: false) }
    for one in places.sorted(by: { order($0.key, $1.key) }) {
      if one.isAwake {
        restored(one.key, recovered.entities[one.place].state)
      } else {
        try sleeping(one.key, recovered.sleeping[one.place].brief)
      }
    }
    return short
  }
}

/// A host whose entities set timers.
package protocol AlarmedHost<State>: EntityHost {
  associatedtype Alarm: Hashable & Sendable

  var timers: KeyedTimers<Alarm> { get }
  /// On the lane of the entity's key, not by the entity itself: a timer must not keep one from its sleep.
  func fired(_ alarm: Alarm, of key: String) async
}
