internal import struct Crypto.SymmetricKey

/// Encrypts a text for one subscription: content coding `aes128gcm`, one record. Spec: RFC 8188, RFC 8291.
public enum AES128GCM {
  /// The one record's size, header, delimiter and tag included: what every push service takes. Spec: RFC 8030, 7.2.
  public static let recordBytes = 4_096
  /// Bytes of text that fit: the rest is salt, sizes, our key, the delimiter and the tag.
  public static let textBytesMaximum =
    recordBytes - (MessageKeys.saltBytes + 4 + 1 + WebPushReceiver.publicKeyBytes) - 1 - RecordCipher.tagBytes

  /// Encrypts with a fresh key and salt; they are in the body.
  public static func encrypt(
    _ text: [UInt8], for receiver: WebPushReceiver
  ) throws(WebPushEncryptionFailure) -> [UInt8] {
    try encrypt(text, for: receiver, keys: MessageKeys())
  }

  package static func encrypt(
    _ text: [UInt8], for receiver: WebPushReceiver, keys: MessageKeys
  ) throws(WebPushEncryptionFailure) -> [UInt8] {
    guard text.count <= textBytesMaximum else { throw .textTooLong }
    let point = keys.publicKeyPoint
    let input = keys.inputKey(
      for: receiver, info: Array("WebPush: info\0".utf8) + receiver.publicKeyPoint + point)
    func derive(_ purpose: String, _ byteCount: Int) -> SymmetricKey {
      keys.derive(from: input, info: Array("Content-Encoding: \(purpose)\0".utf8), byteCount: byteCount)
    }
    let cipher = RecordCipher(
      key: derive("aes128gcm", RecordCipher.keyBytes), nonce: derive("nonce", RecordCipher.nonceBytes))
    let size = withUnsafeBytes(of: UInt32(recordBytes).bigEndian, Array.init)
    // 2 ends the last record.
    return keys.salt + size + [UInt8(point.count)] + point + cipher.seal(text + [2])
  }
}
