public import JournalFormat
public import SystemPackage

/// What a whole snapshot says of itself.
public struct SnapshotInfo: Sendable, Equatable {
  public let file: FilePath
  /// The version of the format it is written in.
  public let version: UInt32
  /// Where the journal was when it was begun: the starting point of a restart.
  public let point: JournalPoint
  public let createdMilliseconds: Int64
  /// Finished entities included.
  public let entryCount: UInt64
  public let finishedCount: UInt64
  /// States before compression.
  public let stateByteCount: UInt64
  /// Index before compression.
  public let indexByteCount: UInt64
  public let fileByteCount: Int

  init(file: FilePath, header: SnapshotHeader, footer: SnapshotFooter) {
    self.file = file
    version = SnapshotHeader.version
    point = header.point
    createdMilliseconds = header.createdMilliseconds
    entryCount = footer.entryCount
    finishedCount = footer.finishedCount
    stateByteCount = footer.stateByteCount
    indexByteCount = footer.indexByteCount
    fileByteCount = footer.offset + SnapshotLimits.footerByteCount
  }
}

extension SnapshotInfo: CustomStringConvertible {
  /// One line for the log.
  public var description: String {
    "snapshot: \(entryCount - finishedCount) entities at position \(point.position), \(fileByteCount) bytes, \(file)"
  }
}
