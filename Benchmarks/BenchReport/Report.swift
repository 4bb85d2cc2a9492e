import JSONEnvelope

/// What a run has measured, as a table for people and as JSON for scripts.
package struct Report: Sendable, Equatable {
  package var results: [Measurement] = []
  /// Processors, memory and kernel.
  package let machine: String
  package let commit: String
  /// The kernel's release.
  package let kernel: String
  /// The day, as `2026-11-24`.
  package let date: String
  /// What the program was told: the settings of all figures together.
  package let arguments: [String]

  package init(machine: String, commit: String, kernel: String = "", date: String = "", arguments: [String] = []) {
    self.machine = machine
    self.commit = commit
    self.kernel = kernel
    self.date = date
    self.arguments = arguments
  }

  package mutating func add(_ measurements: [Measurement]) { results += measurements }

  package var table: String {
    let figures = TextTable.lines(results.map { [$0.name, "\($0.text) \($0.unit)"] }, right: 1..<2)
    let lines = zip(figures, results).map { figure, result in
      let settings = [result.spread?.text ?? "", result.settings].filter { !$0.isEmpty }.joined(separator: "; ")
      return "\(figure)  \(settings)"
    }
    let traces = results.compactMap { result in
      result.trace.map { "\n\(result.name), the slowest second beside the median one:\n\($0.table)" }
    }
    return (lines + traces).joined(separator: "\n")
  }

  package var json: [UInt8] {
    JSONWriter.object { report in
      report.objects("results", results) { result, object in
        object.member("name", result.name)
        object.member("value", result.value)
        object.member("unit", result.unit)
        object.member("settings", result.settings)
        if let spread = result.spread {
          object.member("least", spread.least)
          object.member("greatest", spread.greatest)
          object.member("rounds", spread.rounds)
        }
        if let trace = result.trace { object.object("trace") { trace.write(&$0) } }
      }
      report.member("machine", machine)
      report.member("commit", commit)
      report.member("kernel", kernel)
      report.member("date", date)
      report.array("arguments", arguments) { argument, writer in writer.value(argument) }
    }
  }
}

extension Report {
  /// Reads what `json` has written.
  /// - Throws: `UnreadableReport` if it is something else.
  package init(json: [UInt8]) throws(UnreadableReport) {
    let value = try UnreadableReport.parse(json)
    guard let results = value["results"]?.array, let machine = value["machine"]?.string,
      let commit = value["commit"]?.string
    else { throw UnreadableReport("has no results, machine and commit") }
    // Those of earlier programs say less of the conditions.
    self.init(
      machine: machine, commit: commit, kernel: value["kernel"]?.string ?? "", date: value["date"]?.string ?? "",
      arguments: value["arguments"]?.array?.compactMap(\.string) ?? [])
    for result in results {
      guard let name = result["name"]?.string, let figure = result["value"]?.double, let unit = result["unit"]?.string
      else { throw UnreadableReport("has a result without name, value or unit") }
      self.results.append(
        Measurement(
          name, figure, unit, settings: result["settings"]?.string ?? "", spread: Spread(result),
          trace: result["trace"].flatMap { SecondsTrace($0) }))
    }
  }
}

extension Spread {
  /// Nil for a figure of one round.
  fileprivate init?(_ result: JSONValue) {
    guard let least = result["least"]?.double, let greatest = result["greatest"]?.double,
      let rounds = result["rounds"]?.integer
    else { return nil }
    self.init(least: least, greatest: greatest, rounds: rounds)
  }
}

/// Why a file cannot be compared, to be said behind its name.
package struct UnreadableReport: Error, CustomStringConvertible {
  private static let bytesMaximum = 4_194_304
  package let description: String

  init(_ description: String) { self.description = description }

  static func parse(_ json: [UInt8]) throws(UnreadableReport) -> JSONValue {
    do {
      return try JSONValue(parsing: json, limits: JSONLimits(documentBytesMaximum: bytesMaximum))
    } catch {
      throw UnreadableReport("is not JSON: \(error)")
    }
  }
}
