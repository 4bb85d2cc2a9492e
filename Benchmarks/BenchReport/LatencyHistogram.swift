internal import Histogram

/// Latencies to three significant digits, in memory that does not grow: every one counts, however long a run lasts.
package struct LatencyHistogram: Sendable {
  /// Nanoseconds: what is shorter counts as nothing, what is longer as an hour.
  private static let range = (least: UInt64(1_000), most: UInt64(3_600_000_000_000))

  private var histogram = Histogram<UInt32>(
    lowestDiscernibleValue: Self.range.least, highestTrackableValue: Self.range.most,
    numberOfSignificantValueDigits: .three)
  /// Nanoseconds, exactly.
  private var longest: Int64 = 0

  package init() {}

  /// - Parameter nanoseconds: in any order.
  package init(_ nanoseconds: [Int64]) {
    for latency in nanoseconds { record(latency) }
  }

  package mutating func record(_ nanoseconds: Int64) { record(nanoseconds, count: 1) }

  /// - Parameter count: how many took so long.
  package mutating func record(_ nanoseconds: Int64, count: Int) {
    guard count > 0 else { return }
    longest = max(longest, nanoseconds)
    histogram.record(min(UInt64(max(nanoseconds, 0)), Self.range.most), count: UInt32(clamping: count))
  }

  /// Starts anew in the same memory.
  package mutating func removeAll() {
    histogram.reset()
    longest = 0
  }

  package var count: Int { Int(histogram.totalCount) }

  /// Milliseconds; 0 of nothing.
  package var maximum: Double { Double(longest) / 1_000_000 }

  /// Milliseconds; 0 of nothing.
  package subscript(percent: Double) -> Double {
    min(Double(histogram.valueAtPercentile(percent)) / 1_000_000, maximum)
  }

  /// What is said of every distribution: `<name>.p50`, `.p99`, `.p99.9` and `.max`.
  /// - Parameters:
  ///   - p99: settings of that figure, which has the bars.
  ///   - trace: of the phase that it is of; goes with p99.
  package func measurements(
    _ name: String, settings: String, p99: String? = nil, trace: SecondsTrace? = nil
  ) -> [Measurement] {
    [
      Measurement("\(name).p50", self[50], "ms", settings: settings),
      Measurement("\(name).p99", self[99], "ms", settings: p99 ?? settings, trace: trace),
      Measurement("\(name).p99.9", self[99.9], "ms", settings: settings),
      Measurement("\(name).max", maximum, "ms", settings: "the slowest of \(count)"),
    ]
  }
}
