internal import JSONEnvelope
internal import PushDomain
internal import WebPushEncryption

/// The text that the page's service worker gets: the content itself, or what is to be displayed with the content as its
/// `data`. Spec: providers 6.
///
/// ```
/// {"title":"…","body":"…","data":{…}}
/// ```
enum WebPushPayload {
  /// The content, or without its bulk if it is too long; nil if that is too long, too.
  static func text(of message: PushMessage) -> [UInt8]? {
    for content in [message.content, message.compactContent].compactMap(\.self) {
      let text = text(content, message)
      if text.count <= AES128GCM.textBytesMaximum { return text }
    }
    return nil
  }

  private static func text(_ content: [UInt8], _ message: PushMessage) -> [UInt8] {
    guard let display = message.display else { return content.isEmpty ? Array("{}".utf8) : content }
    var writer = JSONWriter(capacity: content.count + 256)
    writer.beginObject()
    func text(_ name: StaticString, _ value: String?) {
      guard let value else { return }
      writer.key(name)
      writer.string(value)
    }
    text("title", display.title)
    text("subtitle", display.subtitle)
    text("body", display.body ?? (message.alert.isEmpty ? nil : message.alert))
    text("image", display.image)
    text("sound", display.sound)
    if let badge = display.badge {
      writer.key("badge")
      writer.integer(badge)
    }
    text("thread_id", display.threadID)
    text("category", display.category)
    if !content.isEmpty {
      writer.key("data")
      writer.raw(content)
    }
    writer.endObject()
    return writer.bytes
  }
}
