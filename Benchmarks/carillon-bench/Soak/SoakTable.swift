import BenchReport

/// What a soak has done, row by row.
struct SoakTable: Sendable {
  struct Row: Sendable {
    /// Since the beginning, at its end.
    let minutes: Double
    let life: Int
    /// In its time.
    let delivered: Int
    let pushes: Int
    let megabytes: Double
    let descriptors: Int
    /// Milliseconds.
    let p99: Double
  }

  private(set) var rows: [Row] = []

  mutating func add(_ row: Row) { rows.append(row) }

  static let head = "minute  life  delivered  pushes  memory MB  descriptors  p99 ms"

  static func line(_ row: Row) -> String {
    let cells = [
      (Measurement.decimal(row.minutes, digits: 1), 6), ("\(row.life)", 4), ("\(row.delivered)", 9),
      ("\(row.pushes)", 6), (Measurement.decimal(row.megabytes, digits: 1), 9), ("\(row.descriptors)", 11),
      (Measurement.decimal(row.p99, digits: 1), 6),
    ]
    return cells.map { text, width in String(repeating: " ", count: max(0, width - text.count)) + text }
      .joined(separator: "  ")
  }

  var measurements: [Measurement] {
    rows.flatMap { row in
      let settings = "until minute \(Measurement.decimal(row.minutes, digits: 1)), life \(row.life) of the server"
      let figures: [(String, Double, String)] = [
        ("delivered", Double(row.delivered), "messages"), ("pushes", Double(row.pushes), "pushes"),
        ("resident", row.megabytes, "MB"), ("descriptors", Double(row.descriptors), "descriptors"),
        ("p99", row.p99, "ms"),
      ]
      let number = Measurement.decimal(row.minutes, digits: 1)
      return figures.map { Measurement("soak.row.\(number).\($0.0)", $0.1, $0.2, settings: settings) }
    }
  }
}
