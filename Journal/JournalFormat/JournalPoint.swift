/// The end of a frame on the disk, or the beginning of a segment: a place where history up to there is one thing.
///
/// Two journals that hold the same point are the same up to it: the chain hash covers everything before.
public struct JournalPoint: Sendable, Hashable {
  /// Of the last record before this place; 0 at the beginning of a journal.
  public var position: UInt64
  /// Of the last frame before this place.
  public var chainHash: Hash256
  /// The segment in which this place is.
  public var segmentNumber: UInt64
  public var segmentID: SegmentID

  public init(position: UInt64, chainHash: Hash256, segmentNumber: UInt64, segmentID: SegmentID) {
    self.position = position
    self.chainHash = chainHash
    self.segmentNumber = segmentNumber
    self.segmentID = segmentID
  }
}

extension JournalPoint: CustomStringConvertible {
  public var description: String { "position \(position) in segment \(segmentNumber), chain hash \(chainHash)" }
}
