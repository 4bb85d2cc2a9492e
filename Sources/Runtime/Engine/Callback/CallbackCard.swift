import CallbackDomain
import EventSourcing

extension EntityCard {
  static let callback = EntityCard(
    .callback, Callback.self, narrator: { CallbackNarrator() }, linking: .links(.callback))
}
