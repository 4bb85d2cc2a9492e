public import EventSourcing
import OptionKit
public import PushDomain

/// Type `airship`: Airship's push API, version 3. Spec: providers 5.
///
/// Options: `airship.app_key`, `airship.master_secret`, `airship.base_url` (`https://go.airship.eu` for Europe),
/// `airship.ca_file`. An unknown channel does not fail a push there, so dead devices are not learned from it.
public struct AirshipProvider: PushProvider {
  private let courier: WebhookCourier

  public init(courier: WebhookCourier) { self.courier = courier }

  public var types: Set<String> { [PushType.airship.rawValue] }

  public func obstacle(_ target: PushAddress, _ options: PushOptions) -> String? {
    do {
      _ = try (AirshipCredential(options), courier.trust(AirshipOptions.keys.trustRootsFile, options))
      return refusal(of: target, options)
    } catch { return error.description }
  }

  public func refusal(of target: PushAddress, _ options: PushOptions) -> String? {
    AirshipAudience(deviceID: target.deviceID) == nil ? "device id: malformed" : nil
  }

  public func lane(of target: PushAddress, _ options: PushOptions) -> CourierLane {
    let name = (try? AirshipCredential(options))?.name ?? ""
    return CourierLane(id: "airship:\(name)", label: "airship:\(target.provider ?? "default")")
  }

  public func deliver(_ delivery: PushDelivery) async -> PushOutcome { await post(delivery, validatesOnly: false) }

  /// Has Airship look at a push without sending it: `delivered` if it would be taken.
  public func validate(_ delivery: PushDelivery) async -> PushOutcome { await post(delivery, validatesOnly: true) }

  /// Has Airship look at the credential and at a made-up push, for the operator's check of the configuration.
  public func validate(_ options: PushOptions, now: Timestamp) async -> PushOutcome {
    let nobody = PushAddress(type: PushType.airship.rawValue, deviceID: "00000000-0000-4000-8000-000000000000")
    let message = PushMessage(
      producer: "check", number: 1, tag: "check", alert: "check", content: Array("{}".utf8), service: "", target: nobody
    )
    return await validate(PushDelivery(message: message, id: nobody.deviceID, attempt: 1, options: options, now: now))
  }

  public func reload() { courier.reload() }

  private func post(_ delivery: PushDelivery, validatesOnly: Bool) async -> PushOutcome {
    guard let audience = AirshipAudience(deviceID: delivery.message.target.deviceID) else {
      return .refused(reason: "device id: malformed")
    }
    guard let body = AirshipPayload.body(of: delivery.message, to: audience, now: delivery.now) else {
      return .refused(reason: "content is no object")
    }
    let (credential, trust): (AirshipCredential, TrustRoots?)
    do {
      credential = try AirshipCredential(delivery.options)
      trust = try courier.trust(AirshipOptions.keys.trustRootsFile, delivery.options)
    } catch { return .laneBroken(reason: error.description) }
    let post = OutboundPost(
      url: validatesOnly ? credential.validateURL : credential.pushURL, body: body,
      headers: [
        ("Authorization", credential.authorization), ("Accept", "application/vnd.urbanairship+json; version=3"),
        ("Content-Type", "application/json"),
      ], route: .operators, trust: trust, keepsAnswer: true)
    do { return AirshipAnswer.outcome(of: try await courier.poster.post(post), now: delivery.now) } catch {
      // Trying again does not change whom we trust. Spec: providers 8.
      return error == .untrusted ? .laneBroken(reason: OutboundFailure.untrustedReason) : error.outcome
    }
  }
}
