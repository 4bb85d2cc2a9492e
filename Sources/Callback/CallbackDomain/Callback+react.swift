// What each event wants done outside. Asked just after `evolve`.
extension Callback {
  public func react(to event: CallbackEvent) -> [CallbackEffect] {
    alarmHasMoved ? [alarm.map { .setAlarm(at: $0) } ?? .cancelAlarm] + effects(of: event) : effects(of: event)
  }

  private func effects(of event: CallbackEvent) -> [CallbackEffect] {
    switch event {
    case .created, .rescheduled: [.changed(status == .scheduled ? .scheduled : .queued)]
    case .cameDue, .snoozeEnded: [.changed(.queued)]
    case .fieldsChanged, .erased: [.changed(.updated)]

    // Held back while the customer is asked: there is nothing to take yet.
    case .agentReserved(_, until: nil): [.changed(.updated)]
    case .agentReserved(let agentID, _):
      [.changed(agentHasAccepted ? .accepted(agentID: agentID) : .offered(agentID: agentID))]
    case .agentAccepted(let agentID, _): [.changed(.accepted(agentID: agentID))]
    case .agentReleased(let agentID, .timeout):
      [.changed(.released(agentID: agentID)), .agentMissed(agentID: agentID)]
    case .agentReleased(let agentID, _): [.changed(.released(agentID: agentID))]
    case .connected(let agentID): [.changed(.connected(agentID: agentID))]

    case .confirmationAsked(let attempt, _, let push): [.changed(.confirming(attempt: attempt))] + handOver(push)
    case .routed(_, let push): [.changed(.routing)] + handOver(push)
    case .snoozed: [.changed(.snoozed)]

    case .completed(let reason, _, _): [.changed(.completed(reason))]
    case .forgotten: [.forgotten]
    case .keyIssued(let key): [.keyIssued(key)]
    case .pushHandedOver, .alarmPutOff: []
    }
  }

  private func handOver(_ push: CallbackPush?) -> [CallbackEffect] { push.map { [.push($0)] } ?? [] }

  public var outstandingEffects: [CallbackEffect] {
    handOver(owedPush) + (alarm.map { [.setAlarm(at: $0)] } ?? [])
  }
}
