internal import Crypto
internal import EventSourcing
internal import JSONEnvelope
internal import Synchronization
import TextEncoding

/// The tokens that say to a push service who we are, one for each service, used for most of their life. Spec: RFC 8292.
final class VAPIDTokens: Sendable {
  /// At most 24 h. Spec: RFC 8292, 2.
  static let life: Duration = .seconds(12 * 3_600)
  /// A token is replaced this long before its end: clocks differ.
  static let margin: Duration = .seconds(600)
  /// Services that are remembered; the endpoints come from clients.
  static let entriesMaximum = 1_024

  private struct Name: Hashable {
    let publicKey: String
    let subject: String
    let audience: String
  }

  private struct Token {
    let text: String
    let end: Timestamp
  }

  private let tokens = Mutex<[Name: Token]>([:])

  init() {}

  /// The value of `Authorization` for requests to one origin.
  func authorization(_ key: VAPIDKey, subject: String, audience: String, now: Timestamp) throws -> String {
    let name = Name(publicKey: key.publicText, subject: subject, audience: audience)
    let known = tokens.withLock { $0[name] }
    // A token that ends too late was made before the clock was set back.
    let latest = now.advanced(by: Self.life)
    if let known, known.end > now.advanced(by: Self.margin), known.end <= latest { return known.text }
    let text = "vapid t=\(try Self.sign(key, subject, audience, latest)),k=\(key.publicText)"
    tokens.withLock { tokens in
      if tokens.count >= Self.entriesMaximum, tokens[name] == nil,
        let oldest = tokens.min(by: { $0.value.end < $1.value.end })
      {
        tokens[oldest.key] = nil
      }
      tokens[name] = Token(text: text, end: latest)
    }
    return text
  }

  private static func sign(_ key: VAPIDKey, _ subject: String, _ audience: String, _ end: Timestamp) throws -> String {
    let claims = JSONWriter.object { claims in
      claims.member("aud", audience)
      claims.member("exp", end.wholeSeconds)
      claims.member("sub", subject)
    }
    let head = Base64.encodeForURL(#"{"typ":"JWT","alg":"ES256"}"#.utf8)
    let text = "\(head).\(Base64.encodeForURL(claims))"
    let signature = try key.privateKey.signature(for: Array(text.utf8))
    return "\(text).\(Base64.encodeForURL(signature.rawRepresentation))"
  }
}
