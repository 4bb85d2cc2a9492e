public import EventSourcing
import Synchronization

/// The entities of one kind in one partition, by key: those in memory, and the places of those that sleep.
///
/// ```
///            look-up                     idle for some sweeps, owes nothing, nobody refers to it
///   asleep ──────────> awake (an actor) ─────────────────────────────────────────────────────────> asleep
/// ```
/// A sleeping entity costs its key, its place and its sequence number. Whoever looks it up gets a new actor, which reads
/// the state in its first turn. There are never two actors for one key: an actor is let go only while the directory
/// holds the one reference to it.
public final class DirectoryShard<State: RestorableState>: Sendable {
  public typealias Note = EntityDirectory<State>.Note

  private struct Table {
    var slots: [String: DirectorySlot] = [:]
    /// Nil until it is bound.
    var interpret: Entity<State>.Interpreter?
    var note: Note = { _ in [] }
    var awakeCount = 0
    /// Keys that were removed while a snapshot is made; nil while none is.
    var removed: [String]?
  }

  public let kind: EntityKind
  /// Of its partition.
  public let context: RuntimeContext
  private let table = Mutex(Table())

  /// To be bound before its first entity.
  public init(kind: EntityKind, context: RuntimeContext) {
    self.kind = kind
    self.context = context
  }

  public convenience init(
    kind: EntityKind, context: RuntimeContext, note: @escaping Note = { _ in [] },
    interpret: @escaping Entity<State>.Interpreter
  ) {
    self.init(kind: kind, context: context)
    bind(note: note, interpret)
  }

  /// Says, once, who carries out what its entities want, and what is noted of those that sleep.
  public func bind(note: @escaping Note, _ interpret: @escaping Entity<State>.Interpreter) {
    table.withLock { table in
      precondition(table.interpret == nil, "the entities of a kind are interpreted in one place")
      table.interpret = interpret
      table.note = note
    }
  }

  /// What a slot of this directory has awake. Unchecked: nothing but entities of its own state is ever put there.
  private static func entity(_ object: consuming any AnyObject & Sendable) -> Entity<State> {
    unsafeDowncast(object, to: Entity<State>.self)
  }

  private var note: Note { table.withLock { $0.note } }

  private func interpreter(_ table: borrowing Table) -> Entity<State>.Interpreter {
    guard let interpret = table.interpret else { preconditionFailure("\(kind) was not bound") }
    return interpret
  }

  /// All of them, those that sleep too.
  public var count: Int { table.withLock { $0.slots.count } }
  /// Those in memory.
  public var awakeCount: Int { table.withLock { $0.awakeCount } }
  /// The keys of all entities; of those that sleep in the order in which they lie in their files.
  public var keys: [String] {
    let (awake, asleep) = table.withLock { table in
      var (awake, asleep) = ([String](), [(key: String, address: StatePlace.Address)]())
      for (key, slot) in table.slots {
        switch slot {
        case .awake: awake.append(key)
        case .asleep(let sleeper): asleep.append((key, sleeper.place.address))
        }
      }
      return (awake, asleep)
    }
    return awake.sorted() + asleep.sorted { $0.address < $1.address }.map(\.key)
  }
  public var awakeKeys: [String] {
    table.withLock { table in
      table.slots.compactMap { if case .awake = $0.value { $0.key } else { nil } }.sorted()
    }
  }
  /// The entities in memory.
  public var awake: [Entity<State>] {
    table.withLock { table in
      table.slots.values.compactMap { if case .awake(let object) = $0 { Self.entity(object) } else { nil } }
    }
  }

  /// The entity under `key`, or nil. One that sleeps wakes up: its state is read by the first that asks for it.
  public subscript(key: String) -> Entity<State>? { table.withLock { find(key, in: &$0) } }

  /// Whether there is an entity under `key`, awake or asleep.
  public func contains(_ key: String) -> Bool { table.withLock { $0.slots[key] != nil } }

  /// The entity under `key`, made if there is none; nil once `limit` of them exist.
  public func entity(_ key: String, limit: Int = .max) -> Entity<State>? {
    table.withLock { table in
      if let entity = find(key, in: &table) { return entity }
      guard table.slots.count < limit else { return nil }
      let entity = Entity<State>(id: EntityID(kind, key), context: context, interpret: interpreter(table))
      table.slots[key] = .awake(entity)
      table.awakeCount += 1
      return entity
    }
  }

  /// Forgets a finished entity, or one whose first command was refused.
  public func remove(_ key: String) {
    table.withLock { table in
      guard let slot = table.slots.removeValue(forKey: key) else { return }
      let isKnown: Bool
      switch slot {
      case .awake(let object):
        table.awakeCount -= 1
        isKnown = Self.entity(object).progressedTo > 0
      case .asleep: isKnown = true
      }
      // The journal knows nothing of one that was refused: its key is free, and a snapshot must not say that it is over.
      if isKnown { table.removed?.append(key) }
    }
  }

  private func find(_ key: String, in table: inout Table) -> Entity<State>? {
    switch table.slots[key] {
    case nil: return nil
    case .awake(let object): return Self.entity(object)
    case .asleep(let sleeper):
      let entity = Entity<State>(
        id: EntityID(kind, key), sleepingAt: sleeper.place, isUnarmed: sleeper.isUnarmed, sequence: sleeper.sequence,
        context: context, interpret: interpreter(table))
      table.slots[key] = .awake(entity)
      table.awakeCount += 1
      return entity
    }
  }
}

/// What a directory has under one key. Not generic: a table of a generic slot is looked through by code that knows neither
/// keys nor slots, which costs four times as much, and each message is looked up three times.
private enum DirectorySlot: Sendable {
  /// An `Entity` of the directory's state.
  case awake(any AnyObject & Sendable)
  /// Indirect: a place is large, and the table has room for it in every slot, taken or not.
  indirect case asleep(DirectorySleeper)
}

private struct DirectorySleeper: Sendable {
  let place: StatePlace
  let sequence: UInt64
  /// Its timers do not run, see `Entity`.
  var isUnarmed = false
}

// MARK: After a restart

extension DirectoryShard {
  /// Takes over what replay made.
  public func restore(_ recovered: [RecoveredEntity<State>]) {
    table.withLock { table in
      table.slots.reserveCapacity(table.slots.count + recovered.count)
      let interpret = interpreter(table)
      for one in recovered {
        let entity = Entity(
          id: EntityID(kind, one.key), state: one.state, sequence: one.sequence, context: context, interpret: interpret)
        table.slots[one.key] = .awake(entity)
        table.awakeCount += 1
      }
    }
  }

  /// Takes over an entity that a snapshot holds and that nothing has happened to since.
  public func restore(_ key: String, sleepingAt place: StatePlace, sequence: UInt64) {
    table.withLock { $0.slots[key] = .asleep(DirectorySleeper(place: place, sequence: sequence, isUnarmed: true)) }
  }

  public func reserveCapacity(_ count: Int) { table.withLock { $0.slots.reserveCapacity(count) } }
}

// MARK: Sleep and snapshots

extension DirectoryShard {
  /// Lets go of the entities among `keys` that were not used during the last `sweeps` sweeps.
  /// - Parameter put: writes images; returns their places in the same order. May block: it is called from nobody's turn.
  /// - Returns: how many fell asleep.
  public func putToSleep(
    _ keys: [String], unusedFor sweeps: UInt32,
    put: @Sendable ([EntityImage]) async throws -> [StatePlace]
  ) async throws -> Int {
    var captured: [(key: String, sequence: UInt64, place: StatePlace?)] = []
    var images: [EntityImage] = []
    for key in keys {
      guard let one = await captureForSleep(key, unusedFor: sweeps) else { continue }
      switch one.content {
      case .finished: continue
      case .place(let place): captured.append((key, one.sequence, place))
      case .image(let image):
        captured.append((key, one.sequence, nil))
        images.append(image)
      }
    }
    guard !captured.isEmpty else { return 0 }
    var places = images.isEmpty ? [][...] : try await put(images)[...]
    var count = 0
    for (key, sequence, place) in captured {
      guard let place = place ?? places.popFirst() else { break }
      if release(key, at: sequence, to: place) { count += 1 }
    }
    return count
  }

  private func captureForSleep(_ key: String, unusedFor sweeps: UInt32) async -> CapturedEntity? {
    guard let entity = awakeEntity(key) else { return nil }
    return await entity.captureForSleep(unusedFor: sweeps, note)
  }

  private func awakeEntity(_ key: String) -> Entity<State>? {
    table.withLock { if case .awake(let object) = $0.slots[key] { Self.entity(object) } else { nil } }
  }

  /// Puts the place where the actor was, if nobody else refers to it and nothing has happened since it was captured.
  private func release(_ key: String, at sequence: UInt64, to place: StatePlace) -> Bool {
    table.withLock { table in
      guard let index = table.slots.index(forKey: key), case .awake = table.slots.values[index] else { return false }
      // The slot's reference must be the only one while it is looked at.
      var slot = DirectorySlot.asleep(DirectorySleeper(place: place, sequence: sequence))
      swap(&slot, &table.slots.values[index])
      guard case .awake(let object) = consume slot else { return false }
      // Looked at as an existential it would be held twice.
      var entity = Self.entity(consume object)
      let isAlone = isKnownUniquelyReferenced(&entity)
      // What the last one who let go of it had done before is seen from here on.
      atomicMemoryFence(ordering: .acquiring)
      guard isAlone, entity.progressedTo == sequence else {
        table.slots.values[index] = .awake(entity)
        return false
      }
      table.awakeCount -= 1
      return true
    }
  }

  /// Begins to note removals for a snapshot.
  public func beginSnapshot() { table.withLock { $0.removed = [] } }

  /// - Returns: the keys that were removed since `beginSnapshot`.
  public func endSnapshot() -> [String] {
    table.withLock { table in
      defer { table.removed = nil }
      return table.removed ?? []
    }
  }

  /// The entity under `key` as it is now, which may run ahead of the disk; nil if it is gone. It does not wake up.
  public func capture(_ key: String) async -> CapturedEntity? {
    let slot = table.withLock { $0.slots[key] }
    switch slot {
    case nil: return nil
    case .asleep(let sleeper): return CapturedEntity(content: .place(sleeper.place), sequence: sleeper.sequence)
    case .awake(let object):
      let captured = await Self.entity(object).capture(note)
      return captured.sequence > 0 ? captured : nil
    }
  }

  /// Where the state of an entity sleeps that nothing was asked of since; nil if it is in memory, or there is none.
  public func place(ofSleeping key: String) -> StatePlace? {
    table.withLock { if case .asleep(let sleeper) = $0.slots[key] { sleeper.place } else { nil } }
  }

  /// Reads a state without waking its entity; as it is now. Blocks for one read if it sleeps.
  /// - Parameter isUse: false for whoever looks at all of them: those that are awake fall asleep when they would have.
  public func peek<Value: Sendable>(
    _ key: String, isUse: Bool = true, _ body: @Sendable (borrowing State) -> Value
  ) async -> Value? {
    let slot = table.withLock { $0.slots[key] }
    switch slot {
    case nil: return nil
    case .awake(let object):
      let entity = Self.entity(object)
      return isUse ? await entity.peek(body) : await entity.glance(body)
    case .asleep(let sleeper):
      do {
        return body(try State(stateBytes: EntityImage(bytes: sleeper.place.image()).state))
      } catch {
        context.onLostState("the state of \(EntityID(kind, key)) cannot be read: \(error)")
        return nil
      }
    }
  }

  /// Tells an entity that its state lies in a newer file too, so that the older one can be let go.
  public func move(_ key: String, at sequence: UInt64, to place: StatePlace) async {
    let entity = table.withLock { table -> Entity<State>? in
      guard let index = table.slots.index(forKey: key) else { return nil }
      switch table.slots.values[index] {
      case .awake(let object): return Self.entity(object)
      case .asleep(let sleeper):
        if sleeper.sequence == sequence {
          table.slots.values[index] = .asleep(
            DirectorySleeper(place: place, sequence: sequence, isUnarmed: sleeper.isUnarmed))
        }
        return nil
      }
    }
    await entity?.move(at: sequence, to: place)
  }
}
