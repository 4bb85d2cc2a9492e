internal import JSONEnvelope
public import PushDomain

/// Type `customhttp`: POST to the URL of option `customhttp.url`, which is the operator's. Spec: GMS 7.3.
///
/// ```
/// {"deviceId":"device-77","message":{"message":"New message from Agent", …}}
/// ```
public struct CustomHTTPProvider: PushProvider {
  private let courier: WebhookCourier

  public init(courier: WebhookCourier) { self.courier = courier }

  public var types: Set<String> { ["customhttp"] }

  public var requiredOptions: [String] { ["customhttp.url"] }

  public func deliver(_ delivery: PushDelivery) async -> PushOutcome {
    guard let text = delivery.options["customhttp.url"], !text.isEmpty else {
      return .refused(reason: "no customhttp.url")
    }
    guard let url = WebhookURL(text) else { return .refused(reason: "invalid customhttp.url") }
    var authorization: String?
    if let value = delivery.message.target.authorization, !value.isEmpty {
      guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return .refused(reason: "invalid authorization") }
      authorization = "Basic \(value)"
    }
    return await courier.post(Self.body(of: delivery), to: url, authorization: authorization)
  }

  static func body(of delivery: PushDelivery) -> [UInt8] {
    let message = delivery.message
    var writer = JSONWriter(capacity: message.content.count + message.target.deviceID.utf8.count + 32)
    writer.beginObject()
    writer.key("deviceId")
    writer.string(message.target.deviceID)
    writer.key("message")
    if message.content.isEmpty {
      // A notification without content gets the operator's fixed text.
      writer.string(delivery.options["customhttp.message"] ?? message.alert)
    } else {
      writer.raw(message.content)
    }
    writer.endObject()
    return writer.bytes
  }
}
