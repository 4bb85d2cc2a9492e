internal import EventSourcing

/// The pushes of one producer to one device, oldest first.
///
/// ```
///                    settled                      retryScheduled
///   empty ──enqueued──> first in flight ──────────────────────────> pausing
///     ▲                    │      ▲                                    │
///     └── settled (last) ──┘      └──────────── pauseEnded ────────────┘
/// ```
/// The pause belongs to the lane, not to its first message: if that message is dropped meanwhile, the next one still
/// waits until the provider may be tried again.
struct PushLane: Sendable, Equatable, Codable {
  var entries: [PushEntry] = []
  /// Nil while the first entry, if there is one, is in flight.
  var pausedUntil: Timestamp?
  /// The highest number that was ever taken over: whatever is not above it is a repetition.
  var highestNumber = Int.min
  /// The queue's count of arrivals when the last message came.
  var lastArrival = 0

  /// The entry whose attempt is running.
  var inFlight: PushEntry? { pausedUntil == nil ? entries.first : nil }

  /// The entries that no provider has in its hands at the moment.
  var waiting: ArraySlice<PushEntry> { pausedUntil == nil ? entries.dropFirst() : entries[...] }
}

/// One message in the queue.
struct PushEntry: Sendable, Equatable, Codable {
  let message: PushMessage
  /// The place in the order in which the messages of all producers came.
  let arrival: Int
  /// Attempts that have ended.
  var failures = 0

  /// The attempt that is running, or the next one.
  var attempt: Int { failures + 1 }
}
