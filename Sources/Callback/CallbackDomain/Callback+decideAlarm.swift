import EventSourcing

// What comes by the clock alone.
extension Callback {
  /// In the order in which they are carried out when they fall together.
  enum Deadline {
    case due, snooze, confirmation, agent, timeToLive, record
  }

  /// The earliest of all deadlines.
  var nextDeadline: (kind: Deadline, time: Timestamp)? {
    guard request != nil, !isForgotten else { return nil }
    if status == .completed { return keptUntil.map { (.record, $0) } }
    let others: [(kind: Deadline, time: Timestamp?)] = [
      (.agent, agentUntil), (.confirmation, confirmation?.until), (.snooze, snoozedUntil), (.due, dueAt),
    ]
    return others.reduce((.timeToLive, expiresAt)) { earliest, other in
      guard let time = other.time, time <= earliest.time else { return earliest }
      return (other.kind, time)
    }
  }

  /// Carries out each deadline that has passed, the earliest first: after a long sleep there may be several, each of
  /// which can bring or cancel others.
  ///
  /// Timers and the calendar run on different clocks. An alarm that is early by the calendar is set anew.
  func alarm(_ policy: CallbackPolicy, _ now: Timestamp) -> [CallbackEvent] {
    guard let alarm else { return [] }
    guard alarm <= now else { return [.alarmPutOff] }
    var state = self
    var events: [CallbackEvent] = []
    while let deadline = state.nextDeadline, deadline.time <= now {
      for event in state.pass(deadline.kind, policy, now) {
        state.evolve(event, at: now)
        events.append(event)
      }
    }
    return events
  }

  /// Each deadline is gone, or lies ahead, once these have happened.
  private func pass(_ deadline: Deadline, _ policy: CallbackPolicy, _ now: Timestamp) -> [CallbackEvent] {
    switch deadline {
    case .due: comeDue(now)
    case .snooze: [.snoozeEnded]
    case .confirmation: confirmationElapsed(policy, now)
    case .agent: agentID.map { [.agentReleased(agentID: $0, .timeout)] } ?? []
    case .timeToLive: complete(.timeToLive, policy, now)
    case .record: [.forgotten]
    }
  }

  /// C3.
  private func comeDue(_ now: Timestamp) -> [CallbackEvent] {
    var queued = self
    queued.evolve(.cameDue, at: now)
    return [.cameDue] + queued.leaveQueue(now)
  }

  /// What has just come from its schedule into the queue and waits for no agent has nothing to wait for there.
  func leaveQueue(_ now: Timestamp) -> [CallbackEvent] {
    guard let request, status == .queued, !request.terms.waitsForAgent else { return [] }
    return [.routed(.immediate, push: connectionPush(now))]
  }

  /// C7.
  private func confirmationElapsed(_ policy: CallbackPolicy, _ now: Timestamp) -> [CallbackEvent] {
    guard let request, let confirmation else { return [] }
    if confirmation.attempt < policy.confirmAttemptsMaximum {
      return [ask(attempt: confirmation.attempt + 1, request, policy, now)]
    }
    return policy.connectsUnconfirmed
      ? route(.unconfirmed, push: connectionPush(now), policy, now) : complete(.userDidNotConfirm, policy, now)
  }

  /// C4, C7. The push is worthless once the attempt is over.
  func ask(
    attempt: Int, _ request: CallbackRequest, _ policy: CallbackPolicy, _ now: Timestamp
  ) -> CallbackEvent {
    let until = now.deadline(after: policy.confirmTimeout)
    let dialog = request.terms.providesCode ? CallbackDialog.confirmWithCode : .confirm
    return .confirmationAsked(attempt: attempt, until: until, push: push(dialog, expiry: until, now))
  }
}
