public import JournalFormat

/// What a reader found in a journal.
public struct VerifyReport: Sendable, Equatable {
  public var segments = 0
  /// Of these, those that lie in the archive, and those that are packed.
  public var archivedSegments = 0
  public var packedSegments = 0
  public var frames: UInt64 = 0
  public var records: UInt64 = 0
  public var redactedRecords: UInt64 = 0
  /// The first position that is there; 0 without segments.
  public var firstPosition: UInt64 = 0
  public var lastPosition: UInt64 = 0
  /// Records before the first one here are missing: retention deleted them, or somebody else did.
  public var isBeginningGone: Bool { firstPosition > 1 }
  /// Chain hash of the last frame: whoever keeps it elsewhere can prove later what stood before it.
  public var headHash = Hash256.zero
  /// Records as they were encoded.
  public var plainByteCount: UInt64 = 0
  /// Frames as they are on the disk, headers and salts included; packed segments as a whole.
  public var storedByteCount: UInt64 = 0
  /// Bytes after the last whole frame that are not zero: a write in progress or torn.
  public var tailByteCount = 0

  public init() {}

  /// 64 hexadecimal digits.
  public var headHashHex: String { headHash.description }
}

/// One frame as a reader meets it.
public struct FrameInfo: Sendable, Equatable {
  public let segmentNumber: UInt64
  public let segmentID: SegmentID
  /// From the beginning of the segment; of a packed one, as it is when it is expanded.
  public let offset: Int
  public let header: FrameHeader
}
