public import EventSourcing

/// One thing that happened, as a person reads it.
public struct TimelineEntry: Sendable, Equatable {
  /// The record's number in the journal; that of the next record if no record tells of it.
  public var position: UInt64
  public var time: Timestamp
  /// Nil if it is about the whole server, or was erased.
  public var entity: EntityID?
  /// As much of the entity's key as tells it apart; nil if all of it does.
  public var label: String?
  /// The name of the event's case; frozen like its tag.
  public var event: String
  /// The event's number in the chat's transcript, or the comment's in its request.
  public var transcriptPosition: Int?
  /// A person's name, or what acted: `server`, `push`.
  public var who: String
  /// Without what people wrote; empty if they just said something.
  public var what: String
  /// What people wrote, as it stands.
  public var text: String?
  /// What comes after the text.
  public var remark: String
  public var spans: [TimelineSpan]
  /// Of a push, message or device; nil for all else.
  public var fate: TimelineFate?
  /// Bookkeeping, which a story leaves out.
  public var isDetail: Bool

  public init(
    position: UInt64, time: Timestamp, entity: EntityID?, event: String, who: String, what: String
  ) {
    self.position = position
    self.time = time
    self.entity = entity
    self.event = event
    self.who = who
    self.what = what
    remark = ""
    spans = []
    isDetail = false
  }
}

/// What machines are to know of a push, a message or a device, beside the words.
public struct TimelineFate: Sendable, Equatable {
  /// The id that senders, devices and couriers are told; nil if it is about several.
  public var message: String?
  /// How it ended, by the ending's name; nil if it has not.
  public var outcome: String?
  /// Why it ended, or has to be tried again.
  public var reason: String?
  /// When it is tried again; of one that is held back: asked for.
  public var until: Timestamp?
  /// It is kept for the operator.
  public var isDeadLetter: Bool

  public init(
    message: String? = nil, outcome: String? = nil, reason: String? = nil, until: Timestamp? = nil,
    isDeadLetter: Bool = false
  ) {
    self.message = message
    self.outcome = outcome
    self.reason = reason
    self.until = until
    self.isDeadLetter = isDeadLetter
  }
}

/// How long something took.
public struct TimelineSpan: Sendable, Equatable {
  /// Stable names for machines.
  public enum Kind: String, Sendable, CaseIterable {
    /// From the start of a chat, or from a callback's coming into the queue, to the first agent.
    case waitedForAgent
    /// From the customer's first unanswered message to the agent's next.
    case answerTime
    /// From the first event that was to be pushed to the request of the push.
    case heldBack
    /// From the request of a push to what became of it.
    case requestToOutcome
    /// From the customer's leaving to the return.
    case background
    /// From the start of a chat to its end.
    case chat
    /// From the connection of a callback's agent to the end of the callback.
    case conversation
    /// From the opening of a Comet session to its end.
    case session
    /// Without any record.
    case silence
  }

  public let kind: Kind
  /// Never negative: a clock may have been set back.
  public let milliseconds: Int64

  public init(_ kind: Kind, from start: Timestamp, to end: Timestamp) {
    self.kind = kind
    let (difference, overflow) = end.milliseconds.subtractingReportingOverflow(start.milliseconds)
    milliseconds = overflow ? .max : max(0, difference)
  }

  /// `412 ms`, `5.02 s`, `3 min 12 s`, `2 h 05 min`, `4 d 02 h`.
  public var text: String {
    func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let seconds = milliseconds / 1000
    switch milliseconds {
    case ..<1_000: return "\(milliseconds) ms"
    case ..<60_000: return "\(seconds).\(two(milliseconds % 1000 / 10)) s"
    case ..<3_600_000: return "\(seconds / 60) min \(two(seconds % 60)) s"
    case ..<86_400_000: return "\(seconds / 3_600) h \(two(seconds / 60 % 60)) min"
    default: return "\(seconds / 86_400) d \(two(seconds / 3_600 % 24)) h"
    }
  }
}
