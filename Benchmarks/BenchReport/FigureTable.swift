/// Figures of a report as rows of a page: what was reached, beside its bar.
package struct FigureTable: Sendable {
  package struct Row: Sendable {
    package let label: String
    /// Of the figures, in the order in which the label names them.
    package let names: [String]
    package let bar: String

    package init(_ label: String, _ names: [String], bar: String = "") {
      (self.label, self.names, self.bar) = (label, names, bar)
    }
  }

  package let title: String
  package let rows: [Row]

  package init(_ title: String, _ rows: [Row]) { (self.title, self.rows) = (title, rows) }

  /// The table; rows that a report has not all figures of are left out.
  package func markdown(_ results: [Measurement]) -> String {
    let figures = Dictionary(results.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let lines = rows.compactMap { row -> String? in
      let reached = row.names.compactMap { figures[$0] }
      guard reached.count == row.names.count else { return nil }
      return "| \(row.label) | \(Self.text(reached)) | \(row.bar) |"
    }
    return (["| \(title) | reached | bar |", "|---|---|---|"] + lines).joined(separator: "\n")
  }

  /// Figures that follow each other share their unit; of several rounds the least and the greatest are told, too.
  private static func text(_ figures: [Measurement]) -> String {
    figures.enumerated().map { index, figure in
      let isLast = index + 1 == figures.count || figures[index + 1].unit != figure.unit
      return figure.text + (figure.spread.map { " (\($0.range))" } ?? "") + (isLast ? " \(figure.unit)" : "")
    }.joined(separator: ", ")
  }
}
