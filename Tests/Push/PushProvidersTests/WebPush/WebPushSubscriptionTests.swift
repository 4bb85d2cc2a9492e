import Foundation
import PushDomain
import Testing

@testable import PushProviders

@Suite("Web Push subscriptions")
struct WebPushSubscriptionTests {
  static let point =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"

  static func text(
    endpoint: String = "https://a.test/x", point: String = point,
    auth: String = "BTBZMqHH6r4Tts7J_aSIgg"
  ) -> String {
    #"{"endpoint":"\#(endpoint)","keys":{"p256dh":"\#(point)","auth":"\#(auth)"}}"#
  }

  @Test("keys with padding or in the other alphabet are the same keys")
  func alphabets() throws {
    let other =
      Self.point.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
      + "="
    // A point that was read wrongly would not be on the curve.
    #expect(WebPushSubscription(Self.text(point: other, auth: "BTBZMqHH6r4Tts7J/aSIgg==")) != nil)
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
