import EngineKit
import EventSourcing
import PushDomain

extension EntityCard {
  static let push = EntityCard(
    .pushQueue, PushQueue.self, narrator: { PushNarrator() }, links: .push, erasureList: "queues", ownList: "ownQueues",
    lying: .by { PushQueueKey.owner(of: $0) },
    shownKey: .characters(8),
    tellsOfMessage: { _, tag, payload, message in
      var reader = PayloadReader(payload)
      return (try? PushEvent(tag: tag, payload: &reader))?.tells(of: message) ?? false
    })
}
