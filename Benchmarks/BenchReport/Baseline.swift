import JSONEnvelope

/// What a commit has reached, kept for later ones: ratios, and the conditions under which they were measured. Absolute
/// rates are not kept: they are of one machine at one hour.
package struct Baseline: Sendable, Equatable {
  package let machine: String
  package let commit: String
  /// The day, as `2026-11-24`.
  package let date: String
  /// As `Yardstick.ratios` gives them.
  package let ratios: [Measurement]

  /// - Parameter report: of a run; figures without their yardstick are left out.
  package init(_ report: Report, date: String) {
    machine = report.machine
    commit = report.commit
    self.date = date
    ratios = Yardstick.ratios(report.results)
  }

  /// One ratio a line, so that a change of one is a change of one line.
  package var json: [UInt8] {
    func text(_ value: String) -> String { String(decoding: JSONValue.string(value).text, as: UTF8.self) }
    let lines = ratios.map { ratio in
      let figure = Measurement.significant(ratio.value)
      return "  {\"name\": \(text(ratio.name)), \"ratio\": \(figure), \"unit\": \(text(ratio.unit)),"
        + " \"settings\": \(text(ratio.settings))}"
    }
    return Array(
      """
      {"machine": \(text(machine)), "commit": \(text(commit)), "date": \(text(date)), "ratios": [
      \(lines.joined(separator: ",\n"))
      ]}

      """.utf8)
  }

  /// Reads what `json` has written.
  /// - Throws: `UnreadableReport` if it is something else.
  package init(json: [UInt8]) throws(UnreadableReport) {
    let value = try UnreadableReport.parse(json)
    guard let ratios = value["ratios"]?.array, let machine = value["machine"]?.string,
      let commit = value["commit"]?.string, let date = value["date"]?.string
    else { throw UnreadableReport("has no ratios, machine, commit and date") }
    (self.machine, self.commit, self.date) = (machine, commit, date)
    var read: [Measurement] = []
    for ratio in ratios {
      guard let name = ratio["name"]?.string, let figure = ratio["ratio"]?.double, let unit = ratio["unit"]?.string
      else { throw UnreadableReport("has a ratio without name, ratio or unit") }
      read.append(Measurement(name, figure, unit, settings: ratio["settings"]?.string ?? ""))
    }
    self.ratios = read
  }
}

/// What can be held against each other: the figures of a run, or the ratios of a baseline.
package enum RecordedFigures: Sendable, Equatable {
  case run(Report)
  case baseline(Baseline)

  /// - Throws: `UnreadableReport` if the file is neither.
  package init(json: [UInt8]) throws(UnreadableReport) {
    if let baseline = try? Baseline(json: json) {
      self = .baseline(baseline)
    } else {
      self = .run(try Report(json: json))
    }
  }

  /// Two runs by their figures; as soon as one of them is a baseline, by their ratios.
  package static func compare(_ before: RecordedFigures, _ after: RecordedFigures) -> Comparison {
    if case .run(let first) = before, case .run(let second) = after {
      return Comparison([(first.results, second.results)])
    }
    return Comparison([(before.ratios, after.ratios)])
  }

  private var ratios: [Measurement] {
    switch self {
    case .run(let report): Yardstick.ratios(report.results)
    case .baseline(let baseline): baseline.ratios
    }
  }

  /// Under which conditions they came about.
  package var conditions: String {
    switch self {
    case .run(let report): "\(report.commit.prefix(12)) on \(report.machine)"
    case .baseline(let baseline): "\(baseline.commit.prefix(12)) of \(baseline.date) on \(baseline.machine)"
    }
  }
}
