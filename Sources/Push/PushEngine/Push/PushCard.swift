import EngineKit
import EventSourcing
import PushDomain

extension EntityCard {
  static let push = EntityCard(
    .pushQueue, PushQueue.self, narrator: { PushNarrator() }, links: .push, erasureList: "queues", ownList: "ownQueues",
    shownKey: .characters(8))
}
