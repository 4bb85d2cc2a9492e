internal import JSONEnvelope
import OptionKit
internal import PushDomain

/// The content of `aps`: what to show. The message's own wishes go over the options. Spec: GMS 7.3, providers 2.6.
struct APNsLook: Sendable, Equatable {
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
    let (display, keys) = (message.display, AppleOptions.keys)
    title = Self.text(display?.title) ?? Self.text(options[keys.title])
    subtitle = Self.text(display?.subtitle)
    actionLocalizationKey = options[keys.actionLocalizationKey]
    localizationKey = options[keys.localizationKey]
    launchImage = options[keys.launchImage]
    if let names = options[keys.localizationArguments] {
      localizationArguments = Self.values(of: names, in: message.content)
    }
    let configured = Self.text(display?.body) ?? options[keys.body]
    let plain = options[keys.alert]
    body = configured ?? plain ?? Self.text(message.alert)
    isPlain = configured == nil && plain != nil && !hasPartsBesideBody
    badge = display?.badge ?? options[keys.badge]
    sound = Self.text(display?.sound) ?? options[keys.sound]
    threadID = Self.text(display?.threadID) ?? options[keys.threadID]
    category = Self.text(display?.category) ?? options[keys.category]
    isContentAvailable = display?.isContentAvailable == true || options[keys.isContentAvailable]
    isMutableContent = display?.isMutableContent == true || options[keys.isMutableContent]
    interruptionLevel = Self.text(display?.interruptionLevel) ?? options[keys.interruptionLevel]
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
  private static func values(of names: [String], in content: [UInt8]) -> [String] {
    let members = try? JSONValue(parsing: content)
    return names.prefix(localizationArgumentsMaximum).map { members?[$0]?.lenientString ?? "" }
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

  func write(into aps: inout JSONObjectWriter) {
    writeAlert(into: &aps)
    aps.member("badge", ifPresent: badge)
    aps.member("sound", ifPresent: sound)
    aps.member("thread-id", ifPresent: threadID)
    aps.member("category", ifPresent: category)
    if isContentAvailable { aps.member("content-available", 1) }
    if isMutableContent { aps.member("mutable-content", 1) }
    aps.member("interruption-level", ifPresent: interruptionLevel)
    aps.members(of: others)
  }

  private func writeAlert(into aps: inout JSONObjectWriter) {
    guard hasAlert else { return }
    if isPlain, let body { return aps.member("alert", body) }
    aps.object("alert") { alert in
      alert.member("title", ifPresent: title)
      alert.member("subtitle", ifPresent: subtitle)
      alert.member("body", ifPresent: body)
      alert.member("action-loc-key", ifPresent: actionLocalizationKey)
      alert.member("loc-key", ifPresent: localizationKey)
      if !localizationArguments.isEmpty { alert.member("loc-args", localizationArguments) }
      alert.member("launch-image", ifPresent: launchImage)
      alert.members(of: alertOthers)
    }
  }
}
