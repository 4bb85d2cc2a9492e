/// A decider whose state can leave memory, and come back from bytes: for snapshots, and while nobody asks for it.
public protocol RestorableState: Decider {
  /// Writes all of the state. Equal states give equal bytes: sets and dictionaries are written in the order of their
  /// keys.
  func encodeState(into writer: inout PayloadWriter)

  /// Reads a state written by `encodeState`; skips the fields that it does not know.
  init(state payload: inout PayloadReader) throws(PayloadError)

  /// What this entity waits for while nobody asks for it.
  var rest: Rest { get }
}

/// What an entity waits for while nobody asks for it.
public enum Rest: Sendable, Equatable {
  /// Something is owed or under way: the state stays in memory.
  case wakeful
  /// Nothing but timers, or nothing at all: the state may leave memory until then. The earliest deadline of its timers.
  case asleep(until: Timestamp?)
}

extension RestorableState {
  /// The bytes that `init(stateBytes:)` reads.
  public var stateBytes: [UInt8] {
    var writer = PayloadWriter()
    encodeState(into: &writer)
    return writer.bytes
  }

  public init(stateBytes: [UInt8]) throws(PayloadError) {
    self = try stateBytes.withUnsafeBufferPointer { bytes throws(PayloadError) in
      var reader = PayloadReader(UnsafeRawBufferPointer(bytes))
      return try Self(state: &reader)
    }
  }
}
