public import EventSourcing

/// Where the customer of a live chat is, as agents are told.
public enum CustomerPhase: String, Sendable, CaseIterable {
  case foreground
  /// Their app has said that it goes.
  case background
  /// They are gone without a word.
  case lost
}

// What lists of chats show of each. None of it is kept for that: it is read off the transcript, from its end.
extension ChatSession {
  /// Lines at the end of a transcript that are looked at for one that says more than that somebody types.
  private static let typingNoticesMaximum = 64

  /// The last line that agents see and that is not about typing; nil before the start.
  public var lastLine: AgentLine? {
    var (place, hidden) = (transcript.count, agentOnlyLines.count)
    for _ in 0..<Self.typingNoticesMaximum {
      if hidden > 0, agentOnlyLines[hidden - 1].index == place + hidden {
        return AgentLine(position: nil, content: agentOnlyLines[hidden - 1].line)
      }
      guard place > 0 else { break }
      let event = transcript[place - 1]
      if event.type != .typingStarted, event.type != .typingStopped { return AgentLine(event) }
      place -= 1
    }
    return transcript.last.map(AgentLine.init)
  }

  /// Customer's lines that say something behind `position`, counted up to `maximum`.
  public func unread(after position: Int, maximum: Int) -> Int {
    var count = 0
    for event in events(after: position).reversed() where event.says(by: .customer) {
      count += 1
      if count == maximum { break }
    }
    return count
  }

  /// Since when the customer of a live chat waits for a word of an agent: the oldest of their lines that nobody has
  /// answered, or since when nobody is there. Nil if nobody waits.
  public var waitingSince: Timestamp? {
    guard isLive else { return nil }
    var (asked, left) = (Timestamp?.none, Timestamp?.none)
    for event in transcript.reversed() {
      if event.says(by: .agents) { break }
      if event.says(by: .customer) { asked = event.time }
      // With the last one the chat was left alone.
      if left == nil, event.type == .left { left = event.time }
    }
    guard isWaiting else { return asked }
    let alone = left ?? startedAt
    return min(alone, asked ?? alone)
  }

  /// Nil for a chat that is not live.
  public var customerPhase: CustomerPhase? {
    guard isLive else { return nil }
    guard background != nil else { return .foreground }
    return annotations.presence?.isLost == true ? .lost : .background
  }

  /// Since when the customer is where they are; nil for a chat that is not live, and where a version that did not keep it
  /// has seen them go.
  public var customerPhaseSince: Timestamp? {
    guard isLive else { return nil }
    return annotations.presence?.since ?? (background == nil ? startedAt : nil)
  }

  /// The last push that a queue has taken over.
  public var lastPush: HandedPush? { annotations.lastPush }

  /// When the chat was over; nil while it is not. Its last line says so.
  public var endedAt: Timestamp? { isEnded ? transcript.last?.time : nil }
}

extension TranscriptEvent {
  enum Side { case customer, agents }

  /// Somebody of this side says something, and does not only come, go or type.
  func says(by side: Side) -> Bool {
    type.saysSomething && (role == .client) == (side == .customer)
  }
}

extension TranscriptEventType {
  /// It is more than a coming, a going or typing.
  package var saysSomething: Bool {
    switch self {
    case .messageText, .pushURL, .custom, .file: true
    case .typingStarted, .typingStopped, .joined, .left: false
    }
  }
}
