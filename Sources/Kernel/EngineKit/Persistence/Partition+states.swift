package import EntityRuntime
package import EventSourcing

extension Partition {
  /// The state of every entity as bytes, with the number of its last event: two ways to the same journal's end must
  /// agree in it. They are looked at one after the other: nothing else may go on meanwhile.
  /// - Throws: what reading a sleeping state throws.
  package func capturedStates() async throws -> [EntityID: CapturedState] {
    var states: [EntityID: CapturedState] = [:]
    for source in sources {
      for key in source.keys {
        guard let captured = await source.capture(key), let (_, image) = try Self.bytes(of: captured) else { continue }
        states[EntityID(source.kind, key)] = CapturedState(
          sequence: captured.sequence, image: try EntityImage(bytes: image))
      }
    }
    return states
  }
}

/// One entity as `Partition.capturedStates` finds it.
package struct CapturedState: Sendable, Equatable {
  package let sequence: UInt64
  package let image: EntityImage
}
