public import PushDomain

/// Type `httpcb`: POST to the URL that the app gave as its device id; the body is the message itself. Spec: GMS 7.3.
public struct HTTPCallbackProvider: PushProvider {
  private let courier: WebhookCourier
  private let allowsPrivateAddresses: Bool

  /// - Parameter allowsPrivateAddresses: setting `httpcb.allow_private_addresses`. The URLs come from apps: a server
  ///   that strangers can reach should say false, so that nobody can make it post into the operator's own network. True
  ///   by default, since receivers of a self-hosted server usually stand on that very network.
  public init(courier: WebhookCourier, allowsPrivateAddresses: Bool = true) {
    self.courier = courier
    self.allowsPrivateAddresses = allowsPrivateAddresses
  }

  public var types: Set<String> { ["httpcb"] }

  public func deliver(_ delivery: PushDelivery) async -> PushOutcome {
    guard let url = WebhookURL(delivery.message.target.deviceID) else { return .refused(reason: "invalid URL") }
    return await courier.post(
      delivery.message.content, to: url, allowsPrivateAddresses: allowsPrivateAddresses)
  }
}
