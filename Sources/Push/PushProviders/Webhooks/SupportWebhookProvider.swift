import OptionKit
public import PushDomain

/// What an app's owner is told about support requests: POST to the URL that is the device id; the content is the body,
/// byte for byte. Spec: support requests 5.
///
/// Type `support-webhook` carries notifications to the customer's backend, `support-events` what a help desk subscribes
/// to. Both are signed as all webhooks are; notifications also as Zendesk does if `support.zendesk_signature_secret` is
/// set. Any 2xx is a success, and the answer has to begin within `support.webhook_timeout` seconds.
///
/// The URLs come from tenants, so `EndpointPolicy` holds, and they must be `https` unless `support.test` is `true`.
public struct SupportWebhookProvider: PushProvider {
  /// Spec: support requests 5.
  public static let notificationType = PushType.supportWebhook.rawValue
  public static let eventType = PushType.supportEvents.rawValue

  private let courier: WebhookCourier

  public init(courier: WebhookCourier) { self.courier = courier }

  public var types: Set<String> { [Self.notificationType, Self.eventType] }

  public func obstacle(_ target: PushAddress, _ options: PushOptions) -> String? {
    do {
      let (terms, _) = try (Terms(target, options), courier.trust(WebhookOptions.keys.trustRootsFile, options))
      return terms.policy.objection(to: target.deviceID).map { "device id: \($0)" }
    } catch { return error.description }
  }

  public func objection(to target: PushAddress, _ options: PushOptions) async -> String? {
    do { return await courier.objection(to: target.deviceID, try Terms(target, options).policy) } catch {
      return error.description
    }
  }

  public func lane(of target: PushAddress, _ options: PushOptions) -> CourierLane {
    .webhook(target.type, target.deviceID, courier.settings, isWhole: true)
  }

  public func deliver(_ delivery: PushDelivery) async -> PushOutcome {
    let (message, options) = (delivery.message, delivery.options)
    let terms: Terms
    do { terms = try Terms(message.target, options) } catch { return .laneBroken(reason: error.description) }
    let outcome = await courier.post(
      message.content, to: message.target.deviceID, id: delivery.id, secrets: terms.secrets, policy: terms.policy,
      success: .anySuccess, caFile: options[WebhookOptions.keys.trustRootsFile],
      headers: [("Accept", "application/json")] + WebhookCourier.headers(of: message)
        + (terms.zendeskSignature?.headers(for: message.content, at: delivery.now) ?? []),
      answerTimeout: terms.answerTimeout, now: delivery.now,
      noteAnswer: delivery.noteAnswer)
    // One endpoint hears of everybody's requests: it stops, and no user's devices with it.
    if case .unregistered(let reason, _, _) = outcome { return .endpointGone(reason: reason) }
    return outcome
  }

  public func reload() { courier.reload() }

  /// What the options say about one kind of post.
  struct Terms {
    let policy: EndpointPolicy
    let secrets: WebhookSecrets
    let zendeskSignature: ZendeskSignature?
    let answerTimeout: Duration

    init(_ target: PushAddress, _ options: PushOptions) throws(OptionProblem) {
      policy = try EndpointPolicy(options, needsTLS: !options[SupportPushOptions.keys.isTest])
      secrets = try WebhookSecrets(options)
      zendeskSignature = target.type == notificationType ? try ZendeskSignature(options) : nil
      answerTimeout = try options.judged(SupportPushOptions.keys.timeout)
    }
  }
}
