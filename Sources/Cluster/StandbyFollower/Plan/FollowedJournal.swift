public import Journal
public import JournalFormat

/// What a directory holds of the journal that it follows.
public struct FollowedJournal: Sendable, Equatable {
  /// In order.
  public private(set) var segments: [SegmentName]
  /// Nil if it has no segment.
  public private(set) var end: CopyEnd?
  /// The highest that the directory was told of; 0 if nobody has told it of any.
  public var knownEpoch: UInt32
  /// It is a standby's, or nobody's yet.
  public let mayFollow: Bool

  public init(segments: [SegmentName] = [], end: CopyEnd? = nil, epoch: JournalEpoch? = nil) {
    self.segments = segments
    self.end = end
    knownEpoch = epoch?.told ?? 0
    mayFollow = epoch.map { $0.role == .standby } ?? segments.isEmpty
  }

  mutating func grow(to end: CopyEnd?) {
    self.end = end
    guard let end, segments.last?.number != end.segment else { return }
    segments.append(SegmentName(number: end.segment, id: end.segmentID))
  }
}
