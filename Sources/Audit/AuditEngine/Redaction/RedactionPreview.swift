package import EventSourcing

/// What a redaction would reach.
package struct RedactionPreview: Sendable, Equatable {
  package struct Row: Sendable, Equatable {
    package let kind: EntityKind
    /// Records that would be made empty.
    package var records = 0
    /// Entities that they are of; of some of them others' records stay.
    package var entities = 0
  }

  /// Those that a report would count.
  package let entities: Int
  private var byKind: [EntityKind: Row] = [:]

  init(entities: Int) { self.entities = entities }

  /// In the order of the kinds.
  package var rows: [Row] { byKind.values.sorted { $0.kind.rawValue < $1.kind.rawValue } }
  package var records: Int { byKind.values.reduce(0) { $0 + $1.records } }

  mutating func add(record kind: EntityKind) { byKind[kind, default: Row(kind: kind)].records += 1 }

  mutating func set(entities count: Int, of kind: EntityKind) {
    byKind[kind, default: Row(kind: kind)].entities = count
  }
}
