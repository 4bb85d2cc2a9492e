import Crypto
import TextEncoding

extension VerificationKey.Algorithm {
  /// The left half of the text's hash, by the hash that the algorithm uses itself.
  /// Spec: OpenID Connect Core 1.0, 3.1.3.6; RFC 8032, 5.1.
  package func leftHalfOfHash(of text: String) -> String {
    let bytes = Array(text.utf8)
    let hash = self == .edDSA ? Array(SHA512.hash(data: bytes)) : Array(SHA256.hash(data: bytes))
    return Base64.encodeForURL(hash.prefix(hash.count / 2))
  }
}
