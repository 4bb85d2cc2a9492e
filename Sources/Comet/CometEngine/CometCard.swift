import EngineKit
import EventSourcing

extension EntityCard {
  /// Whoever knows a clientId is who has it.
  static let comet = EntityCard(
    .cometSession, CometRecord.self, narrator: { CometNarrator() }, links: .comet, erasureList: "sessions",
    shownKey: .characters(8),
    isKeySecret: true)
}
