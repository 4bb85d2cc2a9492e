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

/// What a start has found of a kind in one partition.
package struct RecoveredShare: Sendable {
  package let partition: Partition
  package let entities: any RecoveredEntities
}

/// The entities of one kind in a running server. `Partitions` walks its hosts at a start.
package protocol KindHost: Sendable {
  var kind: EntityKind { get }
  /// Those that are not finished.
  var count: Int { get }
  /// Those that lie in the partition with this number, for its snapshots and sleep. The same one each time.
  func source(in partition: Int) -> any SnapshotSource
  /// Takes over what replay made, of all partitions. - Throws: `ReplayError.unreadableNote`.
  func restore(_ recovered: [RecoveredShare]) async throws
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
  func restoredAll() async throws
  /// In which order the index wants them; nil: as they come.
  var order: (@Sendable (String, String) -> Bool)? { get }
  /// When those in memory are told to want again what they are owed; nil: they are owed nothing.
  var rearming: RearmPhase? { get }
}

extension EntityHost {
  package var kind: EntityKind { directory.kind }
  package var count: Int { directory.count }
  package func source(in partition: Int) -> any SnapshotSource { directory.shards[partition] }

  package func reserveCapacity(_ count: Int) {}
  package func note(of state: borrowing State) -> [UInt8] { [] }
  package func restored(_ key: String, _ state: borrowing State) {}
  package func restored(_ key: String, note: [UInt8]) throws(PayloadError) -> Bool { true }
  package func restoredAll() async throws {}
  package var order: (@Sendable (String, String) -> Bool)? { nil }

  package func takeUp(_ phase: RearmPhase, _ found: FoundEntities) async {
    if phase == rearming { await rearm(found) }
  }

  package func rearm(_ found: FoundEntities) async {
    for key in found.awake { await directory[key]?.rearm() }
  }

  package func restore(_ recovered: [RecoveredShare]) async throws {
    let shares = recovered.map { share in
      guard let kind = share.entities as? RecoveredKind<State> else {
        preconditionFailure("the entities of \(directory.kind) have another state")
      }
      return (partition: share.partition, kind: kind)
    }
    reserveCapacity(shares.reduce(0) { $0 + $1.kind.count })
    for (partition, kind) in shares { restore(kind, in: partition) }
    for key in try index(shares.map(\.kind)) { await directory.peek(key) { restored(key, $0) } }
    try await restoredAll()
  }

  private func restore(_ recovered: RecoveredKind<State>, in partition: Partition) {
    let shard = directory.shards[partition.number]
    shard.reserveCapacity(recovered.count)
    shard.restore(recovered.entities)
    var deadlines: [(deadline: Timestamp, key: String)] = []
    for one in recovered.sleeping {
      shard.restore(one.key, sleepingAt: one.place, sequence: one.sequence)
      if case .asleep(let deadline?) = one.brief.rest { deadlines.append((deadline, one.key)) }
    }
    let lanes = partition.context.lanes
    WakeList(deadlines, context: partition.context) { key in
      lanes[key.hashValue].enqueue { await shard[key]?.wakeUp() }
    }.start()
  }

  /// - Returns: those that sleep and whose note does not say all.
  private func index(_ shares: [RecoveredKind<State>]) throws(ReplayError) -> [String] {
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
      for recovered in shares {
        for one in recovered.entities { restored(one.key, one.state) }
        for one in recovered.sleeping { try sleeping(one.key, one.brief) }
      }
      return short
    }
    let places = zip(shares.indices, shares).flatMap { share, recovered in
      recovered.entities.indices.map { (key: recovered.entities[$0].key, share: share, place: $0, isAwake: true) }
        + recovered.sleeping.indices.map { (key: recovered.sleeping[$0].key, share: share, place: $0, isAwake: false) }
    }
    for one in places.sorted(by: { order($0.key, $1.key) }) {
      let recovered = shares[one.share]
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
