import TextEncoding

internal import struct Crypto.SymmetricKey

#if canImport(FoundationEssentials)
  internal import struct FoundationEssentials.Data
#else
  internal import struct Foundation.Data
#endif

/// Encrypts a text for one subscription: content coding `aesgcm`, the older one, that the clients of Firebase's web
/// registration decrypt. Spec: draft-ietf-webpush-encryption-04, draft-ietf-httpbis-encryption-encoding-03, GCM D4.4.
public enum AESGCM {
  /// Text of a full record, its padding's length included. It is the default, which no header needs to name.
  public static let recordBytes = 4_096
  /// A message of ours with both of its payloads fits several times; browsers that take one record only take the first
  /// 4,093 bytes of it.
  public static let textBytesMaximum = 65_536
  private static let paddingLengthBytes = 2

  /// Encrypts with a fresh key and salt.
  /// - Parameters:
  ///   - publicKey: the receiver's uncompressed P-256 point.
  ///   - authenticationSecret: the receiver's, 16 bytes.
  public static func encrypt(
    _ text: [UInt8], publicKey: [UInt8], authenticationSecret: [UInt8]
  ) throws(WebPushEncryptionFailure) -> AESGCMMessage {
    try encrypt(text, for: WebPushReceiver(publicKey: publicKey, authenticationSecret: authenticationSecret))
  }

  /// Encrypts with a fresh key and salt.
  public static func encrypt(
    _ text: [UInt8], for receiver: WebPushReceiver
  ) throws(WebPushEncryptionFailure) -> AESGCMMessage {
    try encrypt(text, for: receiver, keys: MessageKeys())
  }

  package static func encrypt(
    _ text: [UInt8], for receiver: WebPushReceiver, keys: MessageKeys
  ) throws(WebPushEncryptionFailure) -> AESGCMMessage {
    guard text.count <= textBytesMaximum else { throw .textTooLong }
    let point = keys.publicKeyPoint
    let input = keys.inputKey(for: receiver, info: Array("Content-Encoding: auth\0".utf8))
    let context = Array("P-256\0".utf8) + lengthPrefixed(receiver.publicKeyPoint) + lengthPrefixed(point)
    func derive(_ purpose: String, _ byteCount: Int) -> SymmetricKey {
      keys.derive(from: input, info: Array("Content-Encoding: \(purpose)\0".utf8) + context, byteCount: byteCount)
    }
    let cipher = RecordCipher(
      key: derive("aesgcm", RecordCipher.keyBytes), nonce: derive("nonce", RecordCipher.nonceBytes))
    return AESGCMMessage(body: seal(text, with: cipher), senderPoint: point, salt: keys.salt)
  }

  /// The last record is the one that is shorter than the others: there is always one, if need be an empty one.
  private static func seal(_ text: [UInt8], with cipher: RecordCipher) -> [UInt8] {
    let textOfFullRecord = recordBytes - paddingLengthBytes
    let noPadding = [UInt8](repeating: 0, count: paddingLengthBytes)
    var body: [UInt8] = []
    for index in 0...(text.count / textOfFullRecord) {
      let part = text[(index * textOfFullRecord)...].prefix(textOfFullRecord)
      body += cipher.seal(noPadding + part, at: UInt32(index))
    }
    return body
  }

  private static func lengthPrefixed(_ point: [UInt8]) -> [UInt8] {
    withUnsafeBytes(of: UInt16(point.count).bigEndian, Array.init) + point
  }
}

/// A body in the content coding `aesgcm`, and the two headers that belong to it.
public struct AESGCMMessage: Sendable, Equatable {
  public let body: [UInt8]
  let senderPoint: [UInt8]
  let salt: [UInt8]

  /// The value of `Crypto-Key`: `dh=…`.
  public var cryptoKey: String { "dh=" + Self.text(senderPoint) }
  /// The value of `Encryption`: `salt=…`.
  public var encryption: String { "salt=" + Self.text(salt) }

  /// URL-safe, with padding: the drafts do without, but the Python clients cannot. Spec: GCM D4.4, seen.
  private static func text(_ bytes: [UInt8]) -> String {
    Base64.encodeForURL(bytes, isPadded: true)
  }
}
