import EventSourcing

// Lawful erasure: what the customer said and who they are goes, the course of the chat stays.
extension ChatSession {
  /// The event carries the whole state, so that replay can begin with it once the records before it are erased. It
  /// comes every time, for the same reason: an earlier one may be among the records that go.
  func erase() -> [ChatEvent] {
    guard lifecycle != .absent, lifecycle != .expired else { return [] }
    return pushDelayCancellation + [.erased(state: scrubbed.stateBytes)]
  }

  /// This chat without anything that the customer brought or that was said to them.
  ///
  /// Positions, counts, types, roles, times, deadlines, numbers, agents and the ids that Carillon made stay. Texts that
  /// never vary stay as well. Without a user the client goes on polling and sending by the service id; a chat that had
  /// one is for agents only from now on, since nobody can show that it is theirs.
  private var scrubbed: ChatSession {
    var chat = self
    chat.data = []
    chat.isUserErased = isUserErased || userKey != nil
    chat.userKey = nil
    chat.pushTarget = nil
    if !subject.isEmpty { chat.subject = ErasurePlaceholder.text }
    chat.parties = parties.map { party in
      party.role == .client
        ? ChatParty(agentID: party.agentID, nickname: ErasurePlaceholder.text, role: party.role) : party
    }
    chat.transcript = transcript.map(\.scrubbed)
    chat.agentOnlyLines = agentOnlyLines.map { AgentOnlyLine(index: $0.index, line: $0.line.scrubbed) }
    // What the sessions are known to have been given is not given again.
    chat.basePosition = links.compactMap(\.activeAfter).reduce(basePosition, max)
    chat.links = []
    chat.background = nil
    chat.owedPushes = []
    chat.annotations = annotations.scrubbed
    return chat
  }
}

extension TranscriptEvent {
  fileprivate var scrubbed: TranscriptEvent { TranscriptEvent(position: position, content: content.scrubbed) }
}

extension TranscriptLine {
  fileprivate var scrubbed: TranscriptLine {
    TranscriptLine(
      type: type, nickname: role == .client ? ErasurePlaceholder.text : nickname,
      text: type.fixedText ?? ErasurePlaceholder.text, role: role, time: time)
  }
}
