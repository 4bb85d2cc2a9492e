/// Cells in columns, for people.
enum TextTable {
  /// A line for each row, all of them equally long, two blanks between columns.
  /// - Parameter right: the columns whose cells end at the same place; those of the others begin at one.
  static func lines(_ rows: [[String]], right: Range<Int>) -> [String] {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      row.enumerated().map { column, text in
        let space = String(repeating: " ", count: widths[column] - text.count)
        return right.contains(column) ? space + text : text + space
      }.joined(separator: "  ")
    }
  }
}
