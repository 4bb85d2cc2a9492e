/// The seconds of a phase under steady load, and of two of them everything: where a slow tail comes from is seen by what
/// the slowest second has that an ordinary one has not.
package struct SecondsTrace: Sendable, Equatable {
  package let slowest: TracedSecond
  package let median: TracedSecond
  /// Of every second in turn, milliseconds.
  package let p99s: [Double]

  /// - Parameter seconds: in their order; nil if there are fewer than two.
  package init?(_ seconds: [TracedSecond]) {
    let sorted = seconds.sorted(by: TracedSecond.isFaster)
    guard sorted.count > 1, let slowest = sorted.last else { return nil }
    self.init(slowest: slowest, median: sorted[(sorted.count - 1) / 2], p99s: seconds.map(\.p99))
  }

  init(slowest: TracedSecond, median: TracedSecond, p99s: [Double]) {
    (self.slowest, self.median, self.p99s) = (slowest, median, p99s)
  }

  /// Both seconds side by side.
  package var table: String {
    let both = [slowest, median]
    var names: [String] = []
    for reading in both.flatMap(\.readings) where !names.contains(reading.name) { names.append(reading.name) }
    let rows =
      [
        ["", "slowest", "median"], ["second"] + both.map { "\($0.number)" }, ["arrived"] + both.map { "\($0.arrived)" },
        ["p50 ms"] + both.map { Self.text($0.p50) }, ["p99 ms"] + both.map { Self.text($0.p99) },
        ["max ms"] + both.map { Self.text($0.maximum) },
      ]
      + names.map { name in
        [name] + both.map { second in second.readings.first { $0.name == name }.map { Self.text($0.value) } ?? "-" }
      }
    return TextTable.lines(rows, right: 1..<3).joined(separator: "\n")
  }

  private static func text(_ value: Double) -> String { Measurement("", value, "").text }
}
