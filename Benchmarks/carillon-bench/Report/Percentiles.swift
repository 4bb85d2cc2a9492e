/// The distribution of latencies, from all of them.
struct Percentiles: Sendable {
  private let sorted: [Int64]

  /// - Parameter nanoseconds: in any order.
  init(_ nanoseconds: [Int64]) { sorted = nanoseconds.sorted() }

  var count: Int { sorted.count }

  /// Milliseconds.
  subscript(percent: Double) -> Double {
    guard !sorted.isEmpty else { return 0 }
    let rank = Int((percent / 100 * Double(sorted.count)).rounded(.up)) - 1
    return Double(sorted[min(max(rank, 0), sorted.count - 1)]) / 1_000_000
  }
}
