// What each event wants done outside. Asked just after `evolve`: the line that an event appended is the last one.
extension ChatSession {
  public func react(to event: ChatEvent) -> [ChatEffect] {
    switch event {
    case .created: return [.startTimer(.timeToLive, at: timeToLiveDeadline)]
    case .timeToLiveExtended(let deadline): return [.startTimer(.timeToLive, at: deadline)]
    case .started:
      return [.opened, .notifyAgents(.waiting)] + transcript.map { .notifyAgents(.line(AgentLine($0))) }
    case .expired: return [.expired]
    case .dataUpdated: return [.notifyAgents(.dataChanged)]
    case .pushTargetChanged(let target): return target.map { [.pushTargetNamed($0)] } ?? []
    case .served: return []
    // Agents are to read anew. Whether they thought the customer away is not known any more; they may hear it twice.
    case .erased: return isLive ? [.notifyAgents(.dataChanged), .notifyAgents(.customerOnline(true))] : []

    case .linePosted, .agentJoined: return lastLine
    case .agentLeft: return presentAgents.isEmpty ? lastLine + [.notifyAgents(.waiting)] : lastLine
    case .chatEnded: return lastLine + [.notifyAgents(.ended), .ended]

    case .previewTyped(let text): return [.notifyAgents(.typingPreview(text))]
    case .absenceNoted, .returnNoted:
      return agentOnlyLines.last.map { [.notifyAgents(.line(AgentLine(position: nil, content: $0.line)))] } ?? []

    case .cometSubscribed(let session, let activeAfter), .cometConnected(let session, let activeAfter):
      return activeAfter.map { catchUp(of: session, after: $0) } ?? []
    case .cometUnsubscribed, .cometDetached, .positionStated: return []
    case .customerAbsent: return [.notifyAgents(.customerOnline(false))]
    case .customerReturned: return isLive ? [.notifyAgents(.customerOnline(true))] : []

    case .pushDelayStarted(let phase, _, let deadline): return [.startTimer(.pushDelay(phase: phase), at: deadline)]
    case .pushDelayCancelled(let phase): return [.cancelTimer(.pushDelay(phase: phase))]
    case .pushRequested(let number, _, _, _, _):
      return owedPushes.last.flatMap { $0.number == number ? [.push($0)] : nil } ?? []
    case .lineRemembered, .pushHandedOver: return []
    }
  }

  /// The line that was just appended: to the customer's active sessions and to the agents.
  private var lastLine: [ChatEffect] {
    guard let line = transcript.last else { return [] }
    let sessions = activeSessions
    let toAgents = ChatEffect.notifyAgents(.line(AgentLine(line)))
    return sessions.isEmpty ? [toAgents] : [.publish(sessions: sessions, events: [line], ended: isEnded), toAgents]
  }

  /// Everything that the session missed, as exactly one notification; none if it missed nothing. Spec: GMS 6.5.
  private func catchUp(of session: String, after position: Int) -> [ChatEffect] {
    let missed = events(after: position)
    return missed.isEmpty ? [] : [.publish(sessions: [session], events: Array(missed), ended: isEnded)]
  }
}
