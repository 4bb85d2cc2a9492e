/// What a snapshot's index says of one entity.
public struct SnapshotEntry: Sendable, Equatable {
  /// The frozen number of the entity's kind.
  public var kind: UInt8
  /// The entity's last sequence number that its state covers: records of the journal up to it add nothing.
  public var sequence: UInt64
  public var key: String
  /// The entity ended before the snapshot was finished: it has neither brief nor state.
  public var isFinished: Bool
  /// What its directory needs while it sleeps; at most `SnapshotLimits.briefByteCountMaximum` bytes.
  public var brief: [UInt8]
  /// Where its state lies; `.none` if it is finished.
  public var place: SnapshotPlace

  public init(
    kind: UInt8, sequence: UInt64, key: String, isFinished: Bool, brief: [UInt8], place: SnapshotPlace
  ) {
    self.kind = kind
    self.sequence = sequence
    self.key = key
    self.isFinished = isFinished
    self.brief = brief
    self.place = place
  }
}

/// Where a state lies in its snapshot's file: 16 bytes. Means nothing in another file.
///
/// In the order of places states can be read one after the other without reading a block twice.
public struct SnapshotPlace: Sendable, Hashable, Comparable {
  /// Of the block, in the file.
  package var blockOffset: UInt64
  /// In the block's plain bytes.
  package var start: UInt32
  package var byteCount: UInt32

  init(blockOffset: UInt64, start: UInt32, byteCount: UInt32) {
    self.blockOffset = blockOffset
    self.start = start
    self.byteCount = byteCount
  }

  public static let none = SnapshotPlace(blockOffset: 0, start: 0, byteCount: 0)

  public static func < (left: SnapshotPlace, right: SnapshotPlace) -> Bool {
    (left.blockOffset, left.start, left.byteCount) < (right.blockOffset, right.start, right.byteCount)
  }
}
