/// One side of a plot: which values it has room for, where each stands, and which are marked.
package struct PlotAxis: Sendable, Equatable {
  package enum Scale: Sendable { case linear, logarithmic }

  /// What is shown, with its unit.
  package let label: String
  package let scale: Scale
  /// What stands at its two ends.
  package let range: ClosedRange<Double>
  /// Marked values, rising; the ends of a linear axis are among them.
  package let ticks: [Double]

  /// An axis that begins at nothing and has room for all of these.
  package static func linear(_ label: String, for values: [Double]) -> PlotAxis {
    let most = max(values.max() ?? 0, 0)
    let step = roundStep(most / 5)
    let count = max(1, Int((most / step).rounded(.up)))
    let ticks = (0...count).map { Double($0) * step }
    return PlotAxis(label: label, scale: .linear, range: 0...(Double(count) * step), ticks: ticks)
  }

  /// An axis from the least to the greatest of these, which are above nothing; whole powers of ten are marked.
  package static func logarithmic(_ label: String, for values: [Double]) -> PlotAxis {
    let positive = values.filter { $0 > 0 }
    let (least, most) = (positive.min() ?? 1, positive.max() ?? 10)
    let range = least...max(most, least * 10)
    var (ticks, tick) = ([Double](), 1.0)
    while tick > range.lowerBound { tick /= 10 }
    while tick < range.lowerBound { tick *= 10 }
    while tick <= range.upperBound {
      ticks.append(tick)
      tick *= 10
    }
    return PlotAxis(label: label, scale: .logarithmic, range: range, ticks: ticks)
  }

  /// From 0 at one end to 1 at the other.
  package func place(_ value: Double) -> Double {
    switch scale {
    case .linear: (value - range.lowerBound) / (range.upperBound - range.lowerBound)
    case .logarithmic:
      (Self.decades(value) - Self.decades(range.lowerBound))
        / (Self.decades(range.upperBound) - Self.decades(range.lowerBound))
    }
  }

  /// 1, 2 or 5 with zeros: at least so much.
  private static func roundStep(_ least: Double) -> Double {
    guard least > 0 else { return 1 }
    var step = 1.0
    while step < least { step *= 10 }
    while step / 10 >= least { step /= 10 }
    return [step / 5, step / 2, step].first { $0 >= least } ?? step
  }

  /// The logarithm to the base of ten, by halving: enough for a pixel.
  private static func decades(_ value: Double) -> Double {
    var (whole, rest) = (0.0, value)
    while rest >= 10 {
      rest /= 10
      whole += 1
    }
    while rest < 1 {
      rest *= 10
      whole -= 1
    }
    var (fraction, weight) = (0.0, 0.5)
    for _ in 0..<20 {
      rest *= rest
      if rest >= 10 {
        rest /= 10
        fraction += weight
      }
      weight /= 2
    }
    return whole + fraction
  }
}
