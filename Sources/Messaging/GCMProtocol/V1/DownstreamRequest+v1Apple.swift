import EventSourcing
import JSONEnvelope
import PushDomain

/// The block `apns`, for Apple's devices only. Spec: GCM E3; providers 2.4, 2.6.
extension DownstreamRequest {
  private static let priorities = ["10": PushPriority.high, "5": .normal, "1": .normal]
  /// What `aps` shows by itself.
  private static let shown = ["alert", "badge", "sound"]

  mutating func readAPNs(_ apns: V1Fields, _ keys: JSONObject, now: Timestamp) throws(DownstreamRefusal) {
    guard apns.value("live_activity_token") == nil else {
      throw apns.invalid("live_activity_token", "live activities are not served")
    }
    var payload = try apns.fields("payload").object
    let aps = try apns.fields("payload").fields("aps")
    try Self.check(aps)
    notification = Self.pairs(keys)
    analyticsLabel = try Self.analyticsLabel(apns) ?? analyticsLabel
    let headers = try Self.headers(apns)
    collapseKey = Self.unlessEmpty(headers["apns-collapse-id"])
    applePushType = Self.unlessEmpty(headers["apns-push-type"])
    let isShown = isNotification || Self.shown.contains { aps.value($0) != nil }
    priority = isShown ? .high : .normal
    if let text = headers["apns-priority"] {
      guard let wanted = Self.priorities[text] else { throw apns.invalid("headers", "\"apns-priority\" is 10, 5 or 1") }
      priority = wanted
    }
    if let text = headers["apns-expiration"] { timeToLive = try Self.timeToLive(until: text, apns, now) }
    let image = Self.unlessEmpty(try apns.fields("fcm_options").string("image")) ?? keys["image"]?.string
    // Where the SDK's service extension looks for it.
    if let image, payload["fcm_options"]?.isNull ?? true { payload["fcm_options"] = ["image": .string(image)] }
    if !payload.isEmpty { applePayload = JSONValue.object(payload).plainText }
    try Self.checkSize(self, of: apns)
    let bytes = MessagePayload.size(data) + MessagePayload.size(notification ?? []) + (applePayload?.utf8.count ?? 0)
    guard bytes <= DownstreamLimits.dataBytesMaximum else {
      throw .tooBig(apns.path(of: "payload"), limit: DownstreamLimits.dataBytesMaximum)
    }
  }

  /// What Apple would refuse is told to the sender, not found out by the courier.
  private static func check(_ aps: V1Fields) throws(DownstreamRefusal) {
    for name in ["alert", "sound"] {
      guard let value = aps.value(name), value.string == nil, value.object == nil else { continue }
      throw aps.invalid(name, "must be a text or an object")
    }
    for name in ["category", "thread-id", "target-content-id", "interruption-level"] { _ = try aps.string(name) }
    if let badge = aps.value("badge"), badge.integer == nil { throw aps.invalid("badge", "must be a whole number") }
    for name in ["content-available", "mutable-content"] {
      guard let value = aps.value(name), value.bool == nil, value.integer != 0, value.integer != 1 else { continue }
      throw aps.invalid(name, "must be 0 or 1")
    }
  }

  /// - Parameter text: seconds since 1970.
  private static func timeToLive(
    until text: String, _ apns: V1Fields, _ now: Timestamp
  ) throws(DownstreamRefusal) -> Int {
    guard let expiry = Int64(text), expiry >= 0 else {
      throw apns.invalid("headers", "\"apns-expiration\" is not a time")
    }
    // Zero means "now or never", and so does what is over already.
    let seconds = expiry.subtractingReportingOverflow(now.milliseconds / 1_000).partialValue
    return Int(min(max(seconds, 0), Int64(DownstreamLimits.timeToLiveMaximum)))
  }
}
