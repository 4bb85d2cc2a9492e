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
/// States are evolved where they lie, in one array; the last entity is remembered because records of one turn stand
/// together. Finished entities are let go as soon as they are finished.
public struct ReplayTable<State: Decider> {
  private struct Cell {
    var state: State?
    var sequence: UInt64
  }

  public let kind: EntityKind
  private var table = KeyTable()
  private var cells: [Cell] = []

  public init(kind: EntityKind) { self.kind = kind }

  /// Applies one record of this table's kind.
  public mutating func apply(_ record: ReplayRecord) throws(ReplayError) {
    let (index, isNew) = table.place(of: record.key)
    if isNew { cells.append(Cell(state: State(), sequence: 0)) }
    let expected = cells[index].sequence + 1
    guard record.sequence == expected else {
      throw .sequenceGap(
        position: record.position, entity: EntityID(kind, table.keys[index]), expected: expected,
        found: record.sequence)
    }
    cells[index].sequence = expected
    // A finished entity may come to life again under the same key: it starts anew, its numbering goes on.
    if cells[index].state == nil { cells[index].state = State() }
    do {
      var payload = PayloadReader(record.payload)
      let event = try State.Event(tag: record.tag, payload: &payload)
      cells[index].state!.evolve(event, at: record.time)
    } catch {
      throw .undecodable(
        position: record.position, entity: EntityID(kind, table.keys[index]), tag: record.tag, reason: error)
    }
    if cells[index].state!.isFinished { cells[index].state = nil }
  }

  /// The entities that live, in the order of their first events.
  public consuming func finish() -> [RecoveredEntity<State>] {
    let keys = table.keys
    var recovered: [RecoveredEntity<State>] = []
    recovered.reserveCapacity(cells.count)
    for index in cells.indices {
      guard let state = cells[index].state else { continue }
      cells[index].state = nil
      recovered.append(RecoveredEntity(key: keys[index], state: state, sequence: cells[index].sequence))
    }
    return recovered
  }
}
