import OptionKit
public import PushDomain

/// Type `push-events`: what operators are told, POST to the URL of option `push.events_url`, which is their own; the
/// content is the body, byte for byte. Spec: providers 4.1, 4.4.
///
/// Signed with `push.events_secret`, or as all webhooks are where there is none. Any 2xx is a success.
public struct OperatorEventsProvider: PushProvider {
  private let courier: WebhookCourier

  public init(courier: WebhookCourier) { self.courier = courier }

  public var types: Set<String> { [PushType.operatorEvents.rawValue] }
  public var retryPauses: [Double] { PushSchedule.threeDays }

  public func obstacle(_ target: PushAddress, _ options: PushOptions) -> String? {
    do {
      _ = try (Self.url(options), Self.secrets(options), courier.trust(WebhookOptions.keys.trustRootsFile, options))
      return nil
    } catch { return error.description }
  }

  public func lane(of target: PushAddress, _ options: PushOptions) -> CourierLane {
    .webhook(PushType.operatorEvents.rawValue, options[OperatorEventOptions.keys.url], courier.settings, isWhole: true)
  }

  public func deliver(_ delivery: PushDelivery) async -> PushOutcome {
    let (url, secrets): (String, WebhookSecrets)
    do { (url, secrets) = try (Self.url(delivery.options), Self.secrets(delivery.options)) } catch {
      return .laneBroken(reason: error.description)
    }
    let outcome = await courier.post(
      delivery.message.content, to: url, id: delivery.id, secrets: secrets, policy: nil, success: .anySuccess,
      caFile: delivery.options[WebhookOptions.keys.trustRootsFile],
      headers: WebhookCourier.headers(of: delivery.message),
      now: delivery.now, noteAnswer: delivery.noteAnswer)
    if case .unregistered(let reason, _, _) = outcome { return .endpointGone(reason: reason) }
    return outcome
  }

  public func reload() { courier.reload() }

  private static func url(_ options: PushOptions) throws(OptionProblem) -> String {
    guard let text = options[OperatorEventOptions.keys.url] else {
      throw OptionProblem(missing: OperatorEventOptions.keys.url.name)
    }
    guard WebhookURL(text) != nil else { throw OptionProblem(malformed: OperatorEventOptions.keys.url.name) }
    return text
  }

  private static func secrets(_ options: PushOptions) throws(OptionProblem) -> WebhookSecrets {
    let own = options[OperatorEventOptions.keys.secret]
    return try WebhookSecrets(options.with([WebhookOptions.keys.secret.name: own]))
  }
}
