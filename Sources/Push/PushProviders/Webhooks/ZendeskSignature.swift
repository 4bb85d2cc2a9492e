internal import Crypto
internal import EventSourcing
import OptionKit
internal import PushDomain
import TextEncoding

/// Zendesk's own signature of webhooks, beside Standard Webhooks' one: base64 of the HMAC-SHA256 of the timestamp and
/// the body, one after the other. Spec: support requests 5.2.
struct ZendeskSignature: Sendable {
  /// Bytes of the secret, which is used as the text that it is.
  static let secretBytesMaximum = 1_024

  private let key: SymmetricKey

  /// Reads `support.zendesk_signature_secret`; nil if it is not set.
  /// - Throws: it is too long.
  init?(_ options: PushOptions) throws(OptionProblem) {
    guard let secret = options[SupportPushOptions.keys.zendeskSecret] else { return nil }
    guard secret.utf8.count <= Self.secretBytesMaximum else {
      throw OptionProblem(malformed: SupportPushOptions.keys.zendeskSecret.name)
    }
    key = SymmetricKey(data: Array(secret.utf8))
  }

  func headers(for body: [UInt8], at now: Timestamp) -> [(name: String, value: String)] {
    let timestamp = now.iso8601
    let code = HMAC<SHA256>.authenticationCode(for: Array(timestamp.utf8) + body, using: key)
    return [
      ("X-Zendesk-Webhook-Signature-Timestamp", timestamp), ("X-Zendesk-Webhook-Signature", Base64.encode(code)),
    ]
  }
}
