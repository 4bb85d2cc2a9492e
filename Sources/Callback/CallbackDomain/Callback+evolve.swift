public import EventSourcing

// What each event leaves behind.
extension Callback {
  public mutating func evolve(_ event: CallbackEvent, at time: Timestamp) {
    let before = alarm
    record(event, at: time)
    switch event {
    // Replay may begin with a restatement: whatever the alarm was before, it counts as set anew.
    case .alarmPutOff, .erased: alarmHasMoved = true
    default: alarmHasMoved = alarm != before
    }
  }

  private mutating func record(_ event: CallbackEvent, at time: Timestamp) {
    switch event {
    case .created(let request, let expiresAt, let dueAt):
      self.request = request
      createdAt = time
      wait(until: dueAt, expiresAt, since: time)
    case .cameDue:
      wait(until: nil, expiresAt, since: time)
    case .rescheduled(let schedule, let expiresAt, let dueAt):
      request?.desiredTime = schedule.desiredTime
      request?.slot = schedule.slot
      endQuestion()
      // One that is in the queue already keeps its place.
      wait(until: dueAt, expiresAt, since: queuedAt ?? time)
    case .fieldsChanged(let changes):
      if let fields = request?.fields { request?.fields = fields.merging(changes) }

    case .confirmationAsked(let attempt, let until, let push):
      confirmation = Confirmation(attempt: attempt, until: until)
      owe(push)
    case .routed(_, let push):
      status = .routing
      endQuestion()
      owe(push)
    case .snoozed(let until):
      endQuestion()
      snoozedUntil = until
    case .snoozeEnded:
      snoozedUntil = nil

    case .agentReserved(let agentID, let until):
      hold(agentID, hasAccepted: agentHasAccepted, until: until)
    case .agentAccepted(let agentID, let until):
      hold(agentID, hasAccepted: true, until: until)
    case .agentReleased:
      hold(nil, hasAccepted: false, until: nil)
    case .connected(let agentID):
      status = .processing
      endQuestion()
      hold(agentID, hasAccepted: true, until: nil)

    case .completed(let reason, let note, let keptUntil):
      complete(reason, note: note, keptUntil: keptUntil)
    case .pushHandedOver(let number):
      if owedPush?.number == number { owedPush = nil }
    case .forgotten:
      isForgotten = true
    case .erased(let state):
      // Bytes that are no state are refused when the event is decoded.
      if let restated = try? Callback(stateBytes: state) { self = restated }
    case .alarmPutOff:
      break
    case .keyIssued(let key):
      request?.issuedKey = key
    }
  }

  private mutating func wait(until dueAt: Timestamp?, _ expiresAt: Timestamp, since queuedAt: Timestamp) {
    self.dueAt = dueAt
    self.expiresAt = expiresAt
    self.queuedAt = dueAt == nil ? queuedAt : nil
    status = dueAt == nil ? .queued : .scheduled
  }

  private mutating func complete(_ reason: CallbackReason, note: String, keptUntil: Timestamp) {
    status = .completed
    self.reason = reason
    self.note = note
    self.keptUntil = keptUntil
    dueAt = nil
    endQuestion()
    lastAgentID = agentHasAccepted ? agentID : nil
    hold(nil, hasAccepted: false, until: nil)
  }

  private mutating func hold(_ agentID: String?, hasAccepted: Bool, until: Timestamp?) {
    self.agentID = agentID
    agentHasAccepted = hasAccepted
    agentUntil = until
  }

  /// The customer is neither asked nor left alone any more, and what they were to be told is out of date.
  private mutating func endQuestion() {
    confirmation = nil
    snoozedUntil = nil
    owedPush = nil
  }

  /// A newer push takes the place of one that no queue has.
  private mutating func owe(_ push: CallbackPush?) {
    guard let push else { return }
    owedPush = push
    pushCount = push.number
  }
}

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
