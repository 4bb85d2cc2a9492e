internal import JournalFormat
internal import SystemPackage

/// Takes the frames of a start, in order.
protocol ReplayTaker: AnyObject {
  /// The next frame is the first of a segment.
  func beginSegment(_ file: FilePath) throws
  /// - Throws: `FormatError`, or what the replay throws; either may come later, at the latest from `finish`.
  func take(_ frame: ScannedFrame, in bytes: UnsafeRawBufferPointer) throws
  /// A frame that is not to be replayed; those behind it may refer to its plain bytes.
  func pass(_ frame: ScannedFrame, in bytes: UnsafeRawBufferPointer) throws
  /// Returns when everything has been replayed; may be called again.
  ///
  /// - Throws: what is wrong with the record that stands first of those with which something is.
  func finish() throws
}

/// Replays on the thread that reads.
final class InlineReplay: ReplayTaker {
  private var decoder = FrameDecoder()
  private let replay: (borrowing RecordView) throws -> Void

  init(_ replay: @escaping (borrowing RecordView) throws -> Void) { self.replay = replay }

  func beginSegment(_ file: FilePath) { decoder.beginSegment() }

  func take(_ frame: ScannedFrame, in bytes: UnsafeRawBufferPointer) throws {
    try decoder.forEachRecord(of: frame, in: bytes, replay)
  }

  func pass(_ frame: ScannedFrame, in bytes: UnsafeRawBufferPointer) throws {
    try decoder.forEachRecord(of: frame, in: bytes) { _ in }
  }

  func finish() {}
}
