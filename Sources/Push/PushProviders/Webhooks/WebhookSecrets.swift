internal import Crypto
public import EventSourcing
import OptionKit
public import PushDomain
import TextEncoding

/// What an endpoint's requests are signed with. Spec: providers 4.1, Standard Webhooks 1.0.0.
///
/// Its values are secrets and appear in no description.
public struct WebhookSecrets: Sendable, CustomStringConvertible {
  /// Bytes of a shared secret.
  public static let secretBytes = 24...64

  private var current: SymmetricKey?
  private var previous: SymmetricKey?
  private var previousUntil: Timestamp?
  private var signingKey: Curve25519.Signing.PrivateKey?

  /// Nothing is signed.
  public static let none = WebhookSecrets()

  private init() {}

  /// - Parameters:
  ///   - secret: `whsec_` and base64 of 24 to 64 bytes.
  ///   - previous: the secret before it; both sign.
  ///   - previousUntil: from this moment on the previous one signs no more; nil for never.
  ///   - signingKey: `whsk_` and base64 of an Ed25519 key: its 32 bytes, or those and the public key's.
  /// - Throws: one of them is malformed.
  public init(secret: String?, previous: String? = nil, previousUntil: Timestamp? = nil, signingKey: String? = nil)
    throws(OptionProblem)
  {
    current = try Self.sharedSecret(secret, WebhookOptions.keys.secret.name)
    self.previous = try Self.sharedSecret(previous, WebhookOptions.keys.previousSecret.name)
    self.previousUntil = previousUntil
    self.signingKey = try Self.privateKey(signingKey, WebhookOptions.keys.signingKey.name)
  }

  /// Reads `webhooks.secret`, `webhooks.previous_secret`, `webhooks.previous_secret_until` (`2026-01-31T12:00:00Z`) and
  /// `webhooks.signing_key`.
  /// - Throws: one of them is malformed.
  public init(_ options: PushOptions) throws(OptionProblem) {
    var until: Timestamp?
    if let text = options[WebhookOptions.keys.previousSecretUntil] {
      guard let timestamp = Timestamp(iso8601: text) else {
        throw OptionProblem(malformed: WebhookOptions.keys.previousSecretUntil.name)
      }
      until = timestamp
    }
    try self.init(
      secret: options[WebhookOptions.keys.secret], previous: options[WebhookOptions.keys.previousSecret],
      previousUntil: until,
      signingKey: options[WebhookOptions.keys.signingKey])
  }

  public var description: String { "webhook secrets" }

  /// The value of `webhook-signature`: each signature of `id.timestamp.body` with the name of its kind, separated by
  /// blanks; nil if there is no secret.
  func signatures(id: String, at now: Timestamp, _ body: [UInt8]) -> String? {
    let text = Array("\(id).\(now.wholeSeconds).".utf8) + body
    var signatures: [String] = []
    for secret in [current, isPreviousValid(at: now) ? previous : nil].compactMap(\.self) {
      signatures.append("v1,\(Base64.encode(HMAC<SHA256>.authenticationCode(for: text, using: secret)))")
    }
    // Signing with a key that has been read cannot fail.
    if let signature = try? signingKey?.signature(for: text) { signatures.append("v1a,\(Base64.encode(signature))") }
    return signatures.isEmpty ? nil : signatures.joined(separator: " ")
  }

  private func isPreviousValid(at now: Timestamp) -> Bool { previousUntil.map { now < $0 } ?? true }

  private static func sharedSecret(_ text: String?, _ option: String) throws(OptionProblem) -> SymmetricKey? {
    guard let text, !text.isEmpty else { return nil }
    guard text.hasPrefix("whsec_"), let bytes = Base64.decode(text.dropFirst(6)), secretBytes.contains(bytes.count)
    else { throw OptionProblem(malformed: option) }
    return SymmetricKey(data: bytes)
  }

  private static func privateKey(_ text: String?, _ option: String) throws(OptionProblem) -> Curve25519.Signing
    .PrivateKey?
  {
    guard let text, !text.isEmpty else { return nil }
    guard text.hasPrefix("whsk_"), let bytes = Base64.decode(text.dropFirst(5)), [32, 64].contains(bytes.count),
      let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes.prefix(32)),
      bytes.count == 32 || key.publicKey.rawRepresentation.elementsEqual(bytes.suffix(32))
    else { throw OptionProblem(malformed: option) }
    return key
  }
}
