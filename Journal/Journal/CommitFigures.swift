/// How a writer's commits went.
public struct CommitFigures: Sendable, Equatable {
  /// Frames or batches of frames that were written and synced.
  public private(set) var count: UInt64 = 0
  /// When the last one was on the disk, in milliseconds since 1970 by the journal's clock; nil before the first.
  public private(set) var lastMilliseconds: Int64?
  /// By how long writing and syncing took: see `bound`.
  private var buckets = [UInt64](repeating: 0, count: bucketCount)
  private static let bucketCount = 96

  mutating func add(_ duration: Duration, endedAt milliseconds: Int64) {
    count += 1
    lastMilliseconds = milliseconds
    buckets[Self.bucket(of: duration)] += 1
  }

  /// The commits since `earlier`, an earlier value of the same writer's.
  public func since(_ earlier: CommitFigures) -> CommitFigures {
    var difference = self
    difference.count -= earlier.count
    for index in buckets.indices { difference.buckets[index] -= earlier.buckets[index] }
    return difference
  }

  /// Both together. - Parameter later: of the same writer.
  public func adding(_ later: CommitFigures) -> CommitFigures {
    var sum = later
    sum.count += count
    for index in buckets.indices { sum.buckets[index] += buckets[index] }
    return sum
  }

  /// Those of two writers together.
  public func together(with other: CommitFigures) -> CommitFigures {
    var sum = adding(other)
    sum.lastMilliseconds = [lastMilliseconds, other.lastMilliseconds].compactMap(\.self).max()
    return sum
  }

  /// Microseconds that this part of the commits did not take longer than, up to a quarter too many; nil without commits.
  /// - Parameter part: 0.5 for the median.
  public func microseconds(at part: Double) -> Int? {
    guard count > 0 else { return nil }
    let wanted = max(1, UInt64((Double(count) * part).rounded(.up)))
    var seen: UInt64 = 0
    for (index, commits) in buckets.enumerated() {
      seen += commits
      if seen >= wanted { return Self.bound(of: index) }
    }
    return Self.bound(of: Self.bucketCount - 1)
  }

  /// Four buckets for each doubling, from 1 µs to 16 s.
  private static func bucket(of duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    let microseconds = max(
      1, UInt64(clamping: seconds) &* 1_000_000 &+ UInt64(clamping: attoseconds / 1_000_000_000_000))
    let power = UInt64.bitWidth - 1 - microseconds.leadingZeroBitCount
    let quarter = power < 2 ? 0 : Int(microseconds >> UInt64(power - 2)) & 3
    return min(power * 4 + quarter, bucketCount - 1)
  }

  /// The most that a bucket holds, in microseconds.
  private static func bound(of bucket: Int) -> Int {
    let (power, quarter) = (bucket / 4, bucket % 4)
    return power < 2 ? (2 << power) - 1 : (1 << power) + (quarter + 1) * (1 << (power - 2)) - 1
  }
}
