import EventSourcing
import StorageDomain

extension EntityCard {
  static let stored = EntityCard(
    .stored, StoredData.self, narrator: { StorageNarrator() }, links: .stored, erasureList: "stored")
}
