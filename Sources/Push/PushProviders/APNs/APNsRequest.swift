internal import EventSourcing
internal import HTTP2Client
internal import NIOHPACK
internal import PushDomain
internal import TextEncoding

/// The request of one push, without the `authorization` that may have to be renewed. Spec: providers 2.4.
enum APNsRequest {
  static let tokenDigits = 2...200
  static let collapseBytesMaximum = 64
  /// For a message that never expires. Spec: providers 1.2.
  static let storageDefault: Duration = .seconds(28 * 86_400)
  /// More is not asked of Apple. Spec: providers 2.4.
  static let storageMaximum: Duration = .seconds(30 * 86_400)

  /// - Throws: why this message can never pass.
  static func make(_ delivery: PushDelivery, topic: String) throws(APNsRefusal) -> HTTP2Request {
    let message = delivery.message
    let token = message.target.deviceID
    guard isHex(token) else { throw APNsRefusal("device token is not hexadecimal") }
    let payload = try APNsPayload(message, delivery.options)
    guard let body = payload.fittedBytes() else { throw APNsRefusal("payload too large") }

    // What differs from push to push stays out of Apple's small table.
    var headers = HPACKHeaders()
    headers.add(name: "apns-topic", value: topic + payload.type.topicSuffix)
    headers.add(name: "apns-push-type", value: payload.type.rawValue)
    headers.add(name: "apns-priority", value: "\(payload.type.priority(message.priority))")
    headers.add(name: "content-type", value: "application/json")
    headers.add(name: "apns-id", value: delivery.id, indexing: .nonIndexable)
    headers.add(name: "apns-expiration", value: "\(expiration(delivery))", indexing: .nonIndexable)
    if let key = message.collapseKey, !key.isEmpty {
      headers.add(name: "apns-collapse-id", value: collapseID(key), indexing: .nonIndexable)
    }
    return HTTP2Request(path: "/3/device/\(token)", headers: headers, body: body)
  }

  static func isHex(_ token: String) -> Bool {
    let digits = token.utf8
    return tokenDigits.contains(digits.count) && digits.count.isMultiple(of: 2)
      && digits.allSatisfy(Hexadecimal.isDigit)
  }

  /// Seconds since 1970; 0: try once, do not store.
  static func expiration(_ delivery: PushDelivery) -> Int64 {
    if delivery.message.isNowOrNever { return 0 }
    let latest = delivery.now.advanced(by: storageMaximum)
    let wanted = delivery.message.expiry ?? delivery.now.advanced(by: storageDefault)
    return max(0, min(wanted, latest).milliseconds / 1000)
  }

  /// The key itself if Apple takes it, else its hash: equal keys stay equal.
  static func collapseID(_ key: String) -> String {
    key.utf8.count <= collapseBytesMaximum && PushText.isPrintable(key) ? key : PushText.fullDigest(key)
  }
}
