/// The bounds of the journal that are not part of its format.
enum Limits {
  /// One write while zeros are laid down; small enough not to hold up a commit for long.
  static let zeroChunkByteCount = 1024 * 1024
  /// Between two such writes while there is no hurry.
  static let zeroPauseNanoseconds: UInt64 = 5_000_000
  /// Between two tries when the disk is full.
  static let fullDiskPauseNanoseconds: UInt64 = 1_000_000_000
  /// A full disk refuses appends once the current segment is used to this part.
  static let fullDiskSegmentPercent = 50
  /// Buffers that grew beyond this are let go after the commit.
  static let idleBufferByteCount = 8 * 1024 * 1024
  /// So many waiters of one commit are worth a change of thread, so that the next commit need not wait for them.
  static let deliveryCountForThread = 128
  /// A snapshot is synced after so many bytes.
  static let snapshotSyncByteCount = 2 * 1024 * 1024
  /// One read while a snapshot is checked.
  static let snapshotCheckByteCount = 1024 * 1024
  /// The first read for a block of a snapshot; most blocks are shorter.
  static let snapshotReadByteCount = 32 * 1024
  static let segmentNumberDigits = 12
  /// Of a file that is copied to the archive.
  static let copyChunkByteCount = 1024 * 1024
  /// Windows of plain bytes that a start has read ahead of those who replay them.
  static let replayWindowCount = 3
  /// What a start reads of a segment at a time, beside what it needs next.
  static let segmentPieceByteCount = 4 * 1024 * 1024
  /// What is read of a segment at a time to make an index of it.
  static let indexPieceByteCount = 32 * 1024 * 1024
  /// What is read at each place that is looked at on the way to a record in the midst of a segment.
  static let seekPieceByteCount = 512 * 1024
  static let threadStackByteCount = 1024 * 1024
  /// Times that a reader looks again at a place that a live writer may just be writing.
  static let readerRetryCount = 5
  /// Leaves that wait for whoever makes the tree: 262,144 of them.
  static let leafHandoverByteCount = 8 * 1024 * 1024
  /// Leaves that are read from a segment before they are put into the tree: 65,536 of them.
  static let leafPieceByteCount = 2 * 1024 * 1024
  /// New leaves after which the tree is made durable, if nobody asks before.
  static let treeUnstoredCount: UInt64 = 1_000_000
}
