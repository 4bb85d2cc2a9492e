import EventSourcing
import PushDomain

extension EntityCard {
  static let subscription = EntityCard(
    .subscription, Subscription.self, narrator: { SubscriptionNarrator() }, linking: .links(.subscription))
}
