internal import EventSourcing
import OptionKit
public import PushDomain
internal import WebPushEncryption

/// Type `webpush`: browsers, through the push service that each of them names; the device id is the subscription as
/// JSON text. Spec: providers 6, RFC 8030, 8291, 8292.
///
/// Options: `webpush.private_key` (base64url or PEM) or `webpush.private_key_file`, `webpush.subject` (`mailto:` or
/// `https:`), `webpush.ca_file`. The endpoints come from clients, so `EndpointPolicy` holds.
public struct WebPushProvider: PushProvider {
  /// How long a service keeps a message without an expiry. Spec: providers 1.2.
  static let defaultTimeToLive: Int64 = 4 * 7 * 86_400
  /// Characters of `Topic`. Spec: RFC 8030, 5.4.
  static let topicLengthMaximum = 32

  private let courier: WebhookCourier
  private let keys = OptionCache { VAPIDKey($0) }
  private let tokens = VAPIDTokens()

  public init(courier: WebhookCourier) { self.courier = courier }

  public var types: Set<String> { [PushType.webpush.rawValue] }

  private struct Configuration {
    let key: VAPIDKey
    let subject: String
    let policy: EndpointPolicy
    let trust: TrustRoots?
  }

  public func obstacle(_ target: PushAddress, _ options: PushOptions) -> String? {
    do {
      return try objection(to: target, configuration(options))
    } catch { return error.description }
  }

  public func refusal(of target: PushAddress, _ options: PushOptions) -> String? {
    (try? configuration(options)).flatMap { objection(to: target, $0) }
  }

  private func objection(to target: PushAddress, _ configuration: Configuration) -> String? {
    guard let endpoint = WebPushSubscription(target.deviceID)?.endpoint else { return "device id: no subscription" }
    return configuration.policy.objection(to: endpoint.text).map { "device id: \($0)" }
  }

  public func lane(of target: PushAddress, _ options: PushOptions) -> CourierLane {
    let origin = WebPushSubscription.endpoint(of: target.deviceID)?.origin ?? ""
    let key = (try? key(options))?.publicText ?? ""
    return CourierLane(id: "webpush:\(key):\(origin)", label: "webpush:\(target.provider ?? "default")")
  }

  public func deliver(_ delivery: PushDelivery) async -> PushOutcome {
    let message = delivery.message
    guard let subscription = WebPushSubscription(message.target.deviceID) else {
      return .refused(reason: "device id: no subscription")
    }
    guard let text = WebPushPayload.text(of: message) else { return .refused(reason: "content too long") }
    let configuration: Configuration
    do { configuration = try self.configuration(delivery.options) } catch {
      return .laneBroken(reason: error.description)
    }
    guard let body = try? AES128GCM.encrypt(text, for: subscription.receiver),
      let authorization = try? tokens.authorization(
        configuration.key, subject: configuration.subject, audience: subscription.endpoint.serializedOrigin,
        now: delivery.now)
    else { return .refused(reason: "encryption failed") }
    let post = OutboundPost(
      url: subscription.endpoint, body: body, headers: headers(of: delivery) + [("Authorization", authorization)],
      route: .guarded(configuration.policy), trust: configuration.trust)
    do { return Self.outcome(of: try await courier.poster.post(post), now: delivery.now) } catch {
      // Trying again does not change whom we trust. Spec: providers 8.
      return error == .untrusted ? .laneBroken(reason: OutboundFailure.untrustedReason) : error.outcome
    }
  }

  public func reload() {
    keys.forget()
    courier.reload()
  }

  private func headers(of delivery: PushDelivery) -> [(name: String, value: String)] {
    let message = delivery.message
    let seconds = message.expiry.map { $0.seconds(since: delivery.now) } ?? Self.defaultTimeToLive
    var headers: [(name: String, value: String)] = [
      ("Content-Type", "application/octet-stream"), ("Content-Encoding", "aes128gcm"),
      ("TTL", "\(message.isNowOrNever ? 0 : min(seconds, Self.defaultTimeToLive))"),
      ("Urgency", message.priority == .high ? "high" : "normal"),
    ]
    if let key = message.collapseKey {
      let topic = ShortName.of(key, bytesMaximum: Self.topicLengthMaximum) { byte in
        switch byte {
        case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
      }
      headers.append(("Topic", topic))
    }
    return headers
  }

  /// Spec: providers 6.
  static func outcome(of answer: OutboundAnswer, now: Timestamp) -> PushOutcome {
    switch answer.status {
    case 200...299: .delivered()
    case 404, 410: .unregistered(reason: answer.reason)
    // One subscription made with another key, or our own key is wrong: the number of them tells.
    case 400, 401, 403: .unregistered(reason: answer.reason, isSuspect: true)
    case 413: .refused(reason: answer.reason)
    case 429, 500...599: .retryable(reason: answer.reason, after: answer.pause(now: now))
    default: .retryable(reason: answer.reason)
    }
  }

  private func configuration(_ options: PushOptions) throws(OptionProblem) -> Configuration {
    let key = try key(options)
    guard let subject = options[WebPushOptions.keys.subject] else {
      throw OptionProblem(missing: WebPushOptions.keys.subject.name)
    }
    guard subject.hasPrefix("mailto:") || subject.hasPrefix("https:"), subject.utf8.count <= 256 else {
      throw OptionProblem(malformed: WebPushOptions.keys.subject.name)
    }
    // Push services are https; an unencrypted one can only be the operator's own.
    return Configuration(
      key: key, subject: subject, policy: try EndpointPolicy(options, needsTLSOutside: true),
      trust: try courier.trust(WebPushOptions.keys.trustRootsFile, options))
  }

  private func key(_ options: PushOptions) throws(OptionProblem) -> VAPIDKey {
    if let text = options[WebPushOptions.keys.privateKey] {
      return try keys.value(ofText: text, option: WebPushOptions.keys.privateKey.name)
    }
    guard let file = options[WebPushOptions.keys.privateKeyFile] else {
      throw OptionProblem("not set: webpush.private_key or webpush.private_key_file")
    }
    return try keys.value(ofFile: file, option: WebPushOptions.keys.privateKeyFile.name)
  }
}
