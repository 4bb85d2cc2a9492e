/// What a figure is held against that was measured in the same run on the same machine: rates by themselves say more of
/// the machine and its hour than of the program.
package enum Yardstick {
  /// A fixed piece of work on one processor; measured beside everything.
  package static let processor = "yardstick.processor"

  private static let disk = "journal.raw.synced.1"
  private static let http2 = "push.client.raw"

  package static func isYardstick(_ name: String) -> Bool { [processor, disk, http2].contains(name) }

  /// The yardstick of a figure; nil for what does not depend on how fast the machine is: bytes, shares.
  static func of(_ measurement: Measurement) -> (name: String, isTime: Bool)? {
    if isYardstick(measurement.name) { return nil }
    let unit = measurement.unit
    if unit.hasSuffix("/s") {
      if measurement.name.hasPrefix("journal.append.synced.") { return (disk, false) }
      return (measurement.name == "push.client" ? http2 : processor, false)
    }
    return unit == "s" || unit == "ms" || unit.hasPrefix("µs/") || unit.hasPrefix("ns/") ? (processor, true) : nil
  }

  /// Figures of one run as ratios: of a rate, how much of its yardstick it is; of a time, how much of the yardstick's
  /// work fits into it. What has no yardstick stays as it is, and what lacks it is left out.
  package static func ratios(_ results: [Measurement]) -> [Measurement] {
    let values = Dictionary(results.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    return results.compactMap { result in
      if isYardstick(result.name) { return nil }
      guard let (name, isTime) = of(result) else { return result }
      guard let yardstick = values[name], yardstick > 0 else { return nil }
      return Measurement(
        result.name, isTime ? result.value * yardstick : result.value / yardstick, "\(result.unit) by \(name)",
        settings: result.settings)
    }
  }
}
