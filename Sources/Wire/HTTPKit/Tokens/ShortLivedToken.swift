import Crypto
package import EventSourcing
import TextEncoding

/// Access tokens that stand for a key for an hour, without anything being kept: the id of the key and the end of the
/// hour, under a seal whose secret dies with the process. After a restart clients get a 401 and ask for a new one.
///
/// Spec: GCM E2.
package struct ShortLivedToken: Sendable {
  package static let prefix = "cat_"
  package static let lifetimeSeconds: Int64 = 3_600

  private let secret = SymmetricKey(size: .bits256)

  package init() {}

  /// - Parameter tokenID: of the key.
  package func make(for tokenID: String, now: Timestamp) -> String {
    let expiry = now.milliseconds / 1_000 + Self.lifetimeSeconds
    let content = "\(tokenID).\(expiry)"
    return Self.prefix + content + "." + Base64.encodeForURL(seal(content))
  }

  /// The key's id; nil for a token that is not ours, or too old.
  package func tokenID(of token: String, now: Timestamp) -> String? {
    guard token.utf8.count <= EdgeLimits.secretBytesMaximum, token.hasPrefix(Self.prefix) else { return nil }
    let parts = token.dropFirst(Self.prefix.count).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let expiry = Int64(parts[1]), expiry > now.milliseconds / 1_000,
      ConstantTime.equal(String(parts[2]), Base64.encodeForURL(seal("\(parts[0]).\(parts[1])")))
    else { return nil }
    return String(parts[0])
  }

  private func seal(_ content: String) -> HMAC<SHA256>.MAC {
    HMAC<SHA256>.authenticationCode(for: Array(content.utf8), using: secret)
  }
}
