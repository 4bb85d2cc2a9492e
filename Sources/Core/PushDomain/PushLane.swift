public import EventSourcing

/// The pushes of one producer to one device: high priority first, then oldest first.
///
/// ```
///                    settled                      retryScheduled
///   empty ──enqueued──────> sendable ──────────────────────────> pausing
///     ▲                    │      ▲                                 │
///     └── settled (last) ──┘      └────────── pauseEnded ───────────┘
/// ```
/// The pause belongs to the lane, not to its first message: if that message is dropped meanwhile, the next one still
/// waits until the provider may be tried again.
struct PushLane: Sendable, Equatable, Codable {
  /// In the order in which they came.
  var entries: [PushEntry] = []
  /// Nil while its messages may be sent.
  var pausedUntil: Timestamp?
  /// The highest number that was ever taken over: whatever is not above it is a repetition.
  var highestNumber = Int.min
  /// The queue's count of arrivals when the last message came.
  var lastArrival = 0

  /// What goes out next; nil if there is nothing or the lane pauses.
  var next: PushEntry? { pausedUntil == nil ? entries.min(by: PushEntry.goesFirst) : nil }
}

/// One message in the queue.
struct PushEntry: Sendable, Equatable, Codable {
  let message: PushMessage
  /// The place in the order in which the messages of all producers came.
  let arrival: Int
  /// When it was taken over.
  let acceptedAt: Timestamp
  /// Attempts that have ended and count.
  var failures = 0
  /// Attempts in a row that the provider has certainly not processed; they do not count.
  var returns = 0

  /// The attempt that is running, or the next one.
  var attempt: Int { failures + 1 }

  /// Priority before age.
  static func goesFirst(_ left: PushEntry, _ right: PushEntry) -> Bool {
    left.message.priority != right.message.priority
      ? left.message.priority > right.message.priority : left.arrival < right.arrival
  }
}

/// A message that ended without reaching anybody, kept for the operator.
public struct DeadLetter: Sendable, Equatable, Codable {
  public let message: PushMessage
  public let outcome: FinalPushOutcome
  public let attempts: Int
  public let acceptedAt: Timestamp
  public let endedAt: Timestamp
}
