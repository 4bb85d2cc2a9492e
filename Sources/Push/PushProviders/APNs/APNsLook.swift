internal import JSONEnvelope
internal import PushDomain

/// The content of `aps`: what to show. The message's own wishes go over the options. Spec: GMS 7.3, providers 2.6.
struct APNsLook: Sendable, Equatable {
  static let interruptionLevels: Set<String> = ["passive", "active", "time-sensitive", "critical"]
  static let localizationArgumentsMaximum = 16

  var title: String?
  var subtitle: String?
  var body: String?
  var actionLocalizationKey: String?
  var localizationKey: String?
  var localizationArguments: [String] = []
  var launchImage: String?
  /// The alert is the body alone, as a string (option `apple.alert`).
  var isPlain = false
  var badge: Int?
  var sound: String?
  var threadID: String?
  var category: String?
  var isContentAvailable = false
  var isMutableContent = false
  var interruptionLevel: String?
  /// What else the sender itself has put into `aps`, and into its `alert`.
  var others = JSONObject()
  var alertOthers = JSONObject()

  init() {}

  init(_ message: PushMessage, _ options: PushOptions) {
    let display = message.display
    title = Self.text(display?.title) ?? options.text("apple.title")
    subtitle = Self.text(display?.subtitle)
    actionLocalizationKey = options.text("apple.alertMessage.action-loc-key")
    localizationKey = options.text("apple.alertMessage.loc-key")
    launchImage = options.text("apple.alertMessage.launch-image")
    if let names = options.text("apple.alertMessage.loc-argnames") {
      localizationArguments = Self.values(of: names, in: message.content)
    }
    let configured = Self.text(display?.body) ?? options.text("apple.alertMessage.body")
    let plain = options.text("apple.alert")
    body = configured ?? plain ?? Self.text(message.alert)
    isPlain = configured == nil && plain != nil && !hasPartsBesideBody
    badge = display?.badge ?? options.integer("apple.badge")
    sound = Self.text(display?.sound) ?? options.text("apple.sound")
    threadID = Self.text(display?.threadID) ?? options.text("apple.thread_id")
    category = Self.text(display?.category) ?? options.text("apple.category")
    isContentAvailable = display?.isContentAvailable == true || options.flag("apple.content_available")
    isMutableContent = display?.isMutableContent == true || options.flag("apple.mutable_content")
    interruptionLevel = Self.text(display?.interruptionLevel) ?? options.text("apple.interruption_level")
    // Bytes that are no object were refused when the message came.
    if let aps = display?.aps.flatMap({ try? JSONValue(parsing: $0).object }) { take(aps) }
  }

  /// The sender's own `aps` goes over everything; what has no place of its own here is handed on as it is.
  private mutating func take(_ aps: JSONObject) {
    for member in aps.members {
      let value = member.value
      switch (member.name, value) {
      case (_, .null): continue
      case ("alert", .string(let text)): take(alert: text)
      case ("alert", .object(let parts)): take(alert: parts)
      case ("badge", _): badge = value.integer
      case ("sound", .string(let name)): sound = name
      case ("sound", _):
        sound = nil
        others["sound"] = value
      case ("thread-id", .string(let text)): threadID = text
      case ("category", .string(let text)): category = text
      case ("interruption-level", .string(let text)): interruptionLevel = text
      case ("content-available", _): isContentAvailable = Self.isSet(value)
      case ("mutable-content", _): isMutableContent = Self.isSet(value)
      default: others[member.name] = value
      }
    }
  }

  private static func isSet(_ value: JSONValue) -> Bool { value.bool ?? (value.integer == 1) }

  /// A text is the whole alert.
  private mutating func take(alert text: String) {
    (title, subtitle, actionLocalizationKey, localizationKey, launchImage) = (nil, nil, nil, nil, nil)
    localizationArguments = []
    body = text
    isPlain = true
  }

  private mutating func take(alert parts: JSONObject) {
    isPlain = false
    for part in parts.members {
      switch (part.name, part.value) {
      case (_, .null): continue
      case ("title", .string(let text)): title = text
      case ("subtitle", .string(let text)): subtitle = text
      case ("body", .string(let text)): body = text
      case ("action-loc-key", .string(let key)): actionLocalizationKey = key
      case ("loc-key", .string(let key)): localizationKey = key
      case ("launch-image", .string(let name)): launchImage = name
      case ("loc-args", .array(let arguments)): localizationArguments = arguments.map { $0.lenientString ?? "" }
      default: alertOthers[part.name] = part.value
      }
    }
  }

  private static func text(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }

  /// The members of the content with these names, in their order; empty where there is none.
  private static func values(of names: String, in content: [UInt8]) -> [String] {
    let members = try? JSONValue(parsing: content)
    return names.split(separator: ",").prefix(localizationArgumentsMaximum).map { name in
      members?[String(name.trimmingBlanks)]?.lenientString ?? ""
    }
  }

  /// The kind of push that this is, unless somebody says so: with nothing to show it only wakes the app.
  /// Spec: providers 2.5.
  var derivedType: APNsPushType {
    isContentAvailable && !hasAlert && badge == nil && sound == nil && others["sound"] == nil ? .background : .alert
  }

  /// Nothing but the wake-up, as a background push must be. Spec: providers 2.5.
  var wakeUpOnly: APNsLook {
    var look = APNsLook()
    look.isContentAvailable = true
    look.others = others
    look.others["sound"] = nil
    return look
  }

  private var hasPartsBesideBody: Bool {
    title != nil || subtitle != nil || actionLocalizationKey != nil || localizationKey != nil || launchImage != nil
      || !alertOthers.isEmpty
  }

  private var hasAlert: Bool { body != nil || hasPartsBesideBody }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writeAlert(to: &writer)
    if let badge {
      writer.key("badge")
      writer.integer(badge)
    }
    writer.member("sound", sound)
    writer.member("thread-id", threadID)
    writer.member("category", category)
    if isContentAvailable {
      writer.key("content-available")
      writer.integer(1)
    }
    if isMutableContent {
      writer.key("mutable-content")
      writer.integer(1)
    }
    writer.member("interruption-level", interruptionLevel)
    writer.members(of: others)
    writer.endObject()
  }

  private func writeAlert(to writer: inout JSONWriter) {
    guard hasAlert else { return }
    writer.key("alert")
    if isPlain, let body {
      writer.string(body)
      return
    }
    writer.beginObject()
    writer.member("title", title)
    writer.member("subtitle", subtitle)
    writer.member("body", body)
    writer.member("action-loc-key", actionLocalizationKey)
    writer.member("loc-key", localizationKey)
    if !localizationArguments.isEmpty {
      writer.key("loc-args")
      writer.beginArray()
      for argument in localizationArguments { writer.string(argument) }
      writer.endArray()
    }
    writer.member("launch-image", launchImage)
    writer.members(of: alertOthers)
    writer.endObject()
  }
}

extension JSONWriter {
  /// A member that is a string, if there is one.
  mutating func member(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    key(name)
    string(value)
  }

  fileprivate mutating func members(of object: JSONObject) {
    for member in object.members {
      key(member.name)
      value(member.value)
    }
  }
}

extension Substring {
  fileprivate var trimmingBlanks: Substring {
    var text = self
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return text
  }
}
