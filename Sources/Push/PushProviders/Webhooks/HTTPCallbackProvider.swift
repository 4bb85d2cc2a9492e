import OptionKit
public import PushDomain

/// Type `httpcb`: POST to the URL that the app gave as its device id; the body is the message itself. Spec: GMS 7.3.
///
/// The URLs come from apps, so `EndpointPolicy` holds; option `httpcb.allow_private_addresses` = `true` opens all of
/// the operator's own networks to them.
public struct HTTPCallbackProvider: PushProvider {
  private let courier: WebhookCourier

  public init(courier: WebhookCourier) { self.courier = courier }

  public var types: Set<String> { [PushType.httpcb.rawValue] }

  public func obstacle(_ target: PushAddress, _ options: PushOptions) -> String? {
    do {
      _ = try (
        WebhookSecrets(options), WebhookSuccess(options), courier.trust(WebhookOptions.keys.trustRootsFile, options)
      )
      _ = try Self.policy(options)
      return refusal(of: target, options)
    } catch { return error.description }
  }

  public func refusal(of target: PushAddress, _ options: PushOptions) -> String? {
    (try? Self.policy(options))?.objection(to: target.deviceID).map { "device id: \($0)" }
  }

  public func objection(to target: PushAddress, _ options: PushOptions) async -> String? {
    if let obstacle = obstacle(target, options) { return obstacle }
    do { return await courier.objection(to: target.deviceID, try Self.policy(options)) } catch {
      return error.description
    }
  }

  public func lane(of target: PushAddress, _ options: PushOptions) -> CourierLane {
    .webhook(PushType.httpcb.rawValue, target.deviceID, courier.settings)
  }

  public func deliver(_ delivery: PushDelivery) async -> PushOutcome {
    let (policy, secrets, success): (EndpointPolicy, WebhookSecrets, WebhookSuccess)
    do {
      (policy, secrets, success) = try (
        Self.policy(delivery.options), WebhookSecrets(delivery.options), WebhookSuccess(delivery.options)
      )
    } catch { return .laneBroken(reason: error.description) }
    return await courier.post(
      delivery.message.content, to: delivery.message.target.deviceID, id: delivery.id, secrets: secrets, policy: policy,
      success: success, caFile: delivery.options[WebhookOptions.keys.trustRootsFile],
      headers: WebhookCourier.headers(of: delivery.message), now: delivery.now,
      noteAnswer: delivery.noteAnswer)
  }

  public func reload() { courier.reload() }

  private static func policy(_ options: PushOptions) throws(OptionProblem) -> EndpointPolicy {
    try EndpointPolicy(options, allowsAllPrivate: options[HTTPCallbackOptions.keys.allowsPrivateAddresses])
  }
}
