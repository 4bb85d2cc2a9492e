/// The bounds of snapshot format 1; a length beyond them is not believed.
public enum SnapshotLimits {
  /// Plain bytes of a block; a state that is larger has a block of its own.
  public static let blockByteCount = 64 * 1024
  public static let stateByteCountMaximum = 64 * 1024 * 1024
  /// What a directory needs of a sleeping entity.
  public static let briefByteCountMaximum = 16 * 1024
  public static let headerByteCount = 4096
  public static let blockHeaderByteCount = 20
  public static let footerByteCount = 80
  /// What LZ4 can make of one byte at most; a header that promises more is not believed.
  static let expansionMaximum = 255
}
