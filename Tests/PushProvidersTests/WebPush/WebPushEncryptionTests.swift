import Crypto
import Foundation
import PushDomain
import Testing

@testable import PushProviders

@Suite("Web Push subscriptions and encryption")
struct WebPushEncryptionTests {
  static let point =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"

  static func text(
    endpoint: String = "https://a.test/x", point: String = point,
    auth: String = "BTBZMqHH6r4Tts7J_aSIgg"
  ) -> String {
    #"{"endpoint":"\#(endpoint)","keys":{"p256dh":"\#(point)","auth":"\#(auth)"}}"#
  }

  @Test("the example of RFC 8291")
  func example() throws {
    let subscription = try #require(WebPushSubscription(Self.text()))
    let key = try P256.KeyAgreement.PrivateKey(
      rawRepresentation: try #require(
        WebBase64.decode("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")))
    let salt = try #require(WebBase64.decode("DGv6ra1nlYgDCS1FRnbzlw"))
    let text = Array("When I grow up, I want to be a watermelon".utf8)
    let message = try WebPushEncryption.encrypt(text, for: subscription, key: key, salt: salt)
    #expect(
      WebBase64.encodeForURL(message)
        == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8w"
        + "EqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )
  }

  @Test("the longest text is 3,993 bytes and makes a body of 4,096; no two bodies are alike")
  func size() throws {
    let subscription = try #require(WebPushSubscription(Self.text()))
    #expect(WebPushEncryption.textBytesMaximum == 3_993)
    let text = [UInt8](repeating: 120, count: WebPushEncryption.textBytesMaximum)
    let bodies = try (0..<2).map { _ in try WebPushEncryption.encrypt(text, for: subscription) }
    #expect(bodies.allSatisfy { $0.count == 4_096 } && bodies[0].prefix(86) != bodies[1].prefix(86))
  }

  @Test("keys with padding or in the other alphabet are the same keys")
  func alphabets() throws {
    let other =
      Self.point.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
      + "="
    let subscription = try #require(
      WebPushSubscription(Self.text(point: other, auth: "BTBZMqHH6r4Tts7J/aSIgg==")))
    #expect(WebBase64.encodeForURL(subscription.publicKey.x963Representation) == Self.point)
  }

  @Test(
    "what is no subscription",
    arguments: [
      "", "https://a.test/x", "{}", "[]", #"{"endpoint":"https://a.test/x"}"#,
      text(endpoint: "ftp://a.test"), text(endpoint: ""),
      text(point: ""), text(point: String(point.dropLast(4))),
      text(point: "BA" + String(repeating: "A", count: 85)),
      text(point: "Ag" + point.dropFirst(2)), text(auth: "BTBZMqHH6r4Tts7J_aSI"), text(auth: ""),
      text(auth: "!"),
      text(endpoint: "https://a.test/" + String(repeating: "x", count: 4_096)),
    ])
  func malformed(text: String) async throws {
    #expect(WebPushSubscription(text) == nil)
    try await withCourier { courier in
      let delivery = PushDelivery.posting(
        .posted(to: PushAddress(type: "webpush", deviceID: text)),
        ["webpush.private_key": WebPushTests.keyText, "webpush.subject": "mailto:a@b"])
      let provider = WebPushProvider(courier: courier)
      #expect(
        provider.obstacle(delivery.message.target, delivery.options) == "device id: no subscription"
      )
      #expect(await provider.deliver(delivery) == .refused(reason: "device id: no subscription"))
    }
  }
}
