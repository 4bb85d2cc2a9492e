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
  /// The receiver does not want it, but may think better of it (a deployment answers 404 for minutes): tried again as
  /// after a passing failure, until it has said so `PushSchedule.rejectionsMaximum` times. Spec: providers 4.2.
  case rejected(reason: String)
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
  /// The endpoint is gone for good, for this message and all others: its lane is switched off. Spec: providers 4.2.
  case endpointGone(reason: String)
  /// The credential or the configuration is wrong: the lane stops, the message stays and has cost no attempt.
  case laneBroken(reason: String)
  /// The provider wants a pause of the whole lane; the message stays and has cost no attempt.
  case lanePaused(reason: String, for: Duration)
}

extension PushOutcome {
  /// True if the request was written and its answer never came.
  public var mayBeDelivered: Bool { if case .retryable(_, _, true, _) = self { true } else { false } }

  /// The short description, empty for a success.
  public var reason: String {
    switch self {
    case .delivered: ""
    case .retryable(let reason, _, _, _), .rejected(let reason), .unprocessed(let reason, _), .refused(let reason),
      .unregistered(let reason, _, _), .endpointGone(let reason), .laneBroken(let reason), .lanePaused(let reason, _):
      reason
    }
  }
}

/// What is known of an attempt that delivered nothing, beside the outcome that the queue was told.
public struct PushReport: Sendable, Equatable, Codable {
  /// Bytes of an answer that are kept. Spec: providers 4.4.
  public static let answerBytesMaximum = 1_024

  /// Why, if the outcome does not say so itself.
  public var reason: String?
  /// What the receiver answered: the beginning of it.
  public var answer: String?
  /// The request was written and no answer came: the next attempt may be a repetition.
  public var mayBeDelivered = false
  /// The receiver did not want it: see `PushOutcome.rejected`.
  public var isRejection = false

  public init(reason: String? = nil, answer: String? = nil, mayBeDelivered: Bool = false, isRejection: Bool = false) {
    self.reason = reason
    self.answer = answer
    self.mayBeDelivered = mayBeDelivered
    self.isRejection = isRejection
  }

  /// Nil where there is nothing to tell.
  var unlessEmpty: PushReport? { self == PushReport() ? nil : self }
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

  /// What an operator may want to look at and try again. What reached its provider, was superseded or erased, or is for
  /// an address that is gone, is not.
  public var leavesDeadLetter: Bool {
    switch self {
    case .refused, .failed, .expired, .overflowed: true
    case .delivered, .collapsed, .unregistered, .erased: false
    }
  }

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
