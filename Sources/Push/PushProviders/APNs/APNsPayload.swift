internal import JSONEnvelope
import OptionKit
internal import PushDomain

/// The body of one push: `{"aps":{…}, <the app's own keys>}`. Spec: GMS 7.3, providers 2.6.
struct APNsPayload: Sendable, Equatable {
  /// What stands beside `aps`.
  enum Own: Sendable, Equatable {
    case nothing
    /// Under the key `message`, as an object or as a string that holds its text.
    case message([UInt8], asString: Bool)
    /// The members of an object, without its braces.
    case members([UInt8])
  }

  var look: APNsLook
  var own: Own
  let type: APNsPushType
  let bytesMaximum: Int

  /// - Throws: why this message can never pass.
  init(_ message: PushMessage, _ options: PushOptions) throws(APNsRefusal) {
    var look = APNsLook(message, options)
    if let level = look.interruptionLevel, !AppleOptions.interruptionLevels.contains(level) {
      throw APNsRefusal("interruption level")
    }
    let named = message.display?.pushType ?? options[AppleOptions.keys.pushType]
    if let named {
      guard let type = APNsPushType(rawValue: named) else { throw APNsRefusal("push type") }
      self.type = type
    } else {
      type = look.derivedType
    }
    if type == .background { look = look.wakeUpOnly }
    self.look = look
    own = try Self.own(message, options)
    bytesMaximum = Self.bytesMaximum(type, message.form, options)
  }

  private static func bytesMaximum(_ type: APNsPushType, _ form: PushContentForm, _ options: PushOptions) -> Int {
    let ceiling = type.payloadBytesMaximum
    let key = AppleOptions.keys.payloadLimit
    if let wanted = options.ifSet(key) { return min(wanted, ceiling) }
    // What the old protocol carried, and GMS with it. Spec: GMS 7.3.
    return form == .members ? ceiling : key.builtIn
  }

  private static func own(_ message: PushMessage, _ options: PushOptions) throws(APNsRefusal) -> Own {
    switch message.form {
    case .message:
      let hasTranscript = options[AppleOptions.keys.includesTranscript]
      let content = hasTranscript ? message.content : message.compactContent ?? message.content
      guard !content.isEmpty else { return .nothing }
      return .message(content, asString: options[AppleOptions.keys.messageFormat] == "string")
    case .text:
      return .message(message.content, asString: true)
    case .members:
      guard !message.content.isEmpty else { return .nothing }
      guard let object = try? JSONValue(parsing: message.content).object else { throw APNsRefusal("content") }
      guard object["aps"] == nil else { throw APNsRefusal("content: aps") }
      return object.isEmpty ? .nothing : .members(insideBraces(message.content))
    }
  }

  /// The text between an object's braces: numbers and escapes reach the app as they came.
  private static func insideBraces(_ object: [UInt8]) -> [UInt8] {
    guard let start = object.firstIndex(of: UInt8(ascii: "{")), let end = object.lastIndex(of: UInt8(ascii: "}")),
      start < end
    else { return [] }
    return Array(object[(start + 1)..<end])
  }

  /// The JSON text.
  var bytes: [UInt8] {
    JSONWriter.object(capacity: 512) { payload in
      payload.object("aps") { look.write(into: &$0) }
      switch own {
      case .nothing: break
      case .message(let content, asString: true): payload.member("message", String(decoding: content, as: UTF8.self))
      case .message(let content, asString: false): payload.member("message", RawJSON(content))
      case .members(let members): payload.members(text: members)
      }
    }
  }

  var isFitting: Bool { bytes.count <= bytesMaximum }
}

/// Why a message can never be sent: a few words for the journal, without its texts.
struct APNsRefusal: Error, Equatable {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}
