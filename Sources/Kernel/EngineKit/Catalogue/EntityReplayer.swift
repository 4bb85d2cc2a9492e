public import EventSourcing

/// Rebuilds the state of one entity outside the server.
public protocol EntityReplayer {
  /// Applies the entity's next record. - Throws: `PayloadError`.
  mutating func apply(time: Timestamp, tag: EventTag, payload: UnsafeRawBufferPointer) throws
  /// The state after the records so far.
  var state: any Encodable { get }
}

struct StateReplayer<State: Decider & Encodable>: EntityReplayer {
  private var current = State()

  mutating func apply(time: Timestamp, tag: EventTag, payload: UnsafeRawBufferPointer) throws {
    var reader = PayloadReader(payload)
    current.evolve(try State.Event(tag: tag, payload: &reader), at: time)
  }

  var state: any Encodable { current }
}
