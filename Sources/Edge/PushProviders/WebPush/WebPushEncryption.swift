internal import Crypto

#if canImport(FoundationEssentials)
  internal import struct FoundationEssentials.Data
#else
  internal import struct Foundation.Data
#endif

/// Encrypts a text for one subscription: content coding `aes128gcm`, one record. Spec: RFC 8188, RFC 8291.
enum WebPushEncryption {
  /// The one record's size, header, delimiter and tag included: what every push service takes. Spec: RFC 8030, 7.2.
  static let recordBytes = 4_096
  /// Bytes of text that fit: the rest is salt, sizes, our key, the delimiter and the tag.
  static let textBytesMaximum = recordBytes - (16 + 4 + 1 + 65) - 1 - 16

  /// - Parameters:
  ///   - key: a fresh one for every message.
  ///   - salt: 16 random bytes.
  /// - Precondition: the text is not longer than `textBytesMaximum`.
  static func encrypt(
    _ text: [UInt8], for subscription: WebPushSubscription, key: P256.KeyAgreement.PrivateKey, salt: [UInt8]
  ) throws -> [UInt8] {
    precondition(text.count <= textBytesMaximum, "the text fits into one record")
    let ours = Array(key.publicKey.x963Representation)
    let theirs = Array(subscription.publicKey.x963Representation)
    let secret = try key.sharedSecretFromKeyAgreement(with: subscription.publicKey)
    let input = secret.hkdfDerivedSymmetricKey(
      using: SHA256.self, salt: subscription.secret, sharedInfo: Array("WebPush: info\0".utf8) + theirs + ours,
      outputByteCount: 32)
    func derive(_ purpose: String, _ count: Int) -> SymmetricKey {
      HKDF<SHA256>.deriveKey(
        inputKeyMaterial: input, salt: salt, info: Array("Content-Encoding: \(purpose)\0".utf8), outputByteCount: count)
    }
    let nonce = try derive("nonce", 12).withUnsafeBytes { try AES.GCM.Nonce(data: $0) }
    // 2 ends the last record.
    let box = try AES.GCM.seal(text + [2], using: derive("aes128gcm", 16), nonce: nonce)
    let size = UInt32(recordBytes)
    let sizeBytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) }
    return salt + sizeBytes + [UInt8(ours.count)] + ours + Array(box.ciphertext) + Array(box.tag)
  }

  /// Encrypts with a fresh key and salt.
  static func encrypt(_ text: [UInt8], for subscription: WebPushSubscription) throws -> [UInt8] {
    let salt = SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }
    return try encrypt(text, for: subscription, key: P256.KeyAgreement.PrivateKey(), salt: salt)
  }
}
