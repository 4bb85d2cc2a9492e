internal import JSONEnvelope
import OptionKit
public import PushDomain

/// Type `customhttp`: POST to the URL of option `customhttp.url`, which is the operator's. Spec: GMS 7.3.
///
/// ```
/// {"deviceId":"device-77","message":{"message":"New message from Agent", …}}
/// ```
public struct CustomHTTPProvider: PushProvider {
  private let courier: WebhookCourier

  public init(courier: WebhookCourier) { self.courier = courier }

  public var types: Set<String> { [PushType.customhttp.rawValue] }

  public func obstacle(_ target: PushAddress, _ options: PushOptions) -> String? {
    do {
      _ = try (
        Self.url(options), WebhookSecrets(options), WebhookSuccess(options),
        courier.trust(WebhookOptions.keys.trustRootsFile, options)
      )
      return nil
    } catch { return error.description }
  }

  public func lane(of target: PushAddress, _ options: PushOptions) -> CourierLane {
    .webhook(PushType.customhttp.rawValue, options[CustomHTTPOptions.keys.url], courier.settings, isWhole: true)
  }

  public func deliver(_ delivery: PushDelivery) async -> PushOutcome {
    let (url, secrets, success): (String, WebhookSecrets, WebhookSuccess)
    do {
      (url, secrets, success) = try (
        Self.url(delivery.options), WebhookSecrets(delivery.options), WebhookSuccess(delivery.options)
      )
    } catch { return .laneBroken(reason: error.description) }
    let authorization = delivery.message.target.authorization.flatMap { $0.isEmpty ? nil : "Basic \($0)" }
    let outcome = await courier.post(
      Self.body(of: delivery), to: url, id: delivery.id, secrets: secrets, policy: nil, success: success,
      caFile: delivery.options[WebhookOptions.keys.trustRootsFile], authorization: authorization,
      headers: WebhookCourier.headers(of: delivery.message), now: delivery.now,
      noteAnswer: delivery.noteAnswer)
    // The receiver is everybody's: that it is gone says nothing about this device.
    if case .unregistered(let reason, _, _) = outcome { return .endpointGone(reason: reason) }
    return outcome
  }

  public func reload() { courier.reload() }

  private static func url(_ options: PushOptions) throws(OptionProblem) -> String {
    guard let text = options[CustomHTTPOptions.keys.url] else {
      throw OptionProblem(missing: CustomHTTPOptions.keys.url.name)
    }
    guard WebhookURL(text) != nil else { throw OptionProblem(malformed: CustomHTTPOptions.keys.url.name) }
    return text
  }

  static func body(of delivery: PushDelivery) -> [UInt8] {
    let message = delivery.message
    return JSONWriter.object(capacity: message.content.count + message.target.deviceID.utf8.count + 32) { body in
      body.member("deviceId", message.target.deviceID)
      if message.content.isEmpty {
        // A notification without content gets the operator's fixed text.
        body.member("message", delivery.options[CustomHTTPOptions.keys.message] ?? message.alert)
      } else if message.form == .text {
        body.member("message", String(decoding: message.content, as: UTF8.self))
      } else {
        body.member("message", RawJSON(message.content))
      }
    }
  }
}

extension CourierLane {
  /// The lane of one endpoint. Spec: providers 4.4.
  /// - Parameter isWhole: the endpoint is the URL as it is, which may be one of many at its host, and gone while they are
  ///   not; else it is scheme, host and port, for the URLs of many devices.
  static func webhook(
    _ type: String, _ url: String?, _ settings: WebhookSettings, isWhole: Bool = false
  ) -> CourierLane {
    let read = url.flatMap { WebhookURL($0) }
    return CourierLane(
      id: "webhook:\(type):\((isWhole ? read?.text : read?.origin) ?? "")", label: "webhook:\(type)",
      inFlightMaximum: settings.inFlightPerEndpointMaximum, isEndpoint: true,
      endpoint: read.map { isWhole ? $0.masked : $0.serializedOrigin })
  }
}
