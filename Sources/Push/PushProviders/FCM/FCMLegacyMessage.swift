internal import JSONEnvelope
import OptionKit
internal import PushDomain

/// One message in the old form, for private servers that still speak it. Spec: providers 3.5, GMS 7.3.
///
/// ```
/// {"to":"reg-token-1","data":{"message":"…"}}
/// ```
struct FCMLegacyMessage: Sendable {
  let to: String?
  let condition: String?
  let content: FCMContent
  let delivery: PushDelivery

  /// - Throws: why this message can never pass.
  init(_ delivery: PushDelivery) throws(FCMRefusal) {
    guard let target = FCMTarget(delivery.message.target.deviceID) else { throw FCMRefusal("device id is empty") }
    switch target {
    case .token(let token): (to, condition) = (token, nil)
    case .topic(let topic): (to, condition) = ("/topics/" + topic, nil)
    case .condition(let text): (to, condition) = (nil, text)
    case .installation: throw FCMRefusal("fid needs a service account")
    }
    content = try FCMContent.fitting(target.payloadBytesMaximum, delivery.message, delivery.options)
    self.delivery = delivery
  }

  var bytes: [UInt8] {
    let message = delivery.message
    return JSONWriter.object(capacity: 1_024) { object in
      object.member("to", ifPresent: to)
      object.member("condition", ifPresent: condition)
      if !content.data.isEmpty { object.object("data") { content.writeData(into: &$0) } }
      if content.hasNotification { object.object("notification") { writeNotification(into: &$0) } }
      object.member("collapse_key", ifPresent: FCMMessage.collapseKey(delivery))
      // What GMS sends says no priority: its receivers expect these bytes. Spec: GMS 7.3.
      if message.form == .members || message.display != nil {
        object.member("priority", message.priority == .high ? "high" : "normal")
      }
      object.member("time_to_live", ifPresent: FCMMessage.timeToLive(delivery))
      if delivery.options[GoogleOptions.keys.delaysWhileIdle] { object.member("delay_while_idle", true) }
      if message.display?.isContentAvailable == true { object.member("content_available", true) }
      if message.display?.isMutableContent == true { object.member("mutable_content", true) }
    }
  }

  private func writeNotification(into notification: inout JSONObjectWriter) {
    let display = delivery.message.display
    content.writeNotification(into: &notification)
    notification.member("sound", ifPresent: display?.sound)
    notification.member("badge", ifPresent: display?.badge.map { "\($0)" })
    notification.member("android_channel_id", ifPresent: delivery.options[GoogleOptions.keys.channelID])
  }
}
