import Crypto
import TextEncoding

/// What the cookie of a signed-in browser holds: 32 random bytes, which are kept nowhere else.
package struct SessionSecret: Sendable {
  private let bytes: [UInt8]

  /// A new one.
  package init() { bytes = TokenStore.randomBytes(Self.byteCount) }

  /// Nil for a text that is none of ours.
  package init?(_ text: some StringProtocol) {
    // Looked at first: a cookie may be as long as a head.
    guard text.utf8.count == Self.textByteCount, let bytes = Base64.decode(text), bytes.count == Self.byteCount else {
      return nil
    }
    self.bytes = bytes
  }

  private static let byteCount = 32
  private static let textByteCount = 43

  /// As the cookie has it.
  package var text: String { Base64.encodeForURL(bytes) }

  /// By which the session is found: nobody gets from here to the secret, so that it may be journalled and shown.
  package var key: String { Hexadecimal.encode(Array(SHA256.hash(data: bytes))) }

  /// What a page of this server shows with each change that it asks for, and a page of another cannot know. Follows from
  /// the secret and from nothing else, so that it is kept nowhere.
  package var antiForgeryToken: String {
    Base64.encodeForURL(
      HMAC<SHA256>.authenticationCode(for: Array("carillon csrf".utf8), using: SymmetricKey(data: bytes)))
  }
}
