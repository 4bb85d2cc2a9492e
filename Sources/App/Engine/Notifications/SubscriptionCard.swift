import EventSourcing
import PushDomain

extension EntityCard {
  static let subscription = EntityCard(
    .subscription, Subscription.self, narrator: { SubscriptionNarrator() }, links: .subscription,
    erasureList: "subscriptions", producing: .prefixed(NotificationService.prefix))
}
