extension ChatSession {
  public var isLive: Bool { lifecycle == .live }
  /// The chat is over (the instance may be gone as well).
  public var isEnded: Bool { lifecycle == .ended || (lifecycle == .expired && isStarted) }
  /// The chat was started, whatever became of it since.
  public var isStarted: Bool { !parties.isEmpty }
  /// Live, and no agent is in it.
  public var isWaiting: Bool { isLive && presentAgents.isEmpty }

  /// The customer's name in the transcript; empty before the start.
  public var nickname: String { parties.first?.nickname ?? "" }

  /// The agents who are in the chat, in the order in which they joined.
  public var agents: [ChatAgent] {
    presentAgents.map { number in
      let party = party(number)
      return ChatAgent(id: party.agentID ?? "", nickname: party.nickname, role: party.role)
    }
  }

  public func hasAgent(_ agentID: String) -> Bool { presentParty(of: agentID) != nil }

  /// The agent is in the chat or was.
  public func hasHadAgent(_ agentID: String) -> Bool { parties.contains { $0.agentID == agentID } }

  /// Agents who may join, whoever has the chat.
  public var invitations: [String] { aside?.value.invitations ?? [] }

  public func isInvited(_ agentID: String) -> Bool { invitations.contains(agentID) }

  /// The service whose agents the chat is for.
  public var deskService: String { aside?.value.desk ?? serviceName }

  /// How far the agent has read.
  public func readMark(of agentID: String) -> Int {
    aside?.value.readMarks.first { $0.agentID == agentID }?.position ?? 0
  }

  public var wrapUp: ChatWrapUp? { aside?.value.wrapUp }
}

// The transcript. Spec: GMS 5.
extension ChatSession {
  /// The number of the last event, 0 before the start.
  public var lastPosition: Int { transcript.count }

  /// Every event with a position greater than `position`; a position outside the transcript is moved to its ends.
  public func events(after position: Int) -> ArraySlice<TranscriptEvent> {
    transcript[min(max(0, position), transcript.count)...]
  }

  /// Lines that agents see: transcript events and what only agents may see.
  public var lineCount: Int { transcript.count + agentOnlyLines.count }

  /// What agents see after the first `lineIndex` lines, in order, at most `maximum` lines.
  public func agentLines(after lineIndex: Int = 0, maximum: Int = .max) -> [AgentLine] {
    let start = min(max(0, lineIndex), lineCount)
    // From the end: whoever asks has most of it already.
    var nextAgentOnly = (agentOnlyLines.lastIndex { $0.index <= start } ?? -1) + 1
    var nextPosition = start - nextAgentOnly
    var lines: [AgentLine] = []
    lines.reserveCapacity(min(maximum, lineCount - start))
    while lines.count < maximum {
      let index = nextPosition + nextAgentOnly + 1
      if nextAgentOnly < agentOnlyLines.count, agentOnlyLines[nextAgentOnly].index == index {
        lines.append(AgentLine(position: nil, content: agentOnlyLines[nextAgentOnly].line))
        nextAgentOnly += 1
      } else if nextPosition < transcript.count {
        lines.append(AgentLine(transcript[nextPosition]))
        nextPosition += 1
      } else {
        break
      }
    }
    return lines
  }

  /// What agents see after the event at `position`, agent-only lines in their places. Those between this event and the
  /// next come every time until there is a next; a stream that must not repeat asks by line.
  public func agentLines(afterPosition position: Int) -> [AgentLine] {
    agentLines(after: lineIndex(of: position))
  }

  /// A part of what agents see, as pages have it: events, and behind each the lines that only agents see.
  /// - Returns: its lines, and the position to go on from; nil where there is nothing more.
  public func agentLines(in part: TranscriptPart) -> (lines: [AgentLine], next: Int?) {
    let (first, last): (Int, Int)
    switch part {
    case .after(let position, let limit):
      first = clamped(position)
      last = min(lastPosition, limit.map { first + $0 } ?? lastPosition)
    case .before(let position, let limit):
      last = clamped(position - 1)
      first = max(0, last - limit)
    }
    let start = lineIndex(of: first)
    // What stands behind the last event belongs to the page that begins there, unless there is none.
    let end = last == lastPosition ? lineCount : lineIndex(of: last)
    let lines = agentLines(after: start, maximum: max(0, end - start))
    switch part {
    case .after: return (lines, last < lastPosition ? last : nil)
    case .before: return (lines, first > 0 ? first + 1 : nil)
    }
  }

  /// The event's place among all lines: its position and the agent-only lines before it. 0 before the first one.
  private func lineIndex(of position: Int) -> Int {
    guard position > 0 else { return 0 }
    let position = min(position, transcript.count)
    var before = 0
    while before < agentOnlyLines.count, agentOnlyLines[before].index <= position + before { before += 1 }
    return position + before
  }
}

// The customer's link. Spec: GMS 6.
extension ChatSession {
  public var clientState: ChatClientState {
    switch (lifecycle, background?.stage) {
    case (.ended, .waiting), (.live, .waiting): .backgroundWait
    case (.ended, _), (.expired, _): .ended
    case (.live, .quiet): .backgroundQuiet
    case (.live, .pushed): .backgroundPushed
    case (.live, nil): hasBeenOnline ? .online : .none
    case (.absent, _), (.created, _): .none
    }
  }

  /// The customer left for the background, or was lost, and has not come back.
  public var isFlaggedDisconnected: Bool { background != nil }

  /// The customer is flagged disconnected, and what the app has is a guess.
  public var isPositionGuessed: Bool { background?.basis == .confirmed }

  /// What agents are told: the chat is live and the customer is not flagged disconnected.
  public var customerIsOnline: Bool { isLive && background == nil }

  /// The clientIds of all Comet sessions that the chat knows.
  public var attachedSessions: [String] { links.map(\.session) }

  /// The clientIds of the Comet sessions that have subscribed, whether they get the chat's events yet or not.
  public var subscribedSessions: [String] { links.filter(\.isSubscribed).map(\.session) }

  /// The clientIds of the Comet sessions that get the chat's events.
  public var activeSessions: [String] { links.filter(\.isActive).map(\.session) }

  /// What an active session is to have and was not written yet. Of one that has unsubscribed: what it was sent by then,
  /// since nothing is sent twice if it subscribes again. Empty for any other session.
  ///
  /// For the time after a restart, when the queues of the sessions are gone.
  /// - Parameter delivered: the highest position of this chat known to have been written to this session.
  public func catchUp(for session: String, delivered: Int) -> ArraySlice<TranscriptEvent> {
    guard let link = link(session) else { return transcript[transcript.count...] }
    if link.isActive { return events(after: max(certain(link), delivered)) }
    let has = max(basePosition, delivered)
    return events(after: has).prefix(max(0, link.sentThrough - has))
  }

  /// What was written to an active session after `position`, up to `last`.
  /// - Parameter isStated: the app says that it has no more, whatever the session began with.
  public func repetition(
    for session: String, after position: Int, upTo last: Int, isStated: Bool
  ) -> ArraySlice<TranscriptEvent> {
    guard let link = link(session) else { return [] }
    let first = isStated ? position : max(position, link.isActive ? certain(link) : 0)
    return events(after: first).prefix(max(0, last - first))
  }

  /// Events as they fall into notifications when they are sent again: as they did the first time, so that each comes
  /// under its id. What a session missed when it began was one notification, each later event is one of its own; of
  /// many only the first can have been sent already, and the rest comes as one.
  public func notifications(of events: ArraySlice<TranscriptEvent>, for session: String) -> [ArraySlice<
    TranscriptEvent
  >] {
    var rest = events
    var notifications: [ArraySlice<TranscriptEvent>] = []
    let caughtUp = rest.prefix { $0.position <= link(session)?.caughtUpThrough ?? 0 }
    if !caughtUp.isEmpty {
      notifications.append(caughtUp)
      rest = rest.dropFirst(caughtUp.count)
    }
    while !rest.isEmpty {
      let count = notifications.count < ChatLimits.repeatedNotificationsMaximum ? 1 : rest.count
      notifications.append(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    return notifications
  }
}

extension ChatSession {
  func link(_ session: String) -> CometLink? { links.first { $0.session == session } }

  /// What a session's client has in any case: what went before it became active. One that has unsubscribed and subscribed
  /// again goes on behind what it had been sent, which may not have reached it yet.
  func certain(_ link: CometLink?) -> Int {
    guard let link, let base = link.activeAfter else { return basePosition }
    return base == link.sentThrough ? min(base, basePosition) : base
  }

  func hasActiveSession(except session: String, _ departed: Set<String> = []) -> Bool {
    links.contains { $0.isActive && $0.session != session && !departed.contains($0.session) }
  }

  /// The party with this number. A number that no join has given out stands for a nameless system party: `evolve`
  /// asks no questions.
  func party(_ number: Int) -> ChatParty {
    parties.indices.contains(number) ? parties[number] : ChatParty(agentID: nil, nickname: "", role: .external)
  }

  /// The number of the agent's party if the agent is in the chat.
  func presentParty(of agentID: String) -> Int? { presentAgents.first { party($0).agentID == agentID } }
}

/// Which events of a transcript are asked for.
public enum TranscriptPart: Sendable, Equatable {
  /// Those behind a position, the first ones of them; nil: all.
  case after(Int, limit: Int?)
  /// Those in front of a position, the last ones of them.
  case before(Int, limit: Int)
}
