public import EventSourcing

/// One record as the journal hands it out during replay; its bytes live as long as the call.
public struct ReplayRecord {
  public let position: UInt64
  public let kind: EntityKind
  public let key: UnsafeRawBufferPointer
  public let sequence: UInt64
  public let time: Timestamp
  public let tag: EventTag
  public let payload: UnsafeRawBufferPointer

  public init(
    position: UInt64, kind: EntityKind, key: UnsafeRawBufferPointer, sequence: UInt64, time: Timestamp,
    tag: EventTag, payload: UnsafeRawBufferPointer
  ) {
    self.position = position
    self.kind = kind
    self.key = key
    self.sequence = sequence
    self.time = time
    self.tag = tag
    self.payload = payload
  }
}

/// What replay made of one entity.
public struct RecoveredEntity<State: Decider>: Sendable {
  public let key: String
  public var state: State
  /// The sequence number of its last event.
  public var sequence: UInt64

  public init(key: String, state: State, sequence: UInt64) {
    self.key = key
    self.state = state
    self.sequence = sequence
  }
}

/// Why the journal's records cannot be turned into state.
public enum ReplayError: Error, Sendable, CustomStringConvertible {
  /// A record whose payload this version cannot read.
  case undecodable(position: UInt64, entity: EntityID, tag: EventTag, reason: PayloadError)
  /// A record out of its entity's order: one is missing or stands twice.
  case sequenceGap(position: UInt64, entity: EntityID, expected: UInt64, found: UInt64)
  /// A record of a kind that this version does not know.
  case unknownKind(position: UInt64, kind: UInt8)
  /// What a snapshot notes of an entity that sleeps cannot be read.
  case unreadableNote(entity: EntityID, reason: PayloadError)

  public var description: String {
    switch self {
    case .undecodable(let position, let entity, let tag, let reason):
      "record \(position) of \(entity) (event tag \(tag)) cannot be read: \(reason)"
    case .sequenceGap(let position, let entity, let expected, let found):
      "record \(position) of \(entity) has sequence number \(found) where \(expected) was due"
    case .unknownKind(let position, let kind):
      "record \(position) is of entity kind \(kind), which this version does not know"
    case .unreadableNote(let entity, let reason):
      "what the newest snapshot notes of \(entity) cannot be read: \(reason)"
    }
  }
}

/// Rebuilds all entities of one kind from their events.
///
/// States are evolved where they lie, in one array, and never copied; sequence numbers lie apart, so that looking at one
/// does not touch a state. Finished entities are let go as soon as they are finished. Inlinable: a start spends its time
/// here, and only code that knows the state's type is fast.
public struct ReplayTable<State: RestorableState> {
  /// What a snapshot holds of an entity.
  public enum Base {
    case state(State, sequence: UInt64)
    case finished
  }

  /// Looks an entity up in the snapshot that the replay goes on from; nil if it is not there.
  public typealias BaseLookUp = (_ key: String) throws -> Base?

  public let kind: EntityKind
  @usableFromInline var table = KeyTable()
  @usableFromInline var states: [State] = []
  @usableFromInline var sequences: [UInt64] = []
  /// Entities that miss records, by index: the sequence number that was due, and where it was missed.
  @usableFromInline var gaps: [Int: ReplayError] = [:]
  /// Records of this kind that were erased: they have neither key nor number any more.
  public var erasedRecords = 0
  @usableFromInline let base: BaseLookUp?

  @usableFromInline static var finished: UInt64 { .max }

  public init(kind: EntityKind, base: BaseLookUp? = nil) {
    self.kind = kind
    self.base = base
  }

  /// Applies one record of this table's kind.
  /// - Throws: `ReplayError`, or what the snapshot's look-up throws.
  @inlinable
  public mutating func apply(_ record: ReplayRecord) throws {
    let (index, isNew) = table.place(of: record.key)
    if isNew {
      states.append(State())
      sequences.append(0)
      if base != nil { try begin(index) }
    }
    // What a finished entity's last moments left behind (a lazy record, a command under way) changes nothing, and what
    // the snapshot has already neither.
    let expected = sequences[index] &+ 1
    if record.sequence != expected {
      guard try follows(record, index, expected) else { return }
    }
    #if CARILLON_CANARIES
      if Canary.sings(.eventDroppedInReplay), record.sequence == 4 {
        sequences[index] = record.sequence
        return
      }
    #endif
    do throws(PayloadError) {
      var payload = PayloadReader(record.payload)
      states[index].evolve(try State.Event(tag: record.tag, payload: &payload), at: record.time)
    } catch {
      throw ReplayError.undecodable(
        position: record.position, entity: EntityID(kind, table.keys[index]), tag: record.tag, reason: error)
    }
    sequences[index] = record.sequence
    // Its memory is given back.
    if states[index].isFinished {
      states[index] = State()
      sequences[index] = Self.finished
    }
  }

  /// Whether a record that is not the next one of its entity is to be applied all the same.
  @usableFromInline
  mutating func follows(_ record: ReplayRecord, _ index: Int, _ expected: UInt64) throws -> Bool {
    if sequences[index] == Self.finished { return false }
    if base != nil, record.sequence < expected { return false }
    if record.sequence > expected, State.Event.isRestatement(record.tag) {
      gaps[index] = nil
      return true
    }
    let gap = ReplayError.sequenceGap(
      position: record.position, entity: EntityID(kind, table.keys[index]), expected: expected,
      found: record.sequence)
    // Where records were erased, the event that restates what is left must follow; `finish` sees to it.
    guard erasedRecords > 0, record.sequence > expected else { throw gap }
    if endsAnything(record) {
      // What is left of an erased entity is its end.
      gaps[index] = nil
      states[index] = State()
      sequences[index] = Self.finished
    } else if gaps[index] == nil {
      gaps[index] = gap
    }
    return false
  }

  /// Whether this event is an entity's end, whatever came before it.
  private func endsAnything(_ record: ReplayRecord) -> Bool {
    var payload = PayloadReader(record.payload)
    guard let event = try? State.Event(tag: record.tag, payload: &payload) else { return false }
    var state = State()
    state.evolve(event, at: record.time)
    return state.isFinished
  }

  @usableFromInline
  mutating func begin(_ index: Int) throws {
    switch try base?(table.keys[index]) {
    case nil: break
    case .finished: sequences[index] = Self.finished
    case .state(let state, let sequence):
      states[index] = state
      sequences[index] = sequence
    }
  }

  /// The entities that live, in the order of their first events, and the keys of those that have come to their end.
  /// - Throws: `sequenceGap` for an entity whose missing records nothing has made good.
  public consuming func finish() throws(ReplayError) -> (entities: [RecoveredEntity<State>], finished: [String]) {
    if let gap = gaps.min(by: { $0.key < $1.key }) { throw gap.value }
    let (keys, sequences) = (table.keys, sequences)
    var recovered: [RecoveredEntity<State>] = []
    var finished: [String] = []
    recovered.reserveCapacity(states.count)
    for (index, state) in states.enumerated() {
      if sequences[index] == Self.finished {
        finished.append(keys[index])
      } else {
        recovered.append(RecoveredEntity(key: keys[index], state: state, sequence: sequences[index]))
      }
    }
    return (recovered, finished)
  }
}
