package import Crypto

/// What is fresh for each message: the sender's half of the key agreement, and the salt.
package struct MessageKeys: Sendable {
  package static let saltBytes = 16

  package let privateKey: P256.KeyAgreement.PrivateKey
  package let salt: [UInt8]

  package init() {
    self.init(
      privateKey: P256.KeyAgreement.PrivateKey(), salt: SymmetricKey(size: .bits128).withUnsafeBytes(Array.init))
  }

  /// Keys that are known beforehand: for the examples of the specifications.
  package init(privateKey: P256.KeyAgreement.PrivateKey, salt: [UInt8]) {
    precondition(salt.count == Self.saltBytes, "a salt has 16 bytes")
    self.privateKey = privateKey
    self.salt = salt
  }

  var publicKeyPoint: [UInt8] { Array(privateKey.publicKey.x963Representation) }

  /// What both sides know and nobody else: the agreed secret, mixed with the receiver's own.
  func inputKey(for receiver: WebPushReceiver, info: [UInt8]) -> SymmetricKey {
    // Fails for a point that is not on the curve alone, and `WebPushReceiver` has none.
    guard let agreed = try? privateKey.sharedSecretFromKeyAgreement(with: receiver.publicKey) else {
      preconditionFailure("a receiver's key is a point of the curve")
    }
    return agreed.hkdfDerivedSymmetricKey(
      using: SHA256.self, salt: receiver.secret, sharedInfo: info, outputByteCount: 32)
  }

  func derive(from input: SymmetricKey, info: [UInt8], byteCount: Int) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(inputKeyMaterial: input, salt: salt, info: info, outputByteCount: byteCount)
  }
}

/// AES-128-GCM over the records of one message. Spec: RFC 8188, 2.3.
struct RecordCipher {
  static let keyBytes = 16
  static let nonceBytes = 12
  static let tagBytes = 16

  private let key: SymmetricKey
  private let baseNonce: [UInt8]

  init(key: SymmetricKey, nonce: SymmetricKey) {
    self.key = key
    baseNonce = nonce.withUnsafeBytes(Array.init)
  }

  /// - Parameter index: of the record in its message; each has a nonce of its own.
  func seal(_ record: [UInt8], at index: UInt32 = 0) -> [UInt8] {
    var nonce = baseNonce
    for (offset, shift) in zip(nonce.indices.suffix(4), [24, 16, 8, 0]) {
      nonce[offset] ^= UInt8(truncatingIfNeeded: index >> UInt32(shift))
    }
    guard let nonce = try? AES.GCM.Nonce(data: nonce), let box = try? AES.GCM.seal(record, using: key, nonce: nonce)
    else { preconditionFailure("key and nonce have the cipher's sizes") }
    return Array(box.ciphertext) + Array(box.tag)
  }
}
