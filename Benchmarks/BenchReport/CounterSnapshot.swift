/// What happened in a stretch of time, under the name of what was counted.
package struct Reading: Sendable, Equatable {
  package let name: String
  package let value: Double

  package init(_ name: String, _ value: Double) { (self.name, self.value) = (name, value) }
}

/// Counters and levels as they stood at a moment: the kernel's, or those of a server's `/metrics`.
package struct CounterSnapshot: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    /// Only grows.
    case count
    /// Where something stands.
    case level
    /// A sum that only grows, of which the mean is told: by the counter with this name.
    case sum(of: String)
  }

  private struct Entry: Sendable, Equatable {
    let name: String
    let value: Double
    let kind: Kind
  }

  private var entries: [Entry] = []

  package init() {}

  package mutating func add(_ name: String, _ value: Double, _ kind: Kind = .count) {
    entries.append(Entry(name: name, value: value, kind: kind))
  }

  package mutating func add(_ other: CounterSnapshot) { entries += other.entries }

  /// What has moved since `earlier`, and what is not at zero; in the order in which it was added.
  package func readings(since earlier: CounterSnapshot) -> [Reading] {
    let before = earlier.values
    let growth = values.merging(before) { $0 - $1 }
    return entries.compactMap { entry in
      let value: Double
      switch entry.kind {
      case .level: value = entry.value
      // What was not there before has begun at nothing.
      case .count: value = growth[entry.name] ?? 0
      case .sum(let counter):
        guard let count = growth[counter], count > 0 else { return nil }
        value = (growth[entry.name] ?? 0) / count
      }
      return value == 0 ? nil : Reading(entry.name, value)
    }
  }

  private var values: [String: Double] {
    Dictionary(entries.map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
  }
}
