/// Two programs, or two runs, figure by figure.
package struct Comparison: Sendable {
  package struct Row: Sendable, Equatable {
    package let name: String
    package let unit: String
    /// The medians of both.
    package let before: Double
    package let after: Double
    /// Of each pair, the later by the earlier; the median of these counts.
    package let ratios: [Double]
    package let bar: Bar?

    package var ratio: Double { Comparison.median(ratios) }
    package var isBroken: Bool { bar.map { !$0.isKept(by: ratio) } ?? false }
  }

  package let rows: [Row]
  /// Figures that only one of the two has: they are not compared.
  package let alone: [String]

  /// - Parameter pairs: measured one after the other, so that both meet the same moods of the machine.
  package init(_ pairs: [(before: [Measurement], after: [Measurement])]) {
    var names: [String] = []
    var units: [String: String] = [:]
    var figures: [String: [(before: Double?, after: Double?)]] = [:]
    for (number, pair) in pairs.enumerated() {
      for (isAfter, results) in [(false, pair.before), (true, pair.after)] {
        for result in results {
          if units[result.name] == nil {
            names.append(result.name)
            units[result.name] = result.unit
            figures[result.name] = pairs.map { _ in (nil, nil) }
          }
          if isAfter {
            figures[result.name]?[number].after = result.value
          } else {
            figures[result.name]?[number].before = result.value
          }
        }
      }
    }
    var (rows, alone) = ([Row](), [String]())
    for name in names {
      let whole = (figures[name] ?? []).compactMap { pair in
        pair.before.flatMap { before in pair.after.map { (before, $0) } }
      }
      let ratios = whole.compactMap { before, after in before == 0 ? nil : after / before }
      guard !ratios.isEmpty, let unit = units[name] else {
        alone.append(name)
        continue
      }
      rows.append(
        Row(
          name: name, unit: unit, before: Self.median(whole.map(\.0)), after: Self.median(whole.map(\.1)),
          ratios: ratios, bar: Bar(name: name, unit: String(unit.prefix { $0 != " " }))))
    }
    (self.rows, self.alone) = (rows, alone)
  }

  package var broken: [Row] { rows.filter(\.isBroken) }

  /// A line for each figure: both medians, the median of the ratios and how far they lie apart, and the bar if it has one.
  package var table: String {
    let cells = rows.map { row in
      let (least, most) = (row.ratios.min() ?? 0, row.ratios.max() ?? 0)
      return [
        row.name, Measurement("", row.before, "").text, Measurement("", row.after, "").text,
        Measurement.decimal(row.ratio, digits: 3),
        row.ratios.count > 1
          ? "\(Measurement.decimal(least, digits: 2))-\(Measurement.decimal(most, digits: 2))" : "",
        row.bar.map { "\($0.text) \(row.isBroken ? "BROKEN" : "kept")" } ?? "", row.unit,
      ]
    }
    var lines = TextTable.lines(cells, right: 1..<5)
    if !alone.isEmpty { lines.append("not in both: \(alone.joined(separator: ", "))") }
    return lines.joined(separator: "\n")
  }

  /// 0 of nothing.
  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return 0 }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
