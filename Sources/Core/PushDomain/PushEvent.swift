public import EventSourcing

/// What happened to a device's queue. Tags and field numbers are frozen.
public enum PushEvent: Sendable, Equatable, Codable {
  /// The message entered the queue; it is in flight at once if its producer has nothing before it.
  case enqueued(PushMessage)
  /// The message was taken over but never entered the queue.
  case declined(PushID, FinalPushOutcome)
  /// The message left the queue.
  case settled(PushID, FinalPushOutcome, attempts: Int)
  /// The attempt failed; the message's producer waits until `until`.
  case retryScheduled(PushID, attempt: Int, until: Timestamp, reason: String)
  /// The producer's pause is over: its first message, if there is one, is in flight again.
  case pauseEnded(producer: String)
  /// The address is gone. A `settled` for each message in the queue follows in the same batch.
  case unregistered(reason: String)
  case registered
  /// The producer's highest number is forgotten, to make room.
  case producerForgotten(String)
}
