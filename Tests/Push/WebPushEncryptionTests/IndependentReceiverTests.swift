import Foundation
import StandInSupport
import Testing
import WebPushEncryption

@Suite("Encryption, decrypted by http_ece", .enabled(if: StandIn.python != nil), .timeLimit(.minutes(1)))
struct IndependentReceiverTests {
  @Test("texts of any length, of one record and of several, in both codings")
  func decrypts() async throws {
    let standIn = try await StandIn.start("http_ece_receiver.py")
    defer { standIn.stop() }
    let receiver = try WebPushReceiver(
      publicKey: bytes(try #require(standIn.hello["p256dh"] as? String)),
      authenticationSecret: bytes(try #require(standIn.hello["auth"] as? String)))
    for length in [0, 1, 1_000, 3_993, 4_093, 4_094, 4_095, 8_187, 8_188, 8_189, 65_536] {
      let text = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let message = try AESGCM.encrypt(text, for: receiver)
      try standIn.send([
        "version": "aesgcm", "body": Data(message.body).base64EncodedString().urlSafe,
        "dh": String(message.cryptoKey.dropFirst("dh=".count)),
        "salt": String(message.encryption.dropFirst("salt=".count)),
      ])
      try await expect(text, from: standIn, "aesgcm, \(length) bytes")
      guard length <= AES128GCM.textBytesMaximum else { continue }
      let body = try AES128GCM.encrypt(text, for: receiver)
      try standIn.send(["version": "aes128gcm", "body": Data(body).base64EncodedString().urlSafe])
      try await expect(text, from: standIn, "aes128gcm, \(length) bytes")
    }
  }

  private func expect(_ text: [UInt8], from standIn: StandIn, _ what: Comment) async throws {
    let answer = try #require(await standIn.next(), what)
    #expect((answer["plain"] as? String).map(bytes) == text, what)
    #expect(answer["problem"] == nil, what)
  }
}

extension String {
  fileprivate var urlSafe: String {
    replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
  }
}
