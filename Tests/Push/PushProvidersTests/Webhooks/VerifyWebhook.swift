import Crypto
import Foundation

/// Is a webhook genuine? Standard Webhooks, with swift-crypto (`CryptoKit` on Apple's systems). A sample for who receives
/// them, to be taken as it stands.
///
/// - Parameters:
///   - secret: `whsec_…`.
///   - id: the header `webhook-id`; the same however often a webhook comes.
///   - timestamp: the header `webhook-timestamp`.
///   - signatures: the header `webhook-signature`.
///   - body: the bytes as they came, before anything has read them as JSON.
func isGenuine(
  secret: String, id: String, timestamp: String, signatures: String, body: Data, now: Date = Date()
) -> Bool {
  let tolerance = 300.0
  let text = secret.hasPrefix("whsec_") ? String(secret.dropFirst(6)) : secret
  guard let key = Data(base64Encoded: text), let seconds = UInt32(timestamp),
    abs(now.timeIntervalSince1970 - Double(seconds)) <= tolerance
  else { return false }
  let signed = Data("\(id).\(timestamp).".utf8) + body
  return signatures.split(separator: " ").contains { each in
    let parts = each.split(separator: ",", maxSplits: 1)
    guard parts.count == 2, parts[0] == "v1", let code = Data(base64Encoded: String(parts[1])) else { return false }
    return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: signed, using: SymmetricKey(data: key))
  }
}
