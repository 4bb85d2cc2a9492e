/// One piece of work, done by Carillon and by others in turns, as a table with ratios.
package struct PeerSheet: Sendable, Equatable {
  package struct Column: Sendable, Equatable {
    package let key: String
    package let title: String
    package let unit: String

    package init(_ key: String, _ title: String, _ unit: String) {
      (self.key, self.title, self.unit) = (key, title, unit)
    }
  }

  /// Who did it, and what was seen.
  package struct Row: Sendable, Equatable {
    package let name: String
    /// Figures by column, one entry for each round.
    package var rounds: [[String: Double]] = []
    /// Why it was not measured to the end.
    package var refusal: String?

    package init(_ name: String) { self.name = name }

    fileprivate func values(_ column: Column) -> [Double] { rounds.compactMap { $0[column.key] } }
  }

  /// Dotted names of its figures begin with it.
  package let key: String
  package let title: String
  /// What is done, how, and what is counted.
  package let about: String
  package let columns: [Column]
  package var rows: [Row]
  /// The row whose figures the others' are held against.
  package let reference: String

  package init(
    _ key: String, title: String, about: String, columns: [Column], rows: [Row] = [], reference: String = "Carillon"
  ) {
    (self.key, self.title, self.about, self.columns) = (key, title, about, columns)
    (self.rows, self.reference) = (rows, reference)
  }

  /// Carillon's figure by this row's: the median of the rounds' ratios. Nil where one of the two is missing.
  func ratio(_ row: Row, _ column: Column) -> Double? {
    guard row.name != reference, let first = rows.first(where: { $0.name == reference }) else { return nil }
    let ratios = zip(first.rounds, row.rounds).compactMap { ours, theirs -> Double? in
      guard let own = ours[column.key], let other = theirs[column.key], other > 0 else { return nil }
      return own / other
    }
    return ratios.isEmpty ? nil : Comparison.median(ratios)
  }

  /// A line for each row; behind a figure stands the ratio.
  package var markdown: String {
    let header = [""] + columns.map { "\($0.title), \($0.unit)" }
    let lines = rows.map { row -> [String] in
      let cells = columns.map { cell(row, $0) }
      guard row.rounds.isEmpty else { return [row.name == reference ? "**\(row.name)**" : row.name] + cells }
      return [row.name, "not measured: \(row.refusal ?? "nothing came of it")"] + columns.dropFirst().map { _ in "" }
    }
    let rule = header.map { _ in "---" }
    let table = ([header, rule] + lines).map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
    let broken = rows.filter { !$0.rounds.isEmpty }.compactMap { row in
      row.refusal.map { "\n\n\(row.name) did not come to the end: \($0)" }
    }
    return "## \(title)\n\n\(about)\n\n\(table)\(broken.joined())\n"
  }

  private func cell(_ row: Row, _ column: Column) -> String {
    let values = row.values(column)
    guard !values.isEmpty else { return "–" }
    let figure = Measurement("", Comparison.median(values), "").text
    return ratio(row, column).map { "\(figure) (\(Measurement.decimal($0, digits: 2)))" } ?? figure
  }

  /// The medians under dotted names.
  package var measurements: [Measurement] {
    rows.flatMap { row in
      columns.compactMap { column -> Measurement? in
        let values = row.values(column)
        guard !values.isEmpty else { return nil }
        return Measurement(
          "peers.\(key).\(Self.dotted(row.name)).\(column.key)", Comparison.median(values), column.unit,
          settings: ratio(row, column).map { "Carillon's by it: \(Measurement.decimal($0, digits: 2))" } ?? "")
      }
    }
  }

  /// Lower case, with a point wherever something else than a letter or a digit stands.
  private static func dotted(_ name: String) -> String {
    name.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: ".")
  }
}
