internal import Crypto

/// Whom a message is encrypted for: the public half of what a page's subscription decrypts with.
///
/// Spec: RFC 8291, 2.
public struct WebPushReceiver: Sendable {
  /// Bytes of an uncompressed P-256 point.
  public static let publicKeyBytes = 65
  public static let secretBytes = 16

  let publicKey: P256.KeyAgreement.PublicKey
  let secret: [UInt8]

  /// - Parameters:
  ///   - publicKey: `p256dh`: an uncompressed P-256 point.
  ///   - authenticationSecret: `auth`.
  /// - Throws: if the point is none of the curve's, or the secret is not `secretBytes` long.
  public init(publicKey: [UInt8], authenticationSecret: [UInt8]) throws(WebPushEncryptionFailure) {
    guard authenticationSecret.count == Self.secretBytes else { throw .invalidSecret }
    guard publicKey.count == Self.publicKeyBytes,
      let key = try? P256.KeyAgreement.PublicKey(x963Representation: publicKey)
    else { throw .invalidPublicKey }
    self.publicKey = key
    secret = authenticationSecret
  }

  /// The point, uncompressed.
  public var publicKeyPoint: [UInt8] { Array(publicKey.x963Representation) }
}

/// Why a text could not be encrypted.
public enum WebPushEncryptionFailure: Error, Sendable, Equatable {
  /// Not a point of the curve, uncompressed.
  case invalidPublicKey
  /// Not 16 bytes.
  case invalidSecret
  /// Longer than the content coding's `textBytesMaximum`.
  case textTooLong
}
