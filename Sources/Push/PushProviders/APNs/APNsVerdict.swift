internal import EventSourcing
internal import HTTP2Client
internal import JSONEnvelope
internal import PushDomain

/// What an answer of APNs means: the table, as a function. Spec: providers 2.7.
struct APNsVerdict: Sendable, Equatable {
  /// What the lane does before it hands the outcome on.
  enum Action: Sendable, Equatable {
    case none
    /// This connection is of no more use; an `unprocessed` push goes out again on another.
    case retireConnection
    /// Renew the provider token and send again, if that is allowed; else the outcome stands.
    case renewToken
    /// Make no provider token for a while.
    case holdToken
  }

  /// `TooManyRequests` to one device: doubled with each attempt.
  static let deviceRatePause: Duration = .seconds(30)
  static let deviceRatePauseMaximum: Duration = .seconds(300)
  static let tokenUpdatesPause: Duration = ProviderTokenAge.hold

  var outcome: PushOutcome
  var action: Action = .none

  init(_ outcome: PushOutcome, _ action: Action = .none) {
    self.outcome = outcome
    self.action = action
  }

  init(_ response: HTTP2Response, attempt: Int, now: Timestamp) {
    let header = { (name: String) in response.headers.first { $0.name == name }?.value }
    guard response.status != 200 else {
      self.init(.delivered(id: header("apns-id")))
      return
    }
    let body = try? JSONValue(parsing: response.body)
    let since = body?["timestamp"]?.integer.flatMap { Timestamp(apnsMilliseconds: $0) }
    self = Self.of(
      response.status, body?["reason"]?.string, since: since, attempt: attempt,
      pause: RetryAfterHeader.pause(header("retry-after"), now: now))
  }

  static func of(
    _ status: Int, _ reason: String?, since: Timestamp? = nil, attempt: Int = 1, pause: Duration? = nil
  ) -> APNsVerdict {
    let text = PushText.reason(status, reason)
    switch (status, reason ?? "") {
    case (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"):
      return APNsVerdict(.unregistered(reason: text, isSuspect: true))
    case (400, "BadTopic"), (400, "MissingTopic"), (400, "TopicDisallowed"):
      return APNsVerdict(.laneBroken(reason: text))
    case (400, "IdleTimeout"):
      return APNsVerdict(.unprocessed(reason: text), .retireConnection)
    case (403, "ExpiredProviderToken"):
      return APNsVerdict(.laneBroken(reason: text + ", clock?"), .renewToken)
    case (403, "UnrelatedKeyIdInToken"):
      return APNsVerdict(.unprocessed(reason: text), .retireConnection)
    case (403, "InvalidProviderToken"), (403, "MissingProviderToken"), (403, "Forbidden"), (403, "BadCertificate"),
      (403, "BadCertificateEnvironment"), (403, "BadEnvironmentKeyIdInToken"):
      // A connection remembers a credential: a new one has to meet a new connection.
      return APNsVerdict(.laneBroken(reason: text), .retireConnection)
    case (410, "Unregistered"):
      return APNsVerdict(.unregistered(reason: text, since: since))
    case (410, "ExpiredToken"):
      return APNsVerdict(.unregistered(reason: text))
    case (429, "TooManyProviderTokenUpdates"):
      return APNsVerdict(.lanePaused(reason: text, for: max(pause ?? .zero, tokenUpdatesPause)), .holdToken)
    case (429, _):
      return APNsVerdict(.retryable(reason: text, after: max(pause ?? .zero, deviceRatePause(attempt))))
    case (503, "Shutdown"):
      return APNsVerdict(.retryable(reason: text, after: pause), .retireConnection)
    case (500..., _), (..<300, _):
      return APNsVerdict(.retryable(reason: text, after: pause))
    case (300..<400, _):
      // Somebody else answers under this address.
      return APNsVerdict(.laneBroken(reason: text))
    default:
      return APNsVerdict(.refused(reason: text))
    }
  }

  private static func deviceRatePause(_ attempt: Int) -> Duration {
    var pause = deviceRatePause
    for _ in 1..<max(attempt, 1) where pause < deviceRatePauseMaximum { pause *= 2 }
    return min(pause, deviceRatePauseMaximum)
  }
}

extension Timestamp {
  /// A moment that Apple names; nil if it cannot be one.
  fileprivate init?(apnsMilliseconds value: Int) {
    guard value > 0 else { return nil }
    self.init(milliseconds: Int64(value))
  }
}
