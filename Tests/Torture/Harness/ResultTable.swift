import Foundation

/// What one test found.
struct ResultRow: Sendable {
  var test: String
  var cases = 0
  var violations = 0
  var seed: UInt64
  var seconds = 0.0
  var printed = 0
  /// One line each, for below the table.
  var remarks: [String] = []
}

/// The end of a run: `test | cases | violations | seed | seconds`.
struct ResultTable {
  var rows: [ResultRow]

  var hasViolations: Bool { rows.contains { $0.violations > 0 } }

  /// What tests have to say beside their numbers.
  var remarks: [String] { rows.flatMap { row in row.remarks.map { "\(row.test): \($0)" } } }

  /// The head, then a line for each test.
  var lines: [String] {
    let cells =
      [["test", "cases", "violations", "seed", "seconds"]]
      + rows.map {
        [$0.test, "\($0.cases)", "\($0.violations)", "\($0.seed)", String(format: "%.1f", $0.seconds)]
      }
    let widths = (0..<5).map { column in cells.map { $0[column].count }.max() ?? 0 }
    return cells.map { row in
      zip(row, widths).enumerated().map { index, cell in
        let padding = String(repeating: " ", count: cell.1 - cell.0.count)
        return index == 0 ? cell.0 + padding : padding + cell.0
      }.joined(separator: " | ")
    }
  }
}
