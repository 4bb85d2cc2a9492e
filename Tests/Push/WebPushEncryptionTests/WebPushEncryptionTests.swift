import Crypto
import Foundation
import Testing

@testable import WebPushEncryption

@Suite("Encryption for a page's subscription")
struct WebPushEncryptionTests {
  @Test("the example of RFC 8291")
  func rfc8291() throws {
    let receiver = try WebPushReceiver(
      publicKey: bytes("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
      authenticationSecret: bytes("BTBZMqHH6r4Tts7J_aSIgg"))
    let keys = try MessageKeys(
      privateKey: P256.KeyAgreement.PrivateKey(
        rawRepresentation: bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")),
      salt: bytes("DGv6ra1nlYgDCS1FRnbzlw"))
    let text = Array("When I grow up, I want to be a watermelon".utf8)
    #expect(
      try AES128GCM.encrypt(text, for: receiver, keys: keys)
        == bytes(
          "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8w"
            + "EqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"))
  }

  @Test("the example of draft-ietf-webpush-encryption-04, 5")
  func draft04() throws {
    let keys = try MessageKeys(
      privateKey: P256.KeyAgreement.PrivateKey(
        rawRepresentation: bytes("nCScek-QpEjmOOlT-rQ38nZzvdPlqa00Zy0i6m2OJvY")),
      salt: bytes("lngarbyKfMoi9Z75xYXmkg"))
    let message = try AESGCM.encrypt(Array("I am the walrus".utf8), for: Self.receiver, keys: keys)
    #expect(message.body == bytes("6nqAQUME8hNqw5J3kl8cpVVJylXKYqZOeseZG8UueKpA"))
    #expect(message.encryption == "salt=lngarbyKfMoi9Z75xYXmkg==")
    #expect(
      message.cryptoKey
        == "dh=BNoRDbb84JGm8g5Z5CFxurSqsXWJ11ItfXEWYVLE85Y7CYkDjXsIEc4aqxYaQ1G8BqkXCJ6DPpDrWtdWj_mugHU=")
  }

  @Test("the longest text of aes128gcm is 3,993 bytes and makes a body of 4,096; no two bodies are alike")
  func aes128gcmSize() throws {
    #expect(AES128GCM.textBytesMaximum == 3_993)
    let text = [UInt8](repeating: 120, count: AES128GCM.textBytesMaximum)
    let bodies = try (0..<2).map { _ in try AES128GCM.encrypt(text, for: Self.receiver) }
    #expect(bodies.allSatisfy { $0.count == 4_096 } && bodies[0].prefix(86) != bodies[1].prefix(86))
    #expect(throws: WebPushEncryptionFailure.textTooLong) { try AES128GCM.encrypt(text + [120], for: Self.receiver) }
  }

  @Test("an aesgcm body ends with a record that is not full", arguments: [(0, 18), (4_093, 4_111), (4_094, 4_130)])
  func aesgcmSize(text: Int, body: Int) throws {
    let message = try AESGCM.encrypt([UInt8](repeating: 120, count: text), for: Self.receiver)
    #expect(message.body.count == body)
  }

  @Test("a text beyond the limit is refused")
  func tooLong() {
    let text = [UInt8](repeating: 120, count: AESGCM.textBytesMaximum + 1)
    #expect(throws: WebPushEncryptionFailure.textTooLong) { try AESGCM.encrypt(text, for: Self.receiver) }
  }

  @Test(
    "what is no point of the curve",
    arguments: [
      [], [4], [UInt8](repeating: 0, count: 65), [4] + [UInt8](repeating: 1, count: 64),
      [2] + Self.receiver.publicKeyPoint[1...32], Self.receiver.publicKeyPoint + [0],
    ] as [[UInt8]])
  func malformedPoint(point: [UInt8]) {
    #expect(throws: WebPushEncryptionFailure.invalidPublicKey) {
      try AESGCM.encrypt([], publicKey: point, authenticationSecret: [UInt8](repeating: 7, count: 16))
    }
  }

  @Test("what is no secret", arguments: [0, 15, 17])
  func malformedSecret(count: Int) {
    #expect(throws: WebPushEncryptionFailure.invalidSecret) {
      try WebPushReceiver(
        publicKey: Self.receiver.publicKeyPoint, authenticationSecret: [UInt8](repeating: 7, count: count))
    }
  }

  /// Of the draft's example.
  static let receiver: WebPushReceiver = {
    do {
      return try WebPushReceiver(
        publicKey: bytes("BCEkBjzL8Z3C-oi2Q7oE5t2Np-p7osjGLg93qUP0wvqRT21EEWyf0cQDQcakQMqz4hQKYOQ3il2nNZct4HgAUQU"),
        authenticationSecret: bytes("R29vIGdvbyBnJyBqb29iIQ"))
    } catch { preconditionFailure("the example has a point of the curve") }
  }()
}

/// Base64, URL-safe; padding may be missing. Nothing at all if it is something else.
func bytes(_ text: String) -> [UInt8] {
  let standard = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
  let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
  return Data(base64Encoded: standard.hasSuffix("=") ? standard : standard + padding).map(Array.init) ?? []
}
