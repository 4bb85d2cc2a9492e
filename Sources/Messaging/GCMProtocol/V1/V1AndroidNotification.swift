import EventSourcing
import JSONEnvelope

/// `android.notification` as the device's service reads it: texts under the same names. Spec: GCM E3, D8.13.
///
/// Enumerations become Android's own numbers, moments and durations milliseconds, lists the JSON text of an array.
/// Source: FCM Android SDK, `NotificationParams`.
enum V1AndroidNotification {
  private static let texts = [
    "title", "body", "image", "icon", "color", "sound", "tag", "click_action", "body_loc_key", "title_loc_key",
    "ticker",
  ]
  private static let lists = ["body_loc_args", "title_loc_args"]
  private static let flags = [
    "sticky", "local_only", "default_sound", "default_vibrate_timings", "default_light_settings",
    "bypass_proxy_notification",
  ]
  private static let priorities = [
    "PRIORITY_UNSPECIFIED": 0, "PRIORITY_MIN": -2, "PRIORITY_LOW": -1, "PRIORITY_DEFAULT": 0, "PRIORITY_HIGH": 1,
    "PRIORITY_MAX": 2,
  ]
  private static let visibilities = ["VISIBILITY_UNSPECIFIED": 0, "PRIVATE": 0, "PUBLIC": 1, "SECRET": -1]
  private static let proxies = ["PROXY_UNSPECIFIED": 0, "ALLOW": 0, "DENY": 1, "IF_PRIORITY_LOWERED": 2]

  /// Those that are no objects.
  static let names =
    texts + lists + flags + [
      "channel_id", "event_time", "notification_priority", "visibility", "proxy", "vibrate_timings",
      "notification_count",
    ]

  /// Writes them over what is there.
  static func read(_ fields: V1Fields, into keys: inout JSONObject) throws(DownstreamRefusal) {
    try fields.addTexts(texts, to: &keys)
    for name in lists {
      if let list = try fields.list(name) { keys[name] = .string(list) }
    }
    if let channel = try fields.string("channel_id") { keys["android_channel_id"] = .string(channel) }
    for name in flags {
      if let flag = try fields.bool(name) { keys[name] = .bool(flag) }
    }
    if let text = try fields.string("event_time") {
      guard let time = Timestamp(iso8601: text) else {
        throw fields.invalid("event_time", "is not a time such as \"2014-10-02T15:01:23.045Z\"")
      }
      keys["event_time"] = .integer(time.milliseconds)
    }
    for (name, values) in [("notification_priority", priorities), ("visibility", visibilities)] {
      if let value = try fields.choice(name, values) { keys[name] = .integer(Int64(value)) }
    }
    if let proxy = try fields.choice("proxy", proxies) {
      keys["proxy"] = fields.value("proxy")
      // What the service on the device looks at.
      if proxy == 1 { keys["dnp"] = "1" }
    }
    if let count = try fields.integer("notification_count", in: 0...Int(Int32.max)) {
      keys["notification_count"] = .integer(Int64(count))
    }
    if let timings = try fields.strings("vibrate_timings") {
      var milliseconds: [JSONValue] = []
      for timing in timings { milliseconds.append(.integer(try duration(timing, "vibrate_timings", of: fields))) }
      keys["vibrate_timings"] = .array(milliseconds)
    }
    if fields.value("light_settings") != nil {
      keys["light_settings"] = try light(try fields.fields("light_settings"))
    }
  }

  /// `[color as #AARRGGBB, on, off]`
  private static func light(_ settings: V1Fields) throws(DownstreamRefusal) -> JSONValue {
    let color = try settings.fields("color")
    var digits = ""
    for (name, missing) in [("alpha", 1.0), ("red", 0), ("green", 0), ("blue", 0)] {
      // Alpha may come wrapped, as protobuf's FloatValue; its JSON is the bare number.
      let share = try color.number(name, in: 0...1) ?? missing
      let byte = Int((share * 255).rounded())
      digits += (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    var times: [JSONValue] = []
    for name in ["light_on_duration", "light_off_duration"] {
      guard let text = try settings.string(name) else { throw settings.invalid(name, "is missing") }
      times.append(.integer(try duration(text, name, of: settings)))
    }
    return .array([.string("#" + digits)] + times)
  }

  private static func duration(
    _ text: String, _ name: String, of fields: V1Fields
  ) throws(DownstreamRefusal) -> Int64 {
    guard let milliseconds = V1Duration.milliseconds(text), milliseconds >= 0 else {
      throw fields.invalid(name, "is not a duration such as \"3.5s\"")
    }
    return milliseconds
  }
}
