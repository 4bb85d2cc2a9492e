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
    return JSONWriter.object(capacity: content.count + 256) { payload in
      payload.member("title", ifPresent: display.title)
      payload.member("subtitle", ifPresent: display.subtitle)
      payload.member("body", ifPresent: display.body ?? (message.alert.isEmpty ? nil : message.alert))
      payload.member("image", ifPresent: display.image)
      payload.member("sound", ifPresent: display.sound)
      payload.member("badge", ifPresent: display.badge)
      payload.member("thread_id", ifPresent: display.threadID)
      payload.member("category", ifPresent: display.category)
      if !content.isEmpty { payload.member("data", RawJSON(content)) }
    }
  }
}
