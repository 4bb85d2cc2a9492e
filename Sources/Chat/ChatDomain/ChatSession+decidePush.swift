import EventSourcing

// When the customer is flagged disconnected: what an agent's line sets going. Spec: GMS 6.2, B7 to B12; 6.4; 6.6.
extension ChatSession {
  /// What follows from the agent's line that takes the next position.
  func consequences(
    ofAgentLine type: TranscriptEventType, _ policy: ChatPolicy, _ now: Timestamp
  ) -> [ChatEvent] {
    guard let background else { return [] }
    let position = lastPosition + 1
    var events: [ChatEvent] = []
    #if CARILLON_CANARIES
      let isForgotten = Canary.sings(.noticeForgotten)
    #else
      let isForgotten = false
    #endif
    if background.owesAbsenceNotice, !isForgotten, type == .messageText, !policy.absenceNotice.isEmpty {
      events.append(.absenceNoted(text: policy.absenceNotice))
    }
    #if CARILLON_CANARIES
      if Canary.sings(.filterInverted) {
        guard policy.pushFilter.contains(type) else { return events }
        return events + firstPush(phase: background.number, positions: [position], policy, now)
      }
    #endif
    guard policy.pushes(type) else { return events }
    switch background.stage {
    case .quiet: events += firstPush(phase: background.number, positions: [position], policy, now)
    case .waiting:
      let isFull = background.remembered.count >= max(1, policy.limits.rememberedEventsMaximum)
      events.append(.lineRemembered(position: position, droppingOldest: isFull))
    case .pushed:
      // Without a target the first request has moved the machine on; there is nothing more to ask for.
      guard pushTarget != nil else { break }
      events.append(
        .pushRequested(
          number: lastPushNumber + 1, phase: background.number, ordinal: background.pushCount + 1,
          message: policy.pushMessage, positions: [position]))
    }
    return events
  }

  /// The first qualifying events of a phase start its timer, or are pushed at once if there is no delay.
  func firstPush(phase: Int, positions: [Int], _ policy: ChatPolicy, _ now: Timestamp) -> [ChatEvent] {
    guard policy.pushDelay > .zero else { return [pushRequest(phase: phase, positions: positions, policy)] }
    return [.pushDelayStarted(phase: phase, positions: positions, deadline: now.advanced(by: policy.pushDelay))]
  }

  /// One push for everything remembered, even if the chat has ended meanwhile. Spec: GMS 6.2, B10, B17.
  func pushDelayElapsed(_ phase: Int, _ policy: ChatPolicy) -> [ChatEvent] {
    guard lifecycle == .live || lifecycle == .ended, let background, background.number == phase, background.isWaiting
    else { return [] }
    return [pushRequest(phase: phase, positions: background.remembered, policy)]
  }

  /// Takes back the timer that runs, if one does.
  var pushDelayCancellation: [ChatEvent] {
    guard let background, background.isWaiting else { return [] }
    return [.pushDelayCancelled(phase: background.number)]
  }

  /// Of the last push alone: agents look where the conversation stands. One whose taking over the chat has not heard of
  /// (that was a hint too) is taken over by it.
  func pushSettled(_ number: Int, _ outcome: ChatPushOutcome) -> [ChatEvent] {
    guard lifecycle == .live || lifecycle == .ended else { return [] }
    let settled = ChatEvent.pushSettled(number: number, outcome: outcome)
    if owedPushes.last?.number == number { return [.pushHandedOver(number: number), settled] }
    let last = annotations.lastPush
    return last?.number == number && last?.outcome != outcome ? [settled] : []
  }

  private func pushRequest(phase: Int, positions: [Int], _ policy: ChatPolicy) -> ChatEvent {
    .pushRequested(
      number: lastPushNumber + 1, phase: phase, ordinal: 1, message: policy.pushMessage, positions: positions)
  }
}
