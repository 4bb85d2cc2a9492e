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
    // Phones of this kind are not sent the bulk. Spec: GMS 7.2.
    let iosExtra = audience.reachesIOS ? extra(message.compactContent ?? message.content, message.form) : JSONObject()
    let androidExtra = audience.reachesAndroid ? extra(message.content, message.form) : JSONObject()
    guard let iosExtra, let androidExtra else { return nil }
    return JSONWriter.object { body in
      body.object("audience") { write(audience, into: &$0) }
      body.array("device_types") { types in
        if audience.reachesIOS { types.element("ios") }
        if audience.reachesAndroid { types.element("android") }
      }
      body.object("notification") { notification in
        notification.member("alert", message.display?.body ?? message.alert)
        if audience.reachesIOS { notification.object("ios") { writeIOS(message, iosExtra, seconds, into: &$0) } }
        if audience.reachesAndroid {
          notification.object("android") { writeAndroid(message, androidExtra, seconds, into: &$0) }
        }
      }
      if let seconds { body.object("options") { $0.member("expiry", seconds) } }
    }
  }

  private static func write(_ audience: AirshipAudience, into object: inout JSONObjectWriter) {
    let selectors = audience.selectors
    if selectors.count == 1 { return object.member(named: selectors[0].kind, selectors[0].id) }
    object.objects("or", selectors) { selector, object in object.member(named: selector.kind, selector.id) }
  }

  private static func writeIOS(
    _ message: PushMessage, _ extra: JSONObject, _ seconds: Int64?, into ios: inout JSONObjectWriter
  ) {
    let display = message.display
    ios.member("title", ifPresent: display?.title)
    ios.member("subtitle", ifPresent: display?.subtitle)
    if !extra.isEmpty { ios.object("extra") { $0.members(of: extra) } }
    ios.member("badge", ifPresent: display?.badge)
    ios.member("sound", ifPresent: display?.sound)
    ios.member(
      "collapse_id", ifPresent: message.collapseKey.map { ShortName.of($0, bytesMaximum: collapseIDBytesMaximum) })
    ios.member("thread_id", ifPresent: display?.threadID)
    ios.member("category", ifPresent: display?.category)
    ios.member("expiry", ifPresent: seconds)
    if display?.isContentAvailable == true { ios.member("content_available", true) }
    if display?.isMutableContent == true { ios.member("mutable_content", true) }
    ios.member("interruption_level", ifPresent: display?.interruptionLevel)
  }

  private static func writeAndroid(
    _ message: PushMessage, _ extra: JSONObject, _ seconds: Int64?, into android: inout JSONObjectWriter
  ) {
    android.member("title", ifPresent: message.display?.title)
    if !extra.isEmpty { android.object("extra") { $0.members(of: extra) } }
    android.member("collapse_key", ifPresent: message.collapseKey)
    android.member("time_to_live", ifPresent: seconds)
    android.member("delivery_priority", message.priority == .high ? "high" : "normal")
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
