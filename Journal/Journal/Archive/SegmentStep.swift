public import SystemPackage

/// What is about to be changed on the disk by retention, packing or redaction: for progress, and for stopping by an
/// error that is thrown there. Each step leaves everything readable, whatever becomes of the next.
public struct SegmentStep: Sendable, Equatable {
  public enum Change: String, Sendable, CaseIterable {
    /// A file is made under a name that nobody reads.
    case write
    /// It gets the name under which it is read; in its place, if there was one.
    case rename
    /// A file that is not read any more goes.
    case remove
  }

  public typealias Handler = (SegmentStep) throws(JournalError) -> Void

  public let change: Change
  public let file: FilePath
  /// 0 if the file is none of a segment's.
  public let segmentNumber: UInt64

  public init(_ change: Change, _ file: FilePath, segmentNumber: UInt64) {
    self.change = change
    self.file = file
    self.segmentNumber = segmentNumber
  }
}
