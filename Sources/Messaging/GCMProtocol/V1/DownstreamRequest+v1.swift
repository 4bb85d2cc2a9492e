public import EventSourcing
import JSONEnvelope
import PushDomain

/// FCM HTTP v1. Spec: GCM E1, E3.
///
/// One message can say different things to Android, Apple's devices and browsers: each platform has its own block, and
/// looks at no other's. The request itself is what Android's devices get, and all that keep a connection; the others are
/// its variants.
extension DownstreamRequest {
  /// - Parameter now: what `apns-expiration`, a time of day, is counted from.
  /// - Throws: always to be answered with 400; with the path of the field that is to blame.
  public init(v1 bytes: [UInt8], now: Timestamp) throws(DownstreamRefusal) {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: bytes, limits: JSONLimits(depthMaximum: DownstreamLimits.depthMaximum))
    } catch {
      throw DownstreamRefusal(nil, "Invalid JSON payload received: \(error.description).")
    }
    guard let object = value.object else {
      throw DownstreamRefusal(nil, "Invalid JSON payload received: it is not an object.")
    }
    try V1Shape.check(object)
    let body = V1Fields(object, path: "")
    guard body.value("message") != nil else { throw body.invalid("message", "the message is missing") }
    let message = try body.fields("message")
    var plain = DownstreamRequest(target: try Self.target(message))
    plain.isDryRun = try body.bool("validate_only") ?? false
    plain.data = try Self.data(message) ?? []
    plain.analyticsLabel = try Self.analyticsLabel(message)
    var keys = JSONObject()
    try (try message.fields("notification")).addTexts(["title", "body", "image"], to: &keys)

    self = plain
    try readAndroid(try message.fields("android"), keys)
    try Self.checkSize(self, of: message)
    var apple = plain
    try apple.readAPNs(try message.fields("apns"), keys, now: now)
    var web = plain
    try web.readWebPush(try message.fields("webpush"), keys)
    variants = [.apple: apple, .web: web]
  }

  // MARK: The target

  private static func target(_ message: V1Fields) throws(DownstreamRefusal) -> DownstreamTarget {
    var found: (name: String, text: String)?
    for name in ["token", "topic", "condition", "fid"] {
      guard let text = try message.string(name) else { continue }
      if let found {
        throw message.invalid(name, "the target is given by '\(found.name)' already: exactly one is possible")
      }
      found = (name, text)
    }
    guard let found, !found.text.isEmpty else {
      throw DownstreamRefusal(
        .invalidParameters, "Recipient of the message is not set.", field: message.path(of: found?.name ?? "token"))
    }
    switch found.name {
    case "topic":
      guard TopicName.isValid(found.text) else {
        throw message.invalid("topic", "a topic's name consists of [a-zA-Z0-9-_.~%]")
      }
      return .topic(found.text)
    case "condition":
      do throws(TopicConditionError) {
        return .condition(try TopicCondition(parsing: found.text))
      } catch {
        throw message.invalid("condition", error.description)
      }
    default: return .recipient(found.text)
    }
  }

  // MARK: Android

  private mutating func readAndroid(_ android: V1Fields, _ shown: JSONObject) throws(DownstreamRefusal) {
    collapseKey = Self.unlessEmpty(
      try android.string("collapse_key", limit: DownstreamLimits.collapseKeyBytesMaximum))
    restrictedPackageName = Self.unlessEmpty(
      try android.string("restricted_package_name", limit: DownstreamLimits.packageNameBytesMaximum))
    switch try android.string("priority")?.uppercased() {
    case nil: break
    case "HIGH": priority = .high
    case "NORMAL": priority = .normal
    case .some: throw android.invalid("priority", "must be NORMAL or HIGH")
    }
    // Nothing here depends on them, but what cannot be meant is told.
    for name in ["direct_boot_ok", "bandwidth_constrained_ok", "restricted_satellite_ok"] { _ = try android.bool(name) }
    if let text = try android.string("ttl") { timeToLive = try Self.timeToLive(text, android) }
    data = try Self.data(android) ?? data
    analyticsLabel = try Self.analyticsLabel(android) ?? analyticsLabel
    var keys = shown
    try V1AndroidNotification.read(try android.fields("notification"), into: &keys)
    notification = Self.pairs(keys)
  }

  private static func timeToLive(_ text: String, _ android: V1Fields) throws(DownstreamRefusal) -> Int {
    guard let seconds = V1Duration.seconds(text) else {
      throw android.invalid("ttl", "is not a duration such as \"3.5s\"")
    }
    guard (0...DownstreamLimits.timeToLiveMaximum).contains(seconds) else {
      throw android.invalid(
        "ttl", "must be between 0 and \(DownstreamLimits.timeToLiveMaximum) seconds", code: .invalidTimeToLive)
    }
    return seconds
  }

  // MARK: Common

  /// A protobuf string that is empty counts as absent.
  static func unlessEmpty(_ text: String?) -> String? { text?.isEmpty == true ? nil : text }

  /// Names in lower case.
  static func headers(_ fields: V1Fields) throws(DownstreamRefusal) -> [ExactText: String] {
    let headers = try fields.texts("headers") ?? []
    for (name, text) in headers where text.utf8.count > DownstreamLimits.collapseKeyBytesMaximum {
      throw fields.invalid("headers", "\"\(DownstreamRefusal.excerpt(of: name))\" is too long")
    }
    return Dictionary(headers.map { (ExactText($0.name.lowercased()), $0.text) }) { $1 }
  }

  /// The app's own pairs; nil if the block has none: then those for everybody count.
  static func data(_ fields: V1Fields) throws(DownstreamRefusal) -> [MailPair]? {
    let texts = try fields.texts("data") ?? []
    for (name, _) in texts where MessagePayload.isReserved(name) || name == "message_type" {
      throw .reservedKey(name, field: fields.path(of: "data"))
    }
    return texts.isEmpty ? nil : texts.map { MailPair($0.name, $0.text) }
  }

  static func analyticsLabel(_ fields: V1Fields) throws(DownstreamRefusal) -> String? {
    let options = try fields.fields("fcm_options")
    guard let label = unlessEmpty(try options.string("analytics_label")) else { return nil }
    guard label.utf8.count <= DownstreamLimits.analyticsLabelBytesMaximum, TopicName.isValid(label) else {
      throw options.invalid(
        "analytics_label",
        "must be up to \(DownstreamLimits.analyticsLabelBytesMaximum) characters of [a-zA-Z0-9-_.~%]")
    }
    return label
  }

  /// What is to be shown, as texts; nil if nothing is.
  static func pairs(_ keys: JSONObject) -> [MailPair]? {
    keys.isEmpty ? nil : keys.members.map { MailPair($0.name, $0.value.plainText) }
  }

  static func checkSize(_ request: DownstreamRequest, of fields: V1Fields) throws(DownstreamRefusal) {
    do throws(DownstreamRefusal) {
      try MessagePayload.checkSize(request)
    } catch {
      throw DownstreamRefusal(error.code, error.text, field: fields.path(of: error.field ?? "data"))
    }
  }
}
