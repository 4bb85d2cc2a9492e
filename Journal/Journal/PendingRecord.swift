/// One record to append.
public struct PendingRecord: Sendable, Equatable {
  /// The frozen number of the entity's kind.
  public var kind: UInt8
  /// At most 1024 bytes of UTF-8.
  public var key: String
  /// The entity's own sequence number.
  public var sequence: UInt64
  /// Milliseconds since 1970.
  public var timeMilliseconds: Int64
  /// The frozen number of the event's case.
  public var tag: UInt16
  public var payload: [UInt8]

  public init(
    kind: UInt8, key: String, sequence: UInt64, timeMilliseconds: Int64, tag: UInt16, payload: [UInt8]
  ) {
    self.kind = kind
    self.key = key
    self.sequence = sequence
    self.timeMilliseconds = timeMilliseconds
    self.tag = tag
    self.payload = payload
  }
}
