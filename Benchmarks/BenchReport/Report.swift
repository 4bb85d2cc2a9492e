import JSONEnvelope

/// What a run has measured, as a table for people and as JSON for scripts.
package struct Report: Sendable, Equatable {
  package var results: [Measurement] = []
  /// Processors, memory and kernel.
  package let machine: String
  package let commit: String

  package init(machine: String, commit: String) {
    self.machine = machine
    self.commit = commit
  }

  package mutating func add(_ measurements: [Measurement]) { results += measurements }

  package var table: String {
    let names = results.map(\.name)
    let values = results.map { "\($0.text) \($0.unit)" }
    let nameWidth = names.map(\.count).max() ?? 0
    let valueWidth = values.map(\.count).max() ?? 0
    var lines: [String] = []
    for (index, result) in results.enumerated() {
      let name = names[index] + String(repeating: " ", count: nameWidth - names[index].count)
      let value = String(repeating: " ", count: valueWidth - values[index].count) + values[index]
      lines.append("\(name)  \(value)  \(result.settings)")
    }
    return lines.joined(separator: "\n")
  }

  package var json: [UInt8] {
    JSONWriter.object { report in
      report.objects("results", results) { result, object in
        object.member("name", result.name)
        object.member("value", result.value)
        object.member("unit", result.unit)
        object.member("settings", result.settings)
      }
      report.member("machine", machine)
      report.member("commit", commit)
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
    self.init(machine: machine, commit: commit)
    for result in results {
      guard let name = result["name"]?.string, let figure = result["value"]?.double, let unit = result["unit"]?.string
      else { throw UnreadableReport("has a result without name, value or unit") }
      self.results.append(Measurement(name, figure, unit, settings: result["settings"]?.string ?? ""))
    }
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
