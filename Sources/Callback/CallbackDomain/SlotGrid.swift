public import EventSourcing

/// The time slots of a service: buckets of equal length since 1970, open as its hours say. Spec: GMS 9.5.
///
/// A slot is one only if the service is open for the whole of it, by the clock on its wall: where that clock jumps, the
/// hours that it leaves out or shows twice count as they are shown.
public struct SlotGrid: Sendable {
  /// 5, 10, 15, 20, 30, 60 or 120 minutes.
  public let bucketMinutes: Int
  public let capacity: Int
  public let hours: BusinessHours
  /// Seconds that local time is ahead of UTC at a moment.
  public let offset: @Sendable (Timestamp) -> Int

  public init(
    bucketMinutes: Int, capacity: Int, hours: BusinessHours, offset: @escaping @Sendable (Timestamp) -> Int
  ) {
    self.bucketMinutes = bucketMinutes
    self.capacity = capacity
    self.hours = hours
    self.offset = offset
  }

  /// `slots` looks no further ahead than so many days.
  public static let daysMaximum = 366
  /// From 1970 to the end of 9999: what lies outside has no slots.
  private static let calendar = Int64(0)..<253_402_300_800_000
  /// How often the offset is asked for. No zone changes it twice within that time.
  private static let probeMilliseconds: Int64 = 6 * 3_600_000

  private var bucketMilliseconds: Int64 { Int64(max(1, bucketMinutes)) * .minuteMilliseconds }

  /// The beginning of the bucket that `time` lies in, open or not.
  public func bucket(of time: Timestamp) -> Timestamp {
    time.advanced(by: .milliseconds(-time.milliseconds.floorRemainder(by: bucketMilliseconds)))
  }

  /// True if `time` lies in a slot.
  public func fits(_ time: Timestamp) -> Bool {
    guard Self.calendar.contains(time.milliseconds) else { return false }
    let start = bucket(of: time).milliseconds
    let bucket = start..<(start + bucketMilliseconds)
    return openStretches(in: bucket) == [bucket]
  }

  /// The beginnings of the slots that begin at `from` or later, but before `to`; ascending.
  public func slots(from: Timestamp, to: Timestamp) -> [Timestamp] {
    let first = max(from.milliseconds, Self.calendar.lowerBound)
    let last = min(to.milliseconds, Self.calendar.upperBound)
    guard first < last else { return [] }
    let end = min(last, first + Int64(Self.daysMaximum) * .dayMilliseconds)
    // A slot that begins before the end may reach beyond it.
    let searched = roundedUp(first)..<max(roundedUp(first), roundedUp(end))
    return openStretches(in: searched).flatMap { open in
      stride(
        from: roundedUp(open.lowerBound), through: open.upperBound - bucketMilliseconds, by: Int(bucketMilliseconds)
      )
      .map { Timestamp(milliseconds: $0) }
    }
  }

  /// To the next beginning of a bucket.
  private func roundedUp(_ milliseconds: Int64) -> Int64 {
    milliseconds + (-milliseconds).floorRemainder(by: bucketMilliseconds)
  }

  /// When the service is open within `range`: ascending, and apart from one another.
  private func openStretches(in range: Range<Int64>) -> [Range<Int64>] {
    var stretches: [Range<Int64>] = []
    for (span, offset) in offsets(in: range) {
      let shift = Int64(offset) * 1_000
      let local = (span.lowerBound + shift)..<(span.upperBound + shift)
      let lastDay = (local.upperBound - 1).floorDivided(by: .dayMilliseconds)
      for day in local.lowerBound.floorDivided(by: .dayMilliseconds)...lastDay {
        let midnight = day * .dayMilliseconds - shift
        for interval in hours.intervals(onDay: day) {
          let start = max(midnight + Int64(interval.start) * .minuteMilliseconds, span.lowerBound)
          let end = min(midnight + Int64(interval.end) * .minuteMilliseconds, span.upperBound)
          guard start < end else { continue }
          if let last = stretches.last, last.upperBound == start {
            stretches[stretches.count - 1] = last.lowerBound..<end
          } else {
            stretches.append(start..<end)
          }
        }
      }
    }
    return stretches
  }

  /// The parts of `range` in which local time keeps its distance from UTC; none is empty.
  private func offsets(in range: Range<Int64>) -> [(span: Range<Int64>, offset: Int)] {
    func offset(_ milliseconds: Int64) -> Int { self.offset(Timestamp(milliseconds: milliseconds)) }
    guard !range.isEmpty else { return [] }
    var spans: [(span: Range<Int64>, offset: Int)] = []
    var start = range.lowerBound
    var current = offset(start)
    var probed = start
    while probed < range.upperBound {
      var next = min(probed + Self.probeMilliseconds, range.upperBound)
      if offset(next) != current {
        // The moment of the change: behind `probed`, not behind `next`.
        while next - probed > 1 {
          let middle = probed + (next - probed) / 2
          if offset(middle) == current { probed = middle } else { next = middle }
        }
        if next < range.upperBound {
          spans.append((start..<next, current))
          start = next
          current = offset(next)
        }
      }
      probed = next
    }
    return spans + [(start..<range.upperBound, current)]
  }
}
