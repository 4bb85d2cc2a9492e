internal import NIOCore

/// The ceiling on all streams of an origin after ENHANCE_YOUR_CALM. Spec: providers 2.1.
///
/// One wave of resets halves once: only a stream that was opened after the last halving can halve again.
struct Calm {
  private var ceiling: Int?
  private var ends = NIODeadline.distantPast
  private var halvedAt: UInt64 = 0

  /// - Parameters:
  ///   - order: the opening number of the stream that was told to be calm.
  ///   - latest: the opening number of the youngest stream.
  ///   - open: streams open when it was told, that one included.
  mutating func ask(order: UInt64, latest: UInt64, open: Int, until end: NIODeadline) {
    ends = max(ends, end)
    if let ceiling {
      guard order > halvedAt else { return }
      self.ceiling = max(1, min(ceiling, open) / 2)
    } else {
      ceiling = max(1, open / 2)
    }
    halvedAt = latest
  }

  /// The most streams at once; nil: no ceiling now.
  mutating func ceiling(at now: NIODeadline) -> Int? {
    if ceiling != nil, now >= ends { ceiling = nil }
    return ceiling
  }
}
