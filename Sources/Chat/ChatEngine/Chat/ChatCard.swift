import ChatDomain
import EngineKit
import EventSourcing

extension EntityCard {
  static let chat = EntityCard(
    .chatSession, ChatSession.self, narrator: { ChatNarrator() }, links: .chat, erasureList: "chats", producing: .key,
    shownKey: .serviceID)
}
