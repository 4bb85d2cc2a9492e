import CallbackDomain
import ChatEngine
import EngineKit
import EventSourcing
import OptionKit
import PushDomain

/// What a request means, with the options of its service. Spec: GMS 9.1.
extension CallbackRequest {
  /// - Throws: `.missing`, `.invalid`.
  init(
    _ order: CallbackOrder, service: String, options: Options, identifiers: Identifiers
  ) throws(EngineError) {
    let reader = CallbackFieldReader(service: service, fields: order.fields, options: options)
    for key in options.lookupKeys(ofCallback: service).mandatory where reader.field(key) == nil {
      throw .missing(field: key)
    }
    self.init(serviceName: service, userKey: order.userKey ?? identifiers.clientID())
    isUserKeyMade = order.userKey == nil
    terms = try reader.terms()
    fields = order.fields.filter { !$0.value.isEmpty }
    device = try reader.device()
    desiredTime = try reader.time("_desired_time")
    accessNumber = reader.callback[CallbackOptions.keys.accessNumber]
    priority = reader.callback[CallbackOptions.keys.priority]
    language =
      reader.field("_language") ?? reader.field("push_notification_language")
      ?? options.texts.language(accepted: order.acceptLanguage)
  }
}

/// Reads the fields of a request that mean something to the service.
struct CallbackFieldReader {
  let fields: [NameValuePair]
  /// What the options of the service say, with these fields.
  let callback: CallbackReader

  init(service: String, fields: [NameValuePair], options: Options) {
    self.fields = fields
    callback = options.callback(service, fields: fields)
  }

  /// Nil if it is absent or empty.
  func field(_ name: String) -> String? {
    fields.last { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
  }

  func terms() throws(EngineError) -> CallbackTerms {
    var terms = CallbackTerms()
    let keys = CallbackOptions.keys
    switch text(keys.direction).uppercased() {
    case "USERORIGINATED": terms.direction = .userOriginated
    case "USERTERMINATED": terms.direction = .userTerminated
    default: throw .invalid(field: keys.direction.name, reason: "is not USERORIGINATED or USERTERMINATED")
    }
    switch text(keys.media).lowercased() {
    case "voice": terms.media = .voice
    case "chat": terms.media = .chat
    default: throw .invalid(field: keys.media.name, reason: "is not voice or chat")
    }
    terms.waitsForAgent = try flag(keys.waitsForAgent)
    terms.confirms = try flag(keys.confirms)
    terms.providesCode = try flag(keys.providesCode)
    return terms
  }

  /// Nil without a device; an app that has no token yet says the type alone. Spec: GMS 9.1, `_device_os`.
  /// - Throws: for what nothing could ever be pushed to: a device without a type, or what is no device of that type.
  func device() throws(EngineError) -> CallbackDevice? {
    let name = field("_device_notification_id") == nil ? "push_notification_deviceid" : "_device_notification_id"
    guard let text = field(name) else { return nil }
    guard let type = (field("_device_os") ?? field("push_notification_type"))?.lowercased() else {
      throw .missing(field: "_device_os")
    }
    let id: String
    do throws(DeviceIdentifier.Problem) { id = try DeviceIdentifier.cleaned(text, type: type) } catch {
      throw .invalid(field: name, reason: error.reason)
    }
    let provider = callback[CallbackOptions.shared.provider]
    return CallbackDevice(
      type: type, deviceID: id,
      provider: field("push_notification_provider") ?? (provider.isEmpty ? nil : provider),
      language: field("push_notification_language"),
      debug: Self.isTrue(
        field("push_notification_debug") ?? callback.text(of: CallbackOptions.shared.usesDebugCredentials.name)))
  }

  func time(_ name: String) throws(EngineError) -> Timestamp? {
    guard let text = field(name) else { return nil }
    guard let time = Timestamp(iso8601: text) else {
      throw .invalid(field: name, reason: "is not a time such as 2026-03-01T09:15:00Z")
    }
    return time
  }

  /// A request may bring it without being asked; nil for nothing, here and there. Spec: GMS 9.1.
  private func given<Value>(_ key: OptionKey<Value>) -> String? {
    field(key.name) ?? callback.text(of: key.name).flatMap { $0.isEmpty ? nil : $0 }
  }

  private func text(_ key: OptionKey<String>) -> String { given(key) ?? key.builtIn }

  private func flag(_ key: OptionKey<Bool>) throws(EngineError) -> Bool {
    guard let text = given(key) else { return key.builtIn }
    switch text.lowercased() {
    case "true", "1": return true
    case "false", "0": return false
    default: throw .invalid(field: key.name, reason: "is not true or false")
    }
  }

  private static func isTrue(_ text: String?) -> Bool { text?.lowercased() == "true" || text == "1" }
}
