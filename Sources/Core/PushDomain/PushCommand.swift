public import EventSourcing

/// What a device's queue can be told. Nothing is ever rejected: every enqueued message ends in a `FinalPushOutcome`.
public enum PushCommand: Sendable, Equatable {
  /// A repetition (`isKnown`) changes nothing and gives no event.
  case enqueue(PushMessage, limits: PushLimits = PushLimits())
  /// The answer to `PushEffect.deliver`. An answer to anything but the running attempt changes nothing.
  case attemptEnded(PushID, attempt: Int, PushOutcome, limits: PushLimits = PushLimits())
  /// `PushTimer.retry` fired.
  case retryDue(producer: String)
  /// `PushTimer.expiry` fired.
  case expiryDue
  /// The address is gone, learnt elsewhere than from a delivery.
  case unregister(reason: String)
  /// The device showed the address again: pushes are taken again.
  case register
  /// Erases every message of these producers, also those in flight. Their numbers stay known. Nothing happens if no
  /// message of theirs ever came or is remembered.
  case erase(producers: [String])
  /// States the whole queue anew, so that records before this moment can be erased.
  case restate
}

/// What a device's queue wants done outside, once the event that caused it is durable.
public enum PushEffect: Sendable, Equatable {
  /// Try it; the outcome comes back as `PushCommand.attemptEnded` with the same attempt.
  case deliver(PushMessage, attempt: Int)
  /// Replaces a timer of the same name.
  case startTimer(PushTimer, at: Timestamp)
  case cancelTimer(PushTimer)
  /// The producer owes this push no longer.
  case accepted(PushID)
  /// For metrics and logs; comes once for each message. `attempts` counts those that were begun.
  case settled(PushID, FinalPushOutcome, attempts: Int)
}

public enum PushTimer: Sendable, Hashable {
  /// Fires `retryDue(producer:)`.
  case retry(producer: String)
  /// Fires `expiryDue`.
  case expiry
}
