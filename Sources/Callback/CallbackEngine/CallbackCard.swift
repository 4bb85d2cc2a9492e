import CallbackDomain
import EngineKit
import EventSourcing

extension EntityCard {
  static let callback = EntityCard(
    .callback, Callback.self, narrator: { CallbackNarrator() }, links: .callback,
    erasureList: "callbacks", producing: .prefixed(CallbackInterpreter.prefix), tellsAlso: [.chatSession],
    lying: .atDesk)
}
