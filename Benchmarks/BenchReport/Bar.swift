/// How far a figure may fall behind before somebody has to look.
package enum Bar: Sendable, Equatable {
  /// Of what was reached before, at least.
  case atLeast(Double)
  case atMost(Double)

  /// Throughput may lose three in a hundred, memory two: less than that, runs of one program differ by as well.
  private static let speed = 0.97
  private static let memory = 1.02

  /// Nil for what is only told: latencies, which the machine's mood moves most, shares of processor time, yardsticks.
  package init?(name: String, unit: String) {
    if Yardstick.isYardstick(name) { return nil }
    switch unit {
    case _ where unit.hasSuffix("/s"): self = .atLeast(Self.speed)
    case "s", Sides.relativeUnit: self = .atMost(1 / Self.speed)
    case _ where unit.hasPrefix("bytes") || unit.hasPrefix("allocations"): self = .atMost(Self.memory)
    default: return nil
    }
  }

  package func isKept(by ratio: Double) -> Bool {
    switch self {
    case .atLeast(let least): ratio >= least
    case .atMost(let most): ratio <= most
    }
  }

  package var text: String {
    switch self {
    case .atLeast(let least): ">= \(Measurement.decimal(least, digits: 2))"
    case .atMost(let most): "<= \(Measurement.decimal(most, digits: 2))"
    }
  }
}
