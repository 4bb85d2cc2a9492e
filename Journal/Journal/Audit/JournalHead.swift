public import JournalFormat

/// The newest part of a journal's history that the disk is known to hold.
public struct JournalHead: Sendable, Equatable {
  /// The end of the newest frame with records that a later one calls durable; what a crash might still take is not part
  /// of it.
  public let point: JournalPoint
  /// The oldest segment that was there.
  public let oldestSegment: SegmentName
}

/// Finds the head while the frames of a journal go by in order.
public struct JournalHeadSearch: Sendable {
  private var candidates: [JournalPoint] = []
  private var oldestSegment: SegmentName?
  private var point: JournalPoint?

  public init() {}

  /// Takes the next frame.
  public mutating func add(_ frame: FrameInfo) {
    if oldestSegment == nil { oldestSegment = SegmentName(number: frame.segmentNumber, id: frame.segmentID) }
    let known = candidates.prefix { $0.position <= frame.header.durablePosition }
    if let last = known.last {
      point = last
      candidates.removeFirst(known.count)
    }
    guard !frame.header.isEmpty else { return }
    candidates.append(
      JournalPoint(
        position: frame.header.endPosition - 1, chainHash: frame.header.chainHash, segmentNumber: frame.segmentNumber,
        segmentID: frame.segmentID))
  }

  /// Nil if nothing is known to be on the disk yet.
  public var head: JournalHead? {
    guard let point, let oldestSegment else { return nil }
    return JournalHead(point: point, oldestSegment: oldestSegment)
  }
}
