/// Reads what a server answers at `/metrics`. Spec: Prometheus text format 0.0.4.
package enum MetricsText {
  /// Counters and gauges by their names with labels; of histograms how many there were, and their mean. Lines that are
  /// something else are passed over.
  package static func snapshot(_ text: String) -> CounterSnapshot {
    var kinds: [Substring: Substring] = [:]
    var snapshot = CounterSnapshot()
    for line in text.split(separator: "\n") {
      if line.hasPrefix("#") {
        let words = line.split(separator: " ")
        if words.count == 4, words[1] == "TYPE" { kinds[words[2]] = words[3] }
      } else if let end = line.lastIndex(of: " "), let value = Double(line[line.index(after: end)...]) {
        add(line[..<end], value, kinds, to: &snapshot)
      }
    }
    return snapshot
  }

  private static func add(
    _ series: Substring, _ value: Double, _ kinds: [Substring: Substring], to snapshot: inout CounterSnapshot
  ) {
    let name = series.prefix { $0 != "{" }
    let labels = series.dropFirst(name.count)
    switch kinds[name] {
    case "counter": snapshot.add(String(series), value)
    case "gauge": snapshot.add(String(series), value, .level)
    default:
      // A histogram has three names, of which its own is none.
      for (suffix, isSum) in [("_count", false), ("_sum", true)] where name.hasSuffix(suffix) {
        let family = name.dropLast(suffix.count)
        guard kinds[family] == "histogram" else { continue }
        let count = "\(family)\(labels) count"
        snapshot.add(isSum ? "\(family)\(labels) mean" : count, value, isSum ? .sum(of: count) : .count)
      }
    }
  }
}
