/// How one attempt ended. Reasons are short descriptions without ids, tokens and URLs: they reach logs and metrics.
public enum PushOutcome: Sendable, Equatable {
  /// The provider took it (which is not: the phone has it).
  case delivered
  /// A passing failure; `after` is the provider's wish, a floor for the pause before the next attempt.
  case retryable(reason: String, after: Duration? = nil)
  /// This message can never pass.
  case refused(reason: String)
  /// The address is gone for good: nothing more is sent to it.
  case unregistered(reason: String)
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
