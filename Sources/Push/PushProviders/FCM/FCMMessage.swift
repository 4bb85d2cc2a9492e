internal import EventSourcing
internal import HTTP2Client
internal import JSONEnvelope
internal import NIOHPACK
internal import PushDomain

/// One message of HTTP v1. Spec: providers 3.2.
///
/// ```
/// {"validate_only":false,"message":{"token":"…","data":{…},"notification":{…},"android":{…},"apns":{…}}}
/// ```
struct FCMMessage: Sendable {
  /// Seconds; more is not taken.
  static let timeToLiveMaximum: Int64 = 2_419_200

  let target: FCMTarget
  let content: FCMContent
  let delivery: PushDelivery

  /// - Throws: why this message can never pass.
  init(_ delivery: PushDelivery) throws(FCMRefusal) {
    guard let target = FCMTarget(delivery.message.target.deviceID) else { throw FCMRefusal("device id is empty") }
    self.target = target
    content = try FCMContent.fitting(target.payloadBytesMaximum, delivery.message, delivery.options)
    self.delivery = delivery
  }

  /// Whole seconds that FCM is to keep it; nil leaves it to FCM.
  static func timeToLive(_ delivery: PushDelivery) -> Int64? {
    if delivery.message.isNowOrNever { return 0 }
    return delivery.message.expiry.map { min($0.seconds(since: delivery.now), timeToLiveMaximum) }
  }

  static func collapseKey(_ delivery: PushDelivery) -> String? {
    delivery.message.collapseKey.flatMap { $0.isEmpty ? nil : $0 } ?? delivery.options.text("android.collapseKey")
  }

  /// The request without the `authorization` that may have to be renewed.
  func request(projectID: String) -> HTTP2Request {
    var headers = HPACKHeaders()
    headers.add(name: "content-type", value: "application/json; charset=utf-8")
    return HTTP2Request(path: "/v1/projects/\(projectID)/messages:send", headers: headers, body: bytes)
  }

  var bytes: [UInt8] {
    var writer = JSONWriter(capacity: 1_024)
    writer.beginObject()
    writer.key("validate_only")
    writer.bool(false)
    writer.key("message")
    writer.beginObject()
    switch target {
    case .token(let token): writer.member("token", token)
    case .installation(let id): writer.member("fid", id)
    case .topic(let topic): writer.member("topic", topic)
    case .condition(let condition): writer.member("condition", condition)
    }
    if !content.data.isEmpty {
      writer.key("data")
      content.writeData(to: &writer)
    }
    if content.hasNotification {
      writer.key("notification")
      content.writeNotification(to: &writer)
    }
    writeAndroid(to: &writer)
    writeAPNs(to: &writer)
    writer.endObject()
    writer.endObject()
    return writer.bytes
  }

  private func writeAndroid(to writer: inout JSONWriter) {
    writer.key("android")
    writer.beginObject()
    writer.member("collapse_key", Self.collapseKey(delivery))
    writer.key("priority")
    writer.string(delivery.message.priority == .high ? "HIGH" : "NORMAL")
    writer.member("ttl", Self.timeToLive(delivery).map { "\($0)s" })
    // Without texts it would make a notification of a message that is only data.
    let (display, channel) = (delivery.message.display, delivery.options.text("fcm.channel_id"))
    if content.hasNotification, channel != nil || display?.sound != nil || display?.badge != nil {
      writer.key("notification")
      writer.beginObject()
      writer.member("channel_id", channel)
      writer.member("sound", display?.sound)
      if let badge = display?.badge {
        writer.key("notification_count")
        writer.integer(badge)
      }
      writer.endObject()
    }
    writer.endObject()
  }

  /// For an app on iOS behind FCM: only what the message itself says. FCM adds the texts.
  private func writeAPNs(to writer: inout JSONWriter) {
    guard let display = delivery.message.display else { return }
    var look = APNsLook()
    look.badge = display.badge
    look.sound = display.sound
    look.threadID = display.threadID
    look.category = display.category
    look.isContentAvailable = display.isContentAvailable
    look.isMutableContent = display.isMutableContent
    look.interruptionLevel = display.interruptionLevel
    guard look != APNsLook() else { return }
    writer.key("apns")
    writer.beginObject()
    if look.derivedType == .background, !content.hasNotification {
      writer.key("headers")
      writer.beginObject()
      writer.member("apns-push-type", APNsPushType.background.rawValue)
      writer.member("apns-priority", "\(APNsPushType.background.priority(.high))")
      writer.endObject()
    }
    writer.key("payload")
    writer.beginObject()
    writer.key("aps")
    look.write(to: &writer)
    writer.endObject()
    writer.endObject()
  }
}
