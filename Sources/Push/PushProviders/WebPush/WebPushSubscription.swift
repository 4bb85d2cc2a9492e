internal import JSONEnvelope
import TextEncoding
internal import WebPushEncryption

/// Where a browser's pushes go, and whom they are encrypted for: the device id of type `webpush`. Spec: providers 6.
///
/// ```
/// {"endpoint":"https://…","keys":{"p256dh":"<65-byte point>","auth":"<16 bytes>"}}
/// ```
struct WebPushSubscription: Sendable {
  static let textBytesMaximum = 4_096

  let endpoint: WebhookURL
  let receiver: WebPushReceiver

  /// Nil if the text is not that.
  init?(_ text: String) {
    guard text.utf8.count <= Self.textBytesMaximum, let json = try? JSONValue(parsing: text),
      let endpoint = json["endpoint"]?.string.flatMap({ WebhookURL($0) }),
      let point = json["keys"]?["p256dh"]?.string.flatMap({ Base64.decode($0) }),
      let secret = json["keys"]?["auth"]?.string.flatMap({ Base64.decode($0) }),
      let receiver = try? WebPushReceiver(publicKey: point, authenticationSecret: secret)
    else { return nil }
    self.endpoint = endpoint
    self.receiver = receiver
  }

  /// The endpoint of a subscription, without the trouble of reading its keys.
  static func endpoint(of text: String) -> WebhookURL? {
    guard text.utf8.count <= textBytesMaximum else { return nil }
    return (try? JSONValue(parsing: text))?["endpoint"]?.string.flatMap { WebhookURL($0) }
  }
}
