/// When the journal had come how far: by it, a position that was acknowledged says for how long something has been
/// waiting. Bounded: of what is long ago, fewer moments are kept.
struct DurableHistory: Sendable {
  private struct Moment {
    var position: UInt64
    var milliseconds: Int64
  }

  private var moments: [Moment] = []

  var momentCount: Int { moments.count }

  /// Moments that are kept.
  static let countMaximum = 2048
  /// No two of them are nearer than this.
  static let intervalMilliseconds: Int64 = 10

  /// The journal is durable up to `position`.
  mutating func note(_ position: UInt64, at milliseconds: Int64) {
    if let last = moments.last {
      guard position > last.position else { return }
      if milliseconds - last.milliseconds < Self.intervalMilliseconds {
        // The first of those that belong together says when they began.
        moments[moments.count - 1].position = position
        return
      }
    }
    if moments.count == Self.countMaximum { thin() }
    moments.append(Moment(position: position, milliseconds: milliseconds))
  }

  /// For how long something behind `position` has been durable; 0 if nothing is.
  func waiting(behind position: UInt64, at milliseconds: Int64) -> Int64 {
    var (low, high) = (0, moments.count)
    while low < high {
      let middle = (low + high) / 2
      if moments[middle].position > position { high = middle } else { low = middle + 1 }
    }
    return low < moments.count ? max(0, milliseconds - moments[low].milliseconds) : 0
  }

  /// Of the older half, every second moment goes: what it stood for then counts from the one before.
  private mutating func thin() {
    let half = moments.count / 2
    let kept = stride(from: 1, to: half, by: 2).map { place in
      Moment(position: moments[place].position, milliseconds: moments[place - 1].milliseconds)
    }
    moments.replaceSubrange(..<half, with: kept)
  }
}
