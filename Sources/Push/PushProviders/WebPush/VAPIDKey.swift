internal import Crypto
import TextEncoding

/// The application server's key: what a browser's subscription was made with. Spec: RFC 8292.
struct VAPIDKey: Sendable {
  let privateKey: P256.Signing.PrivateKey
  /// 65 bytes, base64url.
  let publicText: String

  /// Reads base64url of the 32 bytes, or PEM; nil if it is neither.
  init?(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let trimmed = text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()
    let word = String(trimmed)
    if word.hasPrefix("-----BEGIN") {
      guard let key = try? P256.Signing.PrivateKey(pemRepresentation: word) else { return nil }
      privateKey = key
    } else {
      guard let raw = Base64.decode(word), let key = try? P256.Signing.PrivateKey(rawRepresentation: raw) else {
        return nil
      }
      privateKey = key
    }
    publicText = Base64.encodeForURL(privateKey.publicKey.x963Representation)
  }
}
