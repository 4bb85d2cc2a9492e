/// One second under load: the latencies of what arrived in it, and what else happened meanwhile.
package struct TracedSecond: Sendable, Equatable {
  /// From 1.
  package let number: Int
  /// Messages.
  package let arrived: Int
  /// Milliseconds.
  package let p50: Double
  package let p99: Double
  package let maximum: Double
  package let readings: [Reading]

  package init(number: Int, _ latencies: LatencyHistogram, _ readings: [Reading]) {
    self.init(
      number: number, arrived: latencies.count, p50: latencies[50], p99: latencies[99], maximum: latencies.maximum,
      readings)
  }

  init(number: Int, arrived: Int, p50: Double, p99: Double, maximum: Double, _ readings: [Reading]) {
    (self.number, self.arrived, self.readings) = (number, arrived, readings)
    (self.p50, self.p99, self.maximum) = (p50, p99, maximum)
  }

  /// Of two, which one was slower. None is slower than one in which nothing arrived at all.
  static func isFaster(_ first: TracedSecond, _ second: TracedSecond) -> Bool {
    func key(_ second: TracedSecond) -> (Double, Double) {
      (second.arrived == 0 ? .infinity : second.p99, second.maximum)
    }
    return key(first) < key(second)
  }
}
