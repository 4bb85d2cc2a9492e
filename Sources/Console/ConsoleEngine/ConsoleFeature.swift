package import EngineKit
import EventSourcing
package import OptionKit

extension EntityCard {
  /// Its key opens nothing, and it names staff alone: no erasure is about it.
  static let consoleSession = EntityCard(
    .consoleSession, ConsoleSession.self, narrator: { ConsoleSessionNarrator() })
}

extension ConsoleService: Feature {
  package static var kinds: [EntityCard] { [.consoleSession] }
  package static var options: [OptionSpecification] { ConsoleOptions.options + OpenIDOptions.options }
  package static var metrics: [MetricKey] { [] }
}
