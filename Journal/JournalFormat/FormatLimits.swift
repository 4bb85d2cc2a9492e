/// The bounds of format 1; a header that says more is not believed.
public enum FormatLimits {
  public static let segmentByteCountMinimum = 16 * 1024
  public static let segmentByteCountMaximum = 1024 * 1024 * 1024
  public static let segmentHeaderByteCount = 4096
  /// Encoded records and salts of one append.
  public static let unitByteCountMaximum = 1024 * 1024
  public static let framePlainByteCountMaximum = 2 * 1024 * 1024
  public static let frameRecordCountMaximum = 65_536
  public static let keyByteCountMaximum = 1024
  public static let saltByteCount = 16
  /// Plain bytes after which the next frame is a restart point.
  public static let restartByteCount = 256 * 1024
  /// What one decoder or encoder ever holds of plain bytes.
  static let windowByteCount = restartByteCount + framePlainByteCountMaximum
  static let recordByteCountMinimum = 6
  /// Bytes that the search for a later frame may checksum before it calls the place damaged.
  static let searchByteCountMaximum = 256 * 1024 * 1024

  /// The bound on one append in segments of a size: a segment must hold the largest frame and its seal.
  public static func unitByteCountMaximum(segmentByteCount: Int) -> Int {
    min(unitByteCountMaximum, (segmentByteCount - segmentHeaderByteCount) / 4 - 128)
  }

  public static func isValidSegmentByteCount(_ count: Int) -> Bool {
    count >= segmentByteCountMinimum && count <= segmentByteCountMaximum && count % 4096 == 0
  }
}
