package import EngineKit
import EventSourcing
package import OptionKit
import StorageDomain

extension EntityCard {
  static let stored = EntityCard(
    .stored, StoredData.self, narrator: { StorageNarrator() }, links: .stored, erasureList: "stored")
}

extension StorageService: Feature {
  package static var kinds: [EntityCard] { [.stored] }
  package static var options: [OptionSpecification] { [] }
  package static var metrics: [MetricKey] { [] }
}
