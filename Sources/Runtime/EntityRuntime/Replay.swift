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
}

/// Why the journal's records cannot be turned into state.
public enum ReplayError: Error, Sendable, CustomStringConvertible {
  /// A record whose payload this version cannot read.
  case undecodable(position: UInt64, entity: EntityID, tag: EventTag, reason: PayloadError)
  /// A record out of its entity's order: one is missing or stands twice.
  case sequenceGap(position: UInt64, entity: EntityID, expected: UInt64, found: UInt64)
  /// A record of a kind that this version does not know.
  case unknownKind(position: UInt64, kind: UInt8)

  public var description: String {
    switch self {
    case .undecodable(let position, let entity, let tag, let reason):
      "record \(position) of \(entity) (event tag \(tag)) cannot be read: \(reason)"
    case .sequenceGap(let position, let entity, let expected, let found):
      "record \(position) of \(entity) has sequence number \(found) where \(expected) was due"
    case .unknownKind(let position, let kind):
      "record \(position) is of entity kind \(kind), which this version does not know"
    }
  }
}

/// Rebuilds all entities of one kind from their events.
///
/// States are evolved where they lie, in one array, and never copied; sequence numbers lie apart, so that looking at one
/// does not touch a state. Finished entities are let go as soon as they are finished. Inlinable: a start spends its time
/// here, and only code that knows the state's type is fast.
public struct ReplayTable<State: Decider> {
  public let kind: EntityKind
  @usableFromInline var table = KeyTable()
  @usableFromInline var states: [State] = []
  @usableFromInline var sequences: [UInt64] = []

  @usableFromInline static var finished: UInt64 { .max }

  public init(kind: EntityKind) { self.kind = kind }

  /// Applies one record of this table's kind.
  @inlinable
  public mutating func apply(_ record: ReplayRecord) throws(ReplayError) {
    let (index, isNew) = table.place(of: record.key)
    if isNew {
      states.append(State())
      sequences.append(0)
    }
    // What a finished entity's last moments left behind (a lazy record, a command under way) changes nothing.
    guard sequences[index] != Self.finished else { return }
    let expected = sequences[index] + 1
    guard record.sequence == expected else {
      throw .sequenceGap(
        position: record.position, entity: EntityID(kind, table.keys[index]), expected: expected,
        found: record.sequence)
    }
    sequences[index] = expected
    do throws(PayloadError) {
      var payload = PayloadReader(record.payload)
      states[index].evolve(try State.Event(tag: record.tag, payload: &payload), at: record.time)
    } catch {
      throw .undecodable(
        position: record.position, entity: EntityID(kind, table.keys[index]), tag: record.tag, reason: error)
    }
    // Its memory is given back.
    if states[index].isFinished {
      states[index] = State()
      sequences[index] = Self.finished
    }
  }

  /// The entities that live, in the order of their first events.
  public consuming func finish() -> [RecoveredEntity<State>] {
    let (keys, sequences) = (table.keys, sequences)
    var recovered: [RecoveredEntity<State>] = []
    recovered.reserveCapacity(states.count)
    for (index, state) in states.enumerated() where sequences[index] != Self.finished {
      recovered.append(RecoveredEntity(key: keys[index], state: state, sequence: sequences[index]))
    }
    return recovered
  }
}
