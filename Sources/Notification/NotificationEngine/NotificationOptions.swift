package import OptionKit

/// How long subscriptions last. Spec: GMS 8.3, 10.1.
package struct NotificationOptions: OptionTable {
  package static let keys = NotificationOptions()

  package let secondsToLast = OptionKey(
    "defaultSubscriptionExpiration", in: [.push],
    .integer(SubscriptionLimits().secondsMinimum...Int(Int32.max)), default: SubscriptionLimits().secondsMinimum,
    "seconds a subscription lives if it does not say; a bad value counts as 30", takes: .reload, .forgiving)

  package init() {}
}
