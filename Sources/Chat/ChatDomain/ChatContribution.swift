public import EventSourcing

/// What a chat adds to the figures of the day on which it began.
public struct ChatContribution: Sendable, Equatable {
  /// Whose agents it is for.
  public var service: String
  public var startedAt: Timestamp
  /// From the start of the chat to the first word of an agent; nil: nobody has said one.
  public var firstAnswerMilliseconds: Int64?
  /// Who has said it.
  public var agent: String?
  /// Of one that was answered and is over: from the first agent's coming to the end.
  public var handlingMilliseconds: Int64?
  /// The customer has ended it, or its time has, before an agent said a word.
  public var isAbandoned: Bool
  /// It is over: nothing of this changes any more.
  public var isSettled: Bool

  public init(
    service: String, startedAt: Timestamp, firstAnswerMilliseconds: Int64? = nil, agent: String? = nil,
    handlingMilliseconds: Int64? = nil, isAbandoned: Bool = false, isSettled: Bool = false
  ) {
    self.service = service
    self.startedAt = startedAt
    self.firstAnswerMilliseconds = firstAnswerMilliseconds
    self.agent = agent
    self.handlingMilliseconds = handlingMilliseconds
    self.isAbandoned = isAbandoned
    self.isSettled = isSettled
  }

  public var isHandled: Bool { firstAnswerMilliseconds != nil }
}

extension ChatSession {
  /// Nil for one that was not started. Read off the transcript: what the journal says is all that counts, so that a restart
  /// changes nothing, and nor does an erasure, which leaves times, roles and agents.
  public var contribution: ChatContribution? {
    guard isStarted else { return nil }
    var contribution = ChatContribution(service: deskService, startedAt: startedAt, isSettled: isEnded)
    // The parties come in the order of their joins; the customer is the first.
    var joins = 0
    var firstAgentAt: Timestamp?
    var answer: TranscriptEvent?
    for event in transcript {
      if event.type == .joined {
        joins += 1
        if event.role != .client, firstAgentAt == nil { firstAgentAt = event.time }
      } else if event.says(by: .agents) {
        answer = event
        break
      }
    }
    guard let answer else {
      contribution.isAbandoned = isEnded && transcript.last?.role == .client
      return contribution
    }
    contribution.firstAnswerMilliseconds = answer.time.milliseconds(since: startedAt)
    contribution.agent =
      parties.prefix(joins).last { $0.nickname == answer.nickname && $0.role == answer.role }?.agentID
    contribution.handlingMilliseconds = endedAt?.milliseconds(since: firstAgentAt ?? answer.time)
    return contribution
  }
}

extension Timestamp {
  /// Never negative: a clock may have been set back.
  fileprivate func milliseconds(since earlier: Timestamp) -> Int64 {
    let (difference, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
    return overflow ? .max : max(0, difference)
  }
}
