package import EngineKit
import EventSourcing
package import OptionKit

extension EntityCard {
  /// What was erased, without a word of whom.
  static let audit = EntityCard(
    .redactionLog, RedactionLog.self, narrator: { RedactionNarrator() }, lying: .atDesk)
}

extension Redactions: Feature {
  package static var kinds: [EntityCard] { [.audit] }
  package static var options: [OptionSpecification] { [] }
  package static var metrics: [MetricKey] { [] }

  /// One that was interrupted is carried to its end before anything of the customer whom it is about leaves the house.
  package func restored() async throws { try await resume() }
}
