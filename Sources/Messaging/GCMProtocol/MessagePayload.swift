import JSONEnvelope
import PushDomain

/// Data and notification of a request: texts, within the limits. Spec: GCM B2.1-B2.4, F2.
enum MessagePayload {
  /// Those that the device side knows; `*_loc_args` are arrays. Spec: GCM B2.1.
  private static let notificationKeys: Set<String> = [
    "title", "body", "icon", "sound", "badge", "tag", "color", "click_action", "body_loc_key", "body_loc_args",
    "title_loc_key", "title_loc_args", "android_channel_id", "subtitle", "image",
  ]

  /// The app's own pairs; what is no string becomes the JSON text that it was. Spec: GCM B2.2.
  static func data(_ object: JSONObject) throws(DownstreamRefusal) -> [MailPair] {
    var pairs: [MailPair] = []
    pairs.reserveCapacity(object.count)
    for member in object.members {
      guard !isReserved(member.name) else { throw .reservedKey(member.name) }
      pairs.append(MailPair(member.name, member.value.plainText))
    }
    return pairs
  }

  /// The predefined keys; others are ignored.
  static func notification(_ object: JSONObject) throws(DownstreamRefusal) -> [MailPair] {
    var pairs: [MailPair] = []
    for member in object.members where notificationKeys.contains(member.name) {
      switch member.value {
      case .null: continue
      case .array where member.name.hasSuffix("_loc_args"): break
      case .array, .object:
        throw .wrongType("notification.\(member.name)", "string", member.value.excerpt)
      case .string, .integer, .digits, .double, .bool: break
      }
      pairs.append(MailPair(member.name, member.value.plainText))
    }
    return pairs
  }

  /// The wider of the published sets. Spec: GCM B2.3, B2.4.
  static func isReserved(_ key: String) -> Bool {
    key == "from" || key.hasPrefix("google") || key.hasPrefix("gcm")
  }

  /// UTF-8 bytes of all keys and values.
  static func size(_ pairs: [MailPair]) -> Int { pairs.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } }

  /// - Throws: `.messageTooBig`.
  static func checkSize(_ request: DownstreamRequest) throws(DownstreamRefusal) {
    let data = size(request.data)
    let notification = size(request.notification ?? [])
    if data > DownstreamLimits.dataBytesMaximum {
      throw .tooBig("data", limit: DownstreamLimits.dataBytesMaximum)
    }
    if notification > DownstreamLimits.notificationBytesMaximum {
      throw .tooBig("notification", limit: DownstreamLimits.notificationBytesMaximum)
    }
    let limit =
      switch request.target {
      case .topic, .condition: DownstreamLimits.topicBytesMaximum
      case .recipient, .tokens: DownstreamLimits.dataBytesMaximum
      }
    if data + notification > limit { throw .tooBig("message", limit: limit) }
  }
}
