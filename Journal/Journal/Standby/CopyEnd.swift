public import JournalFormat

/// Where a copy of a journal ends: behind a whole frame, or behind the header of a segment without one.
public struct CopyEnd: Sendable, Equatable {
  public let segment: UInt64
  public let segmentID: SegmentID
  /// From the beginning of the segment, in bytes.
  public let offset: Int
  /// Of the last record before the end; 0 if there is none.
  public let position: UInt64
  /// Of the last frame before the end.
  public let chainHash: Hash256
  /// Of the segment.
  public let epoch: UInt32
  /// The segment is complete: the next byte of the journal is the first of the next one.
  public let isSealed: Bool

  public init(
    segment: UInt64, segmentID: SegmentID, offset: Int, position: UInt64, chainHash: Hash256, epoch: UInt32,
    isSealed: Bool
  ) {
    self.segment = segment
    self.segmentID = segmentID
    self.offset = offset
    self.position = position
    self.chainHash = chainHash
    self.epoch = epoch
    self.isSealed = isSealed
  }

  init(_ scanner: SegmentScanner) {
    self.init(
      segment: scanner.header.number, segmentID: scanner.header.id, offset: scanner.offset,
      position: scanner.nextPosition - 1, chainHash: scanner.chainHash, epoch: scanner.header.epoch,
      isSealed: scanner.isSealed)
  }
}

/// Why bytes are not taken into a copy, which is what it was before they came.
public enum CopyError: Error, Sendable, Equatable {
  /// They do not stand where the copy ends.
  case outOfPlace
  /// What is wrong with them, or with the disk.
  case journal(JournalError)
}

extension CopyError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .outOfPlace: "bytes that do not stand where the copy ends"
    case .journal(let error): "\(error)"
    }
  }
}
