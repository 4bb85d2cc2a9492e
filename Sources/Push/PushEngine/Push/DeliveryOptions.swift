import EngineKit
package import OptionKit
import PushDomain

/// Which pushes there are, how long each is tried and how often. Spec: GMS 8.3; providers 1.2, 4.3.
package struct DeliveryOptions: OptionTable {
  package static let keys = DeliveryOptions()

  package let enabledTypes = OptionKey(
    "pushEnabled", in: [.push], .choices(PushType.ofDevices.map(\.rawValue) + [PushType.comet.rawValue, "orscb"]),
    default: [PushType.comet.rawValue], "the push types that may be used", takes: .reload)
  package let secondsToLive = OptionKey(
    push: "push.time_to_live", .integer(10...2_419_200), default: 3_600,
    "seconds a push of a chat or to a subscription is worth sending")
  package let retrySchedule = OptionKey(
    push: "push.retry_schedule", .list,
    "pauses between attempts in seconds, instead of 1, 4, 16 … and _max_notify_delivery_attempts")
  package let queueMessages = OptionKey(
    "push.queue_messages", in: [.push], .integer(EngineLimits.queueMessages), default: PushLimits().messagesMaximum,
    "pushes that may wait for one device or support user, and dead letters that are kept of it; the oldest goes",
    takes: .reload)

  package init() {}
}
