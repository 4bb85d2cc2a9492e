import ChatDomain
import EventSourcing

extension EntityCard {
  static let chat = EntityCard(
    .chatSession, ChatSession.self, narrator: { ChatNarrator() }, linking: .links(.chat), shownKey: .serviceID)
}
