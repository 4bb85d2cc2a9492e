public import EventSourcing

/// How one attempt ended. Reasons are short descriptions without ids, tokens and URLs, the status first if there was
/// one (`410 Unregistered`): they reach the journal, logs and metrics. Spec: providers 1.1.
public enum PushOutcome: Sendable, Equatable {
  /// The provider took it (which is not: the phone has it).
  /// - Parameters:
  ///   - id: the provider's own name for it, if it gave one.
  ///   - replacement: the device id to use from now on (a canonical registration id).
  case delivered(id: String? = nil, replacement: String? = nil)
  /// A passing failure.
  /// - Parameters:
  ///   - after: the provider's wish, a floor for the pause before the next attempt.
  ///   - mayBeDelivered: the request was written and its answer never came: the next attempt may be a repetition.
  ///   - isTransport: the provider could not be reached or said nothing; counts for the lane's breaker.
  case retryable(reason: String, after: Duration? = nil, mayBeDelivered: Bool = false, isTransport: Bool = false)
  /// The provider has certainly done nothing; costs no attempt.
  /// - Parameter isTransport: it could not be reached at all; counts for the lane's breaker.
  case unprocessed(reason: String, isTransport: Bool = false)
  /// This message can never pass.
  case refused(reason: String)
  /// The address is gone for good: nothing more is sent to it.
  /// - Parameters:
  ///   - since: the moment that the provider names; a later registration survives.
  ///   - isSuspect: this answer also comes if the environments are mixed up; see `PushQueue` and `CourierLaneMachine`.
  case unregistered(reason: String, since: Timestamp? = nil, isSuspect: Bool = false)
  /// The credential or the configuration is wrong: the lane stops, the message stays and has cost no attempt.
  case laneBroken(reason: String)
  /// The provider wants a pause of the whole lane; the message stays and has cost no attempt.
  case lanePaused(reason: String, for: Duration)
}

/// What became of a push in the end: exactly one for each message that was enqueued.
public enum FinalPushOutcome: Sendable, Equatable, Codable {
  case delivered
  /// The provider refused it for good.
  case refused(reason: String)
  /// The last attempt failed; `reason` is that attempt's.
  case failed(reason: String)
  /// Its time was over before a provider took it.
  case expired
  /// A newer message with the same collapse key took its place.
  case collapsed
  /// The queue was full.
  case overflowed
  /// The address is gone, found out by this message or by another.
  case unregistered(reason: String)
  /// Its customer was erased while it was in the queue.
  case erased

  /// Every word that `name` can be.
  public static let names = [
    "delivered", "refused", "failed", "expired", "collapsed", "overflowed", "unregistered", "erased",
  ]

  /// A word for metrics.
  public var name: String {
    switch self {
    case .delivered: "delivered"
    case .refused: "refused"
    case .failed: "failed"
    case .expired: "expired"
    case .collapsed: "collapsed"
    case .overflowed: "overflowed"
    case .unregistered: "unregistered"
    case .erased: "erased"
    }
  }

  /// The short description for logs, if there is more to say than `name`.
  public var reason: String? {
    switch self {
    case .refused(let reason), .failed(let reason), .unregistered(let reason): reason
    case .delivered, .expired, .collapsed, .overflowed, .erased: nil
    }
  }
}
