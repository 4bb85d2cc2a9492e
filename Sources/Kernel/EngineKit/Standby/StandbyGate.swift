/// How far the journal's records may be told of while a standby has to have them too.
///
/// ```
///   on this disk ──────┐
///                      ├── the lower of the two ──> may be released
///   acknowledged ──────┘
///   on this disk and not acknowledged for longer than the limit ──> overdue: no more is to be taken
/// ```
/// Pure: positions and times, in monotonic milliseconds, are inputs.
struct StandbyGate: Sendable, Equatable {
  /// What came to the disk within this part of the limit is remembered together, as of its first.
  private static let markCountInLimit: Int64 = 16

  private struct Mark: Equatable {
    /// The last position of those that came together.
    var position: UInt64
    /// When the first of them came.
    let since: Int64
  }

  private let limitMilliseconds: Int64
  private var durablePosition: UInt64 = 0
  private var acknowledgedPosition: UInt64 = 0
  /// What is on the disk and not acknowledged, the oldest first: at most a few more than `markCountInLimit` while changes
  /// are refused once it is overdue.
  private var marks: [Mark] = []

  init(limitMilliseconds: Int64) { self.limitMilliseconds = limitMilliseconds }

  /// Records up to this position may be told of.
  var releasePosition: UInt64 { min(durablePosition, acknowledgedPosition) }

  /// A standby has been waited for longer than the limit.
  func isOverdue(at now: Int64) -> Bool {
    guard let oldest = marks.first else { return false }
    return now - oldest.since > limitMilliseconds
  }

  /// Everything up to `position` is on this disk. One that falls changes nothing.
  mutating func becameDurable(_ position: UInt64, at now: Int64) {
    guard position > durablePosition else { return }
    durablePosition = position
    guard position > acknowledgedPosition else { return }
    let width = max(1, limitMilliseconds / Self.markCountInLimit)
    if let last = marks.last, now - last.since < width {
      marks[marks.count - 1].position = position
    } else {
      marks.append(Mark(position: position, since: now))
    }
  }

  /// A standby has everything up to `position` on its disk: whichever of several is the furthest counts.
  mutating func wasAcknowledged(_ position: UInt64) {
    guard position > acknowledgedPosition else { return }
    acknowledgedPosition = position
    marks.removeAll { $0.position <= position }
  }
}
