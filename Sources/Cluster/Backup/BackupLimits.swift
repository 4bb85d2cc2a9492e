/// The bounds of making backups and of reading what may be one.
enum BackupLimits {
  /// Bytes that are read, hashed and written at a time.
  static let pieceByteCount = 256 * 1024
  /// How often a backup looks for what has changed while it copied, before it says that it cannot keep up.
  static let roundCountMaximum = 100
  /// Blobs of one listing.
  static let blobCountMaximum = Int.max - 1
  /// A manifest: some 200 bytes for each file.
  static let manifestByteCountMaximum = 1 << 30
}
