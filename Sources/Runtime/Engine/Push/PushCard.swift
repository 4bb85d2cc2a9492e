import EventSourcing
import PushDomain

extension EntityCard {
  static let push = EntityCard(
    .pushQueue, PushQueue.self, narrator: { PushNarrator() }, linking: .links(.push), shownKey: .characters(8))
}
