/// What the load tools of others print: how much they got done in a second.
package enum ToolOutput {
  /// Of `pgbench`: the last `tps = 8812.1 (without initial connection time)`.
  package static func pgbench(_ text: String) -> Double? {
    let line = text.split(separator: "\n").last { $0.hasPrefix("tps = ") }
    return line.flatMap { $0.split(separator: " ").dropFirst(2).first.flatMap { Double($0) } }
  }

  /// Of `redis-benchmark --csv`: the requests a second of the last line. Its first field is the command, whatever that
  /// has in it; seven figures follow.
  package static func redisBenchmark(_ text: String) -> Double? {
    guard let line = text.split(whereSeparator: \.isNewline).last, line.hasPrefix("\""), line.hasSuffix("\"") else {
      return nil
    }
    let fields = line.dropFirst().dropLast().split(separator: ",").suffix(7)
    guard fields.count == 7, let rate = fields.first else { return nil }
    return Double(rate.filter { $0 != "\"" })
  }

  /// Of `db_bench`: `fillrandom : 98.7 micros/op 10130 ops/sec 5.0 seconds …`.
  package static func dbBench(_ text: String, _ benchmark: String) -> Double? {
    let line = text.split(whereSeparator: \.isNewline).last { $0.hasPrefix(benchmark) && $0.contains(" ops/sec") }
    let words = line?.split(separator: " ") ?? []
    return words.firstIndex(of: "ops/sec").flatMap { $0 > 0 ? Double(words[$0 - 1]) : nil }
  }
}
