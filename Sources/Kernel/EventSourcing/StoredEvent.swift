/// An event as the journal holds it, its meaning still packed.
public struct StoredEvent: Sendable, Equatable {
  public var tag: EventTag
  public var payload: [UInt8]

  public init(tag: EventTag, payload: [UInt8]) {
    self.tag = tag
    self.payload = payload
  }

  public init(_ event: some JournaledEvent) {
    var writer = PayloadWriter()
    event.encode(into: &writer)
    self.init(tag: event.tag, payload: writer.bytes)
  }

  /// - Throws: `PayloadError` if the payload is damaged or from a version that knew more.
  @inlinable
  public func decoded<Event: JournaledEvent>(as type: Event.Type = Event.self) throws(PayloadError) -> Event {
    try payload.withUnsafeBufferPointer { bytes throws(PayloadError) in
      var reader = PayloadReader(UnsafeRawBufferPointer(bytes))
      return try Event(tag: tag, payload: &reader)
    }
  }
}
