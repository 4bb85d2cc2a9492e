internal import JSONEnvelope
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
    var writer = JSONWriter(capacity: 1_024)
    writer.beginObject()
    writer.member("to", to)
    writer.member("condition", condition)
    if !content.data.isEmpty {
      writer.key("data")
      content.writeData(to: &writer)
    }
    writeNotification(to: &writer)
    writer.member("collapse_key", FCMMessage.collapseKey(delivery))
    // What GMS sends says no priority: its receivers expect these bytes. Spec: GMS 7.3.
    if message.form == .members || message.display != nil {
      writer.member("priority", message.priority == .high ? "high" : "normal")
    }
    if let seconds = FCMMessage.timeToLive(delivery) {
      writer.key("time_to_live")
      writer.integer(seconds)
    }
    if delivery.options.flag("android.delayWhileIdle") { writer.member("delay_while_idle", true) }
    if message.display?.isContentAvailable == true { writer.member("content_available", true) }
    if message.display?.isMutableContent == true { writer.member("mutable_content", true) }
    writer.endObject()
    return writer.bytes
  }

  private func writeNotification(to writer: inout JSONWriter) {
    guard content.hasNotification else { return }
    let display = delivery.message.display
    writer.key("notification")
    writer.beginObject()
    writer.member("title", content.title)
    writer.member("body", content.body)
    writer.member("image", content.image)
    writer.member("sound", display?.sound)
    if let badge = display?.badge { writer.member("badge", "\(badge)") }
    writer.member("android_channel_id", delivery.options.text("fcm.channel_id"))
    writer.endObject()
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: StaticString, _ value: Bool) {
    key(name)
    bool(value)
  }
}
