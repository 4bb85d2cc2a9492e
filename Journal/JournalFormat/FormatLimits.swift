/// The bounds of format 1; a header that says more is not believed.
public enum FormatLimits {
  public static let segmentByteCountMinimum = 16 * 1024
  /// The largest segment that is written.
  public static let segmentByteCountMaximum = 1024 * 1024 * 1024
  /// The largest segment that is read: redaction can make one longer, and offsets have 32 bits.
  public static let segmentReadByteCountMaximum = 4 * 1024 * 1024 * 1024 - 4096
  public static let segmentHeaderByteCount = 4096
  /// Encoded records and salts of one append.
  public static let unitByteCountMaximum = 1024 * 1024
  /// Plain bytes of the largest frame that is written.
  public static let framePlainByteCountMaximum = 2 * 1024 * 1024
  /// Plain bytes of the largest frame that is read: each of its records may have become a leaf.
  public static let frameReadPlainByteCountMaximum =
    framePlainByteCountMaximum + frameRecordCountMaximum * redactedRecordByteCount
  public static let frameRecordCountMaximum = 65_536
  /// The longest frame that is read, header and all.
  public static let frameReadByteCountMaximum =
    FrameHeader.byteCount + frameRecordCountMaximum * saltByteCount + frameReadPlainByteCountMaximum
  public static let keyByteCountMaximum = 1024
  public static let saltByteCount = 16
  /// Plain bytes after which the next frame is a restart point.
  public static let restartByteCount = 256 * 1024
  /// What one decoder or encoder ever holds of plain bytes.
  static let windowByteCount = restartByteCount + frameReadPlainByteCountMaximum
  /// A redacted record with its length.
  static let redactedRecordByteCount = 35
  /// Plain bytes after which a block of a packed segment ends.
  static let packedBlockByteCount = 256 * 1024
  static let recordByteCountMinimum = 6
  /// Bytes that the search for a later frame may checksum before it calls the place damaged.
  static let searchByteCountMaximum = 256 * 1024 * 1024

  /// The bound on one append in segments of a size: a segment must hold the largest frame and its seal.
  public static func unitByteCountMaximum(segmentByteCount: Int) -> Int {
    min(unitByteCountMaximum, (segmentByteCount - segmentHeaderByteCount) / 4 - 128)
  }

  /// The size of a segment that has room for `count` bytes.
  public static func segmentByteCount(holding count: Int) -> Int {
    max((count + 4095) / 4096 * 4096, segmentByteCountMinimum)
  }

  /// Whether a segment of that size may be written.
  public static func isValidSegmentByteCount(_ count: Int) -> Bool {
    isReadableSegmentByteCount(count) && count <= segmentByteCountMaximum
  }

  /// Whether a segment's header may say that size.
  public static func isReadableSegmentByteCount(_ count: Int) -> Bool {
    count >= segmentByteCountMinimum && count <= segmentReadByteCountMaximum && count % 4096 == 0
  }
}
