public import EventSourcing
import JSONEnvelope
import PushDomain

/// FCM HTTP v1. Spec: GCM E1, E3.
///
/// One message can say different things to Android, Apple devices and browsers. Here all devices are of one kind, so
/// Android's word counts first, then Apple's, then the browsers'.
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
    let body = V1Fields(object, path: "")
    guard body.value("message") != nil else { throw body.invalid("message", "the message is missing") }
    let message = try body.fields("message")
    let android = try message.fields("android")
    let apns = try message.fields("apns")
    let webPush = try message.fields("webpush")
    self.init(target: try Self.target(message))
    isDryRun = try body.bool("validate_only") ?? false
    try readAndroid(android)
    let hasLifetime = android.value("ttl") != nil
    let expires = try Self.headers(apns)["apns-expiration"] != nil
    try readAPNs(apns, hasPriority: priority != nil, hasLifetime: hasLifetime, now: now)
    try readWebPush(webPush, hasLifetime: hasLifetime || expires)
    data = try Self.data(android, message, webPush)
    notification = try Self.notification(message, android, webPush)
    do throws(DownstreamRefusal) {
      try MessagePayload.checkSize(self)
    } catch {
      throw DownstreamRefusal(error.code, error.text, field: message.path(of: error.field ?? "data"))
    }
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

  // MARK: Options

  private mutating func readAndroid(_ android: V1Fields) throws(DownstreamRefusal) {
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
    guard let text = try android.string("ttl") else { return }
    guard let seconds = V1Duration.seconds(text) else {
      throw android.invalid("ttl", "is not a duration such as \"3.5s\"")
    }
    guard (0...DownstreamLimits.timeToLiveMaximum).contains(seconds) else {
      throw android.invalid(
        "ttl", "must be between 0 and \(DownstreamLimits.timeToLiveMaximum) seconds", code: .invalidTimeToLive)
    }
    timeToLive = seconds
  }

  private mutating func readAPNs(
    _ apns: V1Fields, hasPriority: Bool, hasLifetime: Bool, now: Timestamp
  ) throws(DownstreamRefusal) {
    let aps = try apns.fields("payload").fields("aps").object
    contentAvailable = aps["content-available"]?.integer == 1 || aps["content-available"]?.bool == true
    mutableContent = aps["mutable-content"]?.integer == 1 || aps["mutable-content"]?.bool == true
    let headers = try Self.headers(apns)
    if collapseKey == nil { collapseKey = Self.unlessEmpty(headers["apns-collapse-id"]) }
    if !hasPriority, let text = headers["apns-priority"] { priority = text == "10" ? .high : .normal }
    guard !hasLifetime, let text = headers["apns-expiration"] else { return }
    guard let expiry = Int64(text), expiry >= 0 else {
      throw apns.invalid("headers", "\"apns-expiration\" is not a time")
    }
    // Zero means "now or never", and so does what is over already.
    let seconds = expiry.subtractingReportingOverflow(now.milliseconds / 1_000).partialValue
    timeToLive = Int(min(max(seconds, 0), Int64(DownstreamLimits.timeToLiveMaximum)))
  }

  private mutating func readWebPush(_ webPush: V1Fields, hasLifetime: Bool) throws(DownstreamRefusal) {
    let headers = try Self.headers(webPush)
    if collapseKey == nil { collapseKey = Self.unlessEmpty(headers["topic"]) }
    if priority == nil, let text = headers["urgency"] { priority = text.lowercased() == "high" ? .high : .normal }
    guard !hasLifetime, let text = headers["ttl"] else { return }
    guard let seconds = Int(text), seconds >= 0 else { throw webPush.invalid("headers", "\"TTL\" is not a number") }
    timeToLive = min(seconds, DownstreamLimits.timeToLiveMaximum)
  }

  /// A protobuf string that is empty counts as absent.
  private static func unlessEmpty(_ text: String?) -> String? { text?.isEmpty == true ? nil : text }

  /// Names in lower case.
  private static func headers(_ fields: V1Fields) throws(DownstreamRefusal) -> [String: String] {
    let headers = try fields.texts("headers") ?? []
    for (name, text) in headers where text.utf8.count > DownstreamLimits.collapseKeyBytesMaximum {
      throw fields.invalid("headers", "\"\(name.prefix(64))\" is too long")
    }
    return Dictionary(headers.map { ($0.name.lowercased(), $0.text) }) { $1 }
  }

  // MARK: Payload

  /// The data of the first of these that has some.
  private static func data(_ sources: V1Fields...) throws(DownstreamRefusal) -> [MailPair] {
    var chosen: [MailPair] = []
    for source in sources {
      let texts = try source.texts("data") ?? []
      for (name, _) in texts where MessagePayload.isReserved(name) || name == "message_type" {
        throw .reservedKey(name, field: source.path(of: "data"))
      }
      if chosen.isEmpty { chosen = texts.map { MailPair($0.name, $0.text) } }
    }
    return chosen
  }

  /// Android's keys over those for everybody; a browser's only where there are no others.
  private static func notification(
    _ message: V1Fields, _ android: V1Fields, _ webPush: V1Fields
  ) throws(DownstreamRefusal) -> [MailPair]? {
    var keys = JSONObject()
    try addTexts(["title", "body", "image"], of: try message.fields("notification"), to: &keys)
    let own = try android.fields("notification")
    try addTexts(
      [
        "title", "body", "image", "icon", "color", "sound", "tag", "click_action", "body_loc_key", "title_loc_key",
      ], of: own, to: &keys)
    for name in ["body_loc_args", "title_loc_args"] {
      if let list = try own.list(name) { keys[name] = .string(list) }
    }
    if let channel = try own.string("channel_id") { keys["android_channel_id"] = .string(channel) }
    if keys.isEmpty {
      try addTexts(["title", "body", "icon", "image", "tag"], of: try webPush.fields("notification"), to: &keys)
    }
    return keys.isEmpty ? nil : try MessagePayload.notification(keys)
  }

  private static func addTexts(
    _ names: [String], of fields: V1Fields, to keys: inout JSONObject
  ) throws(DownstreamRefusal) {
    for name in names {
      if let text = try fields.string(name) { keys[name] = .string(text) }
    }
  }
}
