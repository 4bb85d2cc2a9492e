public import SystemPackage

/// What a start found.
public struct RecoveryReport: Sendable, Equatable {
  /// Records handed to the replay.
  public var records: UInt64 = 0
  public var frames: UInt64 = 0
  public var segments = 0
  public var lastPosition: UInt64 = 0
  /// Bytes of a torn write that were cut off; 0 after a clean stop.
  public var cutByteCount = 0
  /// Where the cut bytes are kept.
  public var cutFile: FilePath?
  /// The segment that is being written.
  public var currentFile: FilePath
  public var duration: Duration = .zero

  init(currentFile: FilePath) { self.currentFile = currentFile }
}

extension RecoveryReport: CustomStringConvertible {
  /// One line for the log.
  public var description: String {
    let found =
      "journal: \(records) records in \(frames) frames, \(segments) segments, position \(lastPosition), \(duration)"
    guard let cutFile else { return found }
    return "\(found); cut \(cutByteCount) bytes of a torn write, kept in \(cutFile)"
  }
}
