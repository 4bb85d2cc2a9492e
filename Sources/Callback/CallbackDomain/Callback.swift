public import EventSourcing

/// One callback. Spec: GMS 9.4. Entity key: its service id.
///
/// ```
///              time − buffer            agent, confirmed             agent connects
///   SCHEDULED ──────────────> QUEUED ──────────────────> ROUTING ───────────────────> PROCESSING
///                              │ ↑ asked, asked again,     │ ↑ agent lost: next one        │ conversation ends
///                              └─┘ snoozed                 └─┘                             v
///       from anywhere: cancelled, expired, failed ───────────────────────────────────> COMPLETED ──kept──> forgotten
/// ```
public struct Callback: Decider, Equatable, Codable {
  public typealias Command = CallbackCommand
  public typealias Event = CallbackEvent
  public typealias Rejection = CallbackRejection
  public typealias Effect = CallbackEffect

  /// Nil before the first event.
  public internal(set) var request: CallbackRequest?
  public internal(set) var status = CallbackStatus.scheduled
  public internal(set) var reason: CallbackReason?
  public internal(set) var note = ""
  public internal(set) var createdAt = Timestamp(milliseconds: 0)
  /// When it came into the queue: the order in which callbacks are served.
  public internal(set) var queuedAt: Timestamp?
  public internal(set) var expiresAt = Timestamp(milliseconds: 0)
  /// While `SCHEDULED`: when it comes into the queue.
  public internal(set) var dueAt: Timestamp?
  /// The agent who is held for it, or talks.
  public internal(set) var agentID: String?
  public internal(set) var agentHasAccepted = false
  /// When the agent is let go without a word.
  public internal(set) var agentUntil: Timestamp?
  /// The customer is being asked: attempt and its end.
  public internal(set) var confirmation: Confirmation?
  public internal(set) var snoozedUntil: Timestamp?
  public internal(set) var pushCount = 0
  /// Not yet in the queue of its device.
  public internal(set) var owedPush: CallbackPush?
  /// Once completed: until then it is kept.
  public internal(set) var keptUntil: Timestamp?
  /// Who had it when it was completed: to them it can still be shown.
  public internal(set) var lastAgentID: String?
  public internal(set) var isForgotten = false
  /// The last event changed `alarm`, or it has to be set anew.
  var alarmHasMoved = false

  public struct Confirmation: Sendable, Equatable, Codable {
    /// 1, 2, 3, … since the agent came.
    public let attempt: Int
    public let until: Timestamp

    public init(attempt: Int, until: Timestamp) {
      self.attempt = attempt
      self.until = until
    }
  }

  public init() {}

  public var isFinished: Bool { isForgotten }

  /// When its one timer has to fire: the earliest of all deadlines. Nil before the first event and behind the last.
  public var alarm: Timestamp? { nextDeadline?.time }

  /// True if the next free agent may be given to it: in the queue, neither asked nor snoozed; or routing without one.
  public var wantsAgent: Bool {
    guard agentID == nil else { return false }
    switch status {
    case .queued: return confirmation == nil && snoozedUntil == nil
    case .routing: return true
    case .scheduled, .processing, .completed: return false
    }
  }
}
