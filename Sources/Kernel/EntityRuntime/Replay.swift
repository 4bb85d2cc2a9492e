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

  @inlinable
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

  @inlinable
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
