public import Journal

/// What the engine does beside its service, and when.
public struct HousekeepingSettings: Sendable, Equatable {
  /// A snapshot is written so often, if so many records have come since the one before; nil for never.
  public var snapshotInterval: Duration? = .seconds(600)
  public var snapshotRecordsMinimum: UInt64 = 10_000
  /// An entity that nobody has used for so long leaves memory; nil for never.
  public var sleepAfter: Duration? = .seconds(600)

  /// What becomes of old segments; nil: they stay.
  public var retention: RetentionRule.Action? = .archive
  /// Sealed segments are old after so long; nil: their age is no reason.
  public var segmentAgeMaximum: Duration? = .seconds(86_400)
  /// More than so many bytes of segments are not kept; nil: their size is no reason.
  public var segmentBytesMaximum: Int?
  /// Sealed segments that no start needs are packed.
  public var packsSegments = true
  /// How often old segments are looked for.
  public var archiveInterval: Duration = .seconds(300)

  public init() {}
}
