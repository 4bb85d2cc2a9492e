/// Several rounds of one measurement as one: of each figure the median, and how far the rounds lie apart.
package enum Rounds {
  /// - Parameter rounds: the figures of each; one that is not in all of them counts where it is.
  package static func medians(_ rounds: [[Measurement]]) -> [Measurement] {
    var names: [String] = []
    var figures: [String: [Measurement]] = [:]
    for figure in rounds.joined() {
      if figures[figure.name] == nil { names.append(figure.name) }
      figures[figure.name, default: []].append(figure)
    }
    return names.compactMap { name in figures[name].flatMap(median) }
  }

  /// One figure is nothing to take a median of: it stays as it is.
  private static func median(_ figures: [Measurement]) -> Measurement? {
    let sorted = figures.sorted { $0.value < $1.value }
    guard let least = sorted.first, let greatest = sorted.last, sorted.count > 1 else { return sorted.first }
    let middle = sorted[(sorted.count - 1) / 2]
    return Measurement(
      middle.name, Comparison.median(sorted.map(\.value)), middle.unit, settings: middle.settings,
      spread: Spread(least: least.value, greatest: greatest.value, rounds: sorted.count),
      // The slowest second of all rounds is to be looked at, not that of an ordinary round.
      trace: greatest.trace)
  }
}

/// Between which figures the rounds of one lie, whose median it is.
package struct Spread: Sendable, Equatable {
  package let least: Double
  package let greatest: Double
  package let rounds: Int

  package init(least: Double, greatest: Double, rounds: Int) {
    (self.least, self.greatest, self.rounds) = (least, greatest, rounds)
  }

  /// Such as `median of 5, 11,200-14,000`.
  var text: String { "median of \(rounds), \(range)" }

  /// Such as `11,200-14,000`.
  var range: String { "\(Measurement("", least, "").text)-\(Measurement("", greatest, "").text)" }
}
