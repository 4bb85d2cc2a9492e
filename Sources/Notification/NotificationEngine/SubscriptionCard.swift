package import EngineKit
import EventSourcing
package import OptionKit
import PushDomain

extension EntityCard {
  static let subscription = EntityCard(
    .subscription, Subscription.self, narrator: { SubscriptionNarrator() }, links: .subscription,
    erasureList: "subscriptions", producing: .prefixed(NotificationService.prefix))
}

extension NotificationService: Feature {
  package static var kinds: [EntityCard] { [.subscription] }
  package static var options: [OptionSpecification] { NotificationOptions.options }
  package static var metrics: [MetricKey] { [] }
}
