internal import EventSourcing
internal import HTTP2Client
internal import JSONEnvelope
internal import NIOHPACK
import OptionKit
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
    delivery.message.collapseKey.flatMap { $0.isEmpty ? nil : $0 } ?? delivery.options[GoogleOptions.keys.collapseKey]
  }

  /// The request without the `authorization` that may have to be renewed.
  func request(projectID: String) -> HTTP2Request {
    var headers = HPACKHeaders()
    headers.add(name: "content-type", value: "application/json; charset=utf-8")
    return HTTP2Request(path: "/v1/projects/\(projectID)/messages:send", headers: headers, body: bytes)
  }

  var bytes: [UInt8] {
    JSONWriter.object(capacity: 1_024) { request in
      request.member("validate_only", false)
      request.object("message") { message in
        switch target {
        case .token(let token): message.member("token", token)
        case .installation(let id): message.member("fid", id)
        case .topic(let topic): message.member("topic", topic)
        case .condition(let condition): message.member("condition", condition)
        }
        if !content.data.isEmpty { message.object("data") { content.writeData(into: &$0) } }
        if content.hasNotification { message.object("notification") { content.writeNotification(into: &$0) } }
        message.object("android") { writeAndroid(into: &$0) }
        writeAPNs(into: &message)
      }
    }
  }

  private func writeAndroid(into android: inout JSONObjectWriter) {
    android.member("collapse_key", ifPresent: Self.collapseKey(delivery))
    android.member("priority", delivery.message.priority == .high ? "HIGH" : "NORMAL")
    android.member("ttl", ifPresent: Self.timeToLive(delivery).map { "\($0)s" })
    // Without texts it would make a notification of a message that is only data.
    let (display, channel) = (delivery.message.display, delivery.options[GoogleOptions.keys.channelID])
    guard content.hasNotification, channel != nil || display?.sound != nil || display?.badge != nil else { return }
    android.object("notification") { notification in
      notification.member("channel_id", ifPresent: channel)
      notification.member("sound", ifPresent: display?.sound)
      notification.member("notification_count", ifPresent: display?.badge)
    }
  }

  /// For an app on iOS behind FCM: only what the message itself says. FCM adds the texts.
  private func writeAPNs(into message: inout JSONObjectWriter) {
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
    message.object("apns") { apns in
      if look.derivedType == .background, !content.hasNotification {
        apns.object("headers") { headers in
          headers.member("apns-push-type", APNsPushType.background.rawValue)
          headers.member("apns-priority", "\(APNsPushType.background.priority(.high))")
        }
      }
      apns.object("payload") { payload in payload.object("aps") { look.write(into: &$0) } }
    }
  }
}
