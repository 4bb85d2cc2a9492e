internal import EventSourcing
internal import JSONEnvelope
internal import PushDomain

/// The body of one push. Spec: providers 5.
///
/// ```
/// {"audience":{"ios_channel":"…"},"device_types":["ios"],
///  "notification":{"alert":"…","ios":{"extra":{"message":"{…}"}}},"options":{"expiry":3600}}
/// ```
enum AirshipPayload {
  /// Bytes of an iOS notification's name for collapsing. Spec: providers 2.4.
  static let collapseIDBytesMaximum = 64

  /// Nil if the content is no JSON object and its members are asked for.
  static func body(of message: PushMessage, to audience: AirshipAudience, now: Timestamp) -> [UInt8]? {
    let seconds = message.isNowOrNever ? 0 : message.expiry.map { $0.seconds(since: now) }
    var notification = JSONObject()
    notification["alert"] = .string(message.display?.body ?? message.alert)
    var deviceTypes: [JSONValue] = []
    if audience.reachesIOS {
      deviceTypes.append("ios")
      // Phones of this kind are not sent the bulk. Spec: GMS 7.2.
      guard let extra = extra(message.compactContent ?? message.content, message.form) else { return nil }
      notification["ios"] = .object(ios(message, extra, seconds))
    }
    if audience.reachesAndroid {
      deviceTypes.append("android")
      guard let extra = extra(message.content, message.form) else { return nil }
      notification["android"] = .object(android(message, extra, seconds))
    }
    var body: JSONObject = [
      "audience": self.audience(audience), "device_types": .array(deviceTypes), "notification": .object(notification),
    ]
    if let seconds { body["options"] = ["expiry": .integer(seconds)] }
    return JSONValue.object(body).text
  }

  private static func audience(_ audience: AirshipAudience) -> JSONValue {
    let selectors = audience.selectors.map { JSONValue.object([$0.kind: .string($0.id)]) }
    return selectors.count == 1 ? selectors[0] : .object(["or": .array(selectors)])
  }

  private static func ios(_ message: PushMessage, _ extra: JSONObject, _ seconds: Int64?) -> JSONObject {
    let display = message.display
    var ios = JSONObject()
    ios["title"] = display?.title.map { .string($0) }
    ios["subtitle"] = display?.subtitle.map { .string($0) }
    if !extra.isEmpty { ios["extra"] = .object(extra) }
    ios["badge"] = display?.badge.map { .integer(Int64($0)) }
    ios["sound"] = display?.sound.map { .string($0) }
    ios["collapse_id"] = message.collapseKey.map { .string(ShortName.of($0, bytesMaximum: collapseIDBytesMaximum)) }
    ios["thread_id"] = display?.threadID.map { .string($0) }
    ios["category"] = display?.category.map { .string($0) }
    ios["expiry"] = seconds.map { .integer($0) }
    if display?.isContentAvailable == true { ios["content_available"] = true }
    if display?.isMutableContent == true { ios["mutable_content"] = true }
    ios["interruption_level"] = display?.interruptionLevel.map { .string($0) }
    return ios
  }

  private static func android(_ message: PushMessage, _ extra: JSONObject, _ seconds: Int64?) -> JSONObject {
    var android = JSONObject()
    android["title"] = message.display?.title.map { .string($0) }
    if !extra.isEmpty { android["extra"] = .object(extra) }
    android["collapse_key"] = message.collapseKey.map { .string($0) }
    android["time_to_live"] = seconds.map { .integer($0) }
    android["delivery_priority"] = message.priority == .high ? "high" : "normal"
    return android
  }

  /// Airship's extras are strings: the message as one, or each of its members as one.
  private static func extra(_ content: [UInt8], _ form: PushContentForm) -> JSONObject? {
    if content.isEmpty { return JSONObject() }
    if form != .members { return ["message": .string(String(decoding: content, as: UTF8.self))] }
    guard let members = (try? JSONValue(parsing: content))?.object?.members else { return nil }
    var extra = JSONObject()
    for member in members {
      extra[member.name] = .string(member.value.string ?? String(decoding: member.value.text, as: UTF8.self))
    }
    return extra
  }
}
