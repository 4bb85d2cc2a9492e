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
  /// Which numbers were ever taken over.
  var numbers = TakenNumbers()
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
  /// The last attempts that delivered nothing, oldest first.
  var history: [PushAttempt] = []

  /// The attempt that is running, or the next one.
  var attempt: Int { failures + 1 }

  /// Times that the receiver did not want it, as far as they are remembered.
  var rejections: Int { history.count(where: \.isRejection) }

  /// What comes back again and again for one reason is told of once; of the answers the last one stays.
  mutating func note(_ attempt: PushAttempt, isReturn: Bool = false) {
    if isReturn, let last = history.last, last.reason == attempt.reason, last.mayBeDelivered == attempt.mayBeDelivered {
      return
    }
    // What says nothing is not told of.
    guard attempt.weight > 0 || attempt.mayBeDelivered || attempt.isRejection else { return }
    if attempt.answer != nil { for index in history.indices { history[index].answer = nil } }
    history.append(attempt)
    if history.count > PushAttempt.keptMaximum { history.removeFirst() }
  }

  /// Priority before age.
  static func goesFirst(_ left: PushEntry, _ right: PushEntry) -> Bool {
    left.message.priority != right.message.priority
      ? left.message.priority > right.message.priority : left.arrival < right.arrival
  }
}

/// One attempt that delivered nothing.
public struct PushAttempt: Sendable, Equatable, Codable {
  /// Attempts of one message that are remembered.
  static let keptMaximum = 10

  /// When it ended.
  public let at: Timestamp
  /// A short description, without ids, tokens and URLs.
  public let reason: String
  /// The beginning of what the receiver answered; of all attempts of a message the last answer is kept.
  public internal(set) var answer: String?
  /// The request was written and no answer came.
  public let mayBeDelivered: Bool
  /// See `PushOutcome.rejected`.
  let isRejection: Bool

  init(at: Timestamp, reason: String, answer: String? = nil, mayBeDelivered: Bool = false, isRejection: Bool = false) {
    self.at = at
    self.reason = reason
    self.answer = answer
    self.mayBeDelivered = mayBeDelivered
    self.isRejection = isRejection
  }

  /// Bytes of its texts.
  var weight: Int { reason.utf8.count + (answer?.utf8.count ?? 0) }

  /// What it takes in a state, about.
  static func weight(of history: [PushAttempt]) -> Int { history.reduce(0) { $0 + $1.weight + 24 } }

  init(at: Timestamp, reason: String, _ report: PushReport?) {
    self.init(
      at: at, reason: reason, answer: report?.answer, mayBeDelivered: report?.mayBeDelivered ?? false,
      isRejection: report?.isRejection ?? false)
  }
}

/// A message that ended without reaching anybody, kept for the operator.
public struct DeadLetter: Sendable, Equatable, Codable {
  public let message: PushMessage
  public let outcome: FinalPushOutcome
  public let attempts: Int
  public let acceptedAt: Timestamp
  public let endedAt: Timestamp
  /// Its last attempts, oldest first.
  public let history: [PushAttempt]

  /// In a few words; what its outcome does not say, its last attempt does.
  public var reason: String {
    outcome.reason ?? history.last?.reason ?? (attempts == 0 ? "no attempt could be made" : "")
  }
}
