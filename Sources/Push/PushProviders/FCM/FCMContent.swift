internal import JSONEnvelope
import OptionKit
internal import PushDomain

/// What both forms of a message carry: the app's data, and what to show. Spec: GMS 7.3, providers 3.2.
struct FCMContent: Sendable, Equatable {
  struct Member: Sendable, Equatable {
    let name: String
    var value: String
  }

  var data: [Member] = []
  var title: String?
  var body: String?
  var image: String?

  var hasNotification: Bool { title != nil || body != nil || image != nil }

  /// - Throws: why this message can never pass.
  init(_ message: PushMessage, _ options: PushOptions) throws(FCMRefusal) {
    try self.init(message, message.content, options)
  }

  private init(_ message: PushMessage, _ content: [UInt8], _ options: PushOptions) throws(FCMRefusal) {
    let showsOptions = Self.showsOptions(message)
    let text = { (text: String?) in text.flatMap { $0.isEmpty ? nil : $0 } }
    title = text(message.display?.title) ?? (showsOptions ? options[GoogleOptions.keys.title] : nil)
    body = text(message.display?.body) ?? (showsOptions ? options[GoogleOptions.keys.body] : nil)
    image = text(message.display?.image)
    guard !content.isEmpty else { return }
    switch message.form {
    case .message, .text: data = [Member(name: "message", value: String(decoding: content, as: UTF8.self))]
    case .members: data = try Self.members(content)
    }
  }

  /// Only the type `fcm` shows what the options say; the others leave it to the app. Spec: GMS 7.3.
  ///
  /// A data message, which is the app's own members and nothing to show, stays one: with a notification the app would
  /// not be woken to decide. Spec: support requests 6.1.
  private static func showsOptions(_ message: PushMessage) -> Bool {
    let isData = message.form == .members && message.display == nil && message.alert.isEmpty
    return message.target.pushType == .fcm && !isData
  }

  /// The content so that it fits: shortened, or else the message's compact form.
  /// - Throws: why this message can never pass.
  static func fitting(
    _ bytesMaximum: Int, _ message: PushMessage, _ options: PushOptions
  ) throws(FCMRefusal) -> FCMContent {
    if let fitted = try FCMContent(message, options).fitted(bytesMaximum) { return fitted }
    if let compact = message.compactContent,
      let fitted = try FCMContent(message, compact, options).fitted(bytesMaximum)
    {
      return fitted
    }
    throw FCMRefusal("payload too large")
  }

  /// Strings as they are, everything else as its JSON text.
  private static func members(_ content: [UInt8]) throws(FCMRefusal) -> [Member] {
    let parsed = content.withUnsafeBytes { buffer in
      Result { () throws(JSONError) -> [Member] in try scan(buffer) }
    }
    guard let members = try? parsed.get() else { throw FCMRefusal("content") }
    guard !members.contains(where: { isReserved($0.name) }) else { throw FCMRefusal("content: reserved key") }
    return members
  }

  /// By the scanner, so that numbers stay as they were written.
  private static func scan(_ content: UnsafeRawBufferPointer) throws(JSONError) -> [Member] {
    var scanner = try JSONScanner(content)
    var members: [Member] = []
    var places: [ExactText: Int] = [:]
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      let isString = try scanner.peekKind() == .string
      let value = isString ? try scanner.string() : String(decoding: try scanner.rawValue(), as: UTF8.self)
      let name = key.text
      let exact = ExactText(name)
      if let place = places[exact] {
        members[place].value = value
      } else {
        places[exact] = members.count
        members.append(Member(name: name, value: value))
      }
    }
    try scanner.end()
    return members
  }

  /// Spec: providers 3.2.
  static func isReserved(_ name: String) -> Bool {
    name.isEmpty || name == "from" || name == "message_type" || name.hasPrefix("google") || name.hasPrefix("gcm")
  }

  // MARK: Size

  /// Data and notification as JSON text: never less than what FCM counts.
  var payloadBytes: Int {
    let both = JSONWriter.array(capacity: 1_024) { both in
      if !data.isEmpty { both.object { writeData(into: &$0) } }
      if hasNotification { both.object { writeNotification(into: &$0) } }
    }
    return both.count - "[]".utf8.count
  }

  /// This content, with less of the transcript, then with less of the shown text, so that it fits; nil if it cannot.
  /// Spec: GMS 7.3.
  func fitted(_ bytesMaximum: Int) -> FCMContent? {
    if payloadBytes <= bytesMaximum { return self }
    var content = self
    content.shortenTranscript(bytesMaximum)
    if content.payloadBytes <= bytesMaximum { return content }
    guard let body else { return nil }
    let shortened = PushText.shortened(body) { text in
      content.body = text
      return content.payloadBytes <= bytesMaximum
    }
    guard let shortened else { return nil }
    content.body = shortened
    return content
  }

  private mutating func shortenTranscript(_ bytesMaximum: Int) {
    guard data.count == 1, data[0].name == "message", let message = try? JSONValue(parsing: data[0].value).object
    else { return }
    var candidate = self
    let lean = message.withLessTranscript(marked: false) { message in
      candidate.data[0].value = String(decoding: JSONValue.object(message).text, as: UTF8.self)
      return candidate.payloadBytes <= bytesMaximum
    }
    if lean != message { data[0].value = String(decoding: JSONValue.object(lean).text, as: UTF8.self) }
  }

  // MARK: Text

  func writeData(into object: inout JSONObjectWriter) {
    for member in data { object.member(named: member.name, member.value) }
  }

  func writeNotification(into object: inout JSONObjectWriter) {
    object.member("title", ifPresent: title)
    object.member("body", ifPresent: body)
    object.member("image", ifPresent: image)
  }
}

/// Why a message can never be sent: a few words for the journal, without its texts.
struct FCMRefusal: Error, Equatable {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}
