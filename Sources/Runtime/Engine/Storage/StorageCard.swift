import EventSourcing
import StorageDomain

extension EntityCard {
  static let stored = EntityCard(
    .stored, StoredData.self, narrator: { StorageNarrator() }, linking: .links(.stored))
}
