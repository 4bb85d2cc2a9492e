package import EntityRuntime
package import EventSourcing
package import Journal

/// By what an entity is told where to lie; a pure function of its key, also of keys that were made before.
package enum Lying: Sendable {
  case byKey
  /// By a part of the key.
  case by(@Sendable (_ key: String) -> Substring)
  /// In the first partition, with all who share its indexes: bound by people, not by devices.
  case atDesk
}

extension Placement {
  /// As the journals of a data directory lie.
  package init(_ layout: PartitionLayout) { self.init(count: layout.count, seed: layout.seed) }

  /// The number of the partition that an entity of this kind lies in.
  package func partition(of key: String, _ card: EntityCard) -> Int {
    guard count > 1 else { return 0 }
    return switch card.lying {
    case .byKey: partition(of: key)
    case .by(let part): partition(of: part(key))
    case .atDesk: 0
    }
  }

  package func partition(of entity: EntityID, in catalogue: Catalogue) -> Int {
    guard count > 1 else { return 0 }
    guard let card = catalogue[entity.kind] else { preconditionFailure("a kind without a card: \(entity.kind)") }
    return partition(of: entity.key, card)
  }
}

extension PartitionLayout {
  init(_ placement: Placement) { self.init(count: placement.count, seed: placement.seed) }
}
