import JournalFormat

/// The bounds of what a primary and a standby tell each other; a message that says more is not believed.
public enum StandbyLimits {
  /// Bytes of a segment in one message.
  public static let pieceByteCountMaximum = 256 * 1024
  /// What stands before the bytes, or in a message without any: numbers, a path, a version.
  public static let fieldsByteCountMaximum = 2048
  /// Payload of the longest message.
  public static let payloadByteCountMaximum = pieceByteCountMaximum + fieldsByteCountMaximum
  /// The longest message with its type, its length and its checksum.
  public static let messageByteCountMaximum = payloadByteCountMaximum + 1 + 5 + 4
  public static let pathByteCountMaximum = 512
  public static let pathDepthMaximum = 8
  public static let versionByteCountMaximum = 128
  /// The name under which a standby is known to its primary.
  public static let nameByteCountMaximum = 64
  /// Entries, segments and files together, on one page of the manifest.
  public static let manifestPageCountMaximum = 5000
  /// One page of the manifest, whose longest entry is a path and a version with some numbers.
  public static let manifestByteCountMaximum =
    1024 + manifestPageCountMaximum * (2 * pathByteCountMaximum + versionByteCountMaximum + 256)
  public static let acknowledgementByteCountMaximum = 1024
  /// Standbys that follow one primary at the same time.
  public static let standbyCountMaximum = 16
  /// A file of either kind: segments may be this long, and no blob or snapshot is sent that is longer.
  public static let fileByteCountMaximum = 1 << 46
  /// Numbers of segments, and positions: more than there will ever be, and what is added to them has room.
  public static let numberMaximum: UInt64 = 1 << 62
  /// Milliseconds since 1970, some hundred thousand years of them: one is subtracted from another.
  public static let timeMaximumMilliseconds: Int64 = 1 << 53
  /// The end of the longest segment.
  static let segmentEndMaximum = FormatLimits.segmentReadByteCountMaximum
}
