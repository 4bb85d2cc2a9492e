import EngineKit
import EntityRuntime
package import EventSourcing
import Logging
import OptionKit
package import PushDomain

extension PushDispatcher {
  /// A push that somebody owes, complete but for what only the registry of devices knows.
  package struct Order {
    package let id: PushID
    let address: PushAddress
    package let tag: String
    /// For the registry of devices; also names the service.
    let app: String?
    package let owner: String?
    /// Whether a device that has become somebody else's gets it not.
    package var isPersonal = true
    /// Why it cannot go, if the producer knows.
    package var obstacle: String?
    /// Whether the log tells of one that cannot go.
    package var isNoted = true
    package var alert = ""
    package var content: [UInt8] = []
    package var compactContent: [UInt8]?
    package var form = PushContentForm.message
    package var attemptsMaximum = 3
    package var collapseKey: String?
    /// Nil: for as long as `push.time_to_live` says.
    package var expiry: Timestamp?

    package init(id: PushID, address: PushAddress, tag: String, app: String?, owner: String?) {
      self.id = id
      self.address = address
      self.tag = tag
      self.app = app
      self.owner = owner
    }

    fileprivate func message(to device: DeviceStanding, expiry: Timestamp) -> PushMessage {
      PushMessage(
        producer: id.producer, number: id.number, tag: tag, alert: alert, content: content,
        compactContent: compactContent, service: app ?? "", target: device.address, attemptsMaximum: attemptsMaximum,
        expiry: expiry, collapseKey: collapseKey, form: form, owner: owner, registeredAt: device.registeredAt)
    }
  }

  /// Hands a push to its queue; or takes it over and ends it, or says that it is owed no longer, if it cannot go.
  package func push(_ order: Order) async {
    if let reason = order.obstacle ?? hindrance(order.address, tag: order.tag) {
      metrics.skipped(type: order.address.type)
      if order.isNoted {
        logger.warning(
          "push not sent",
          metadata: ["service": "\(order.app ?? "")", "type": "\(order.address.type)", "reason": "\(reason)"])
      }
      return await producers.accepted(order.id)
    }
    let device = await devices.standing(
      of: DeviceRegistration(address: order.address, app: order.app, owner: order.owner))
    guard !order.isPersonal || device.mayGet(pushesOf: order.owner) else {
      metrics.skipped(type: order.address.type)
      logger.notice("push not sent", metadata: ["reason": "\(Self.otherOwner)"])
      return await decline(order.id, for: device.address, reason: Self.otherOwner)
    }
    _ = await enqueue(order.message(to: device, expiry: order.expiry ?? expiry(of: order, to: device.address)))
  }

  private func expiry(of order: Order, to target: PushAddress) -> Timestamp {
    let seconds = pushOptions(target, tag: order.tag)[DeliveryOptions.keys.secondsToLive]
    return context.time.now.advanced(by: .seconds(seconds))
  }

  private static let otherOwner = "the device has another owner now"
}
