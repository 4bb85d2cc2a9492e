import JSONEnvelope

/// What a run has measured, as a table for people and as JSON for scripts.
struct Report: Sendable {
  var results: [Measurement] = []

  mutating func add(_ measurements: [Measurement]) { results += measurements }

  var table: String {
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

  var json: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("results")
    writer.beginArray()
    for result in results {
      writer.beginObject()
      writer.key("name")
      writer.string(result.name)
      writer.key("value")
      writer.double(result.value)
      writer.key("unit")
      writer.string(result.unit)
      writer.key("settings")
      writer.string(result.settings)
      writer.endObject()
    }
    writer.endArray()
    writer.key("machine")
    writer.string(Machine.description)
    writer.key("commit")
    writer.string(Machine.commit)
    writer.endObject()
    return writer.bytes
  }
}
