import EventSourcing

// What the customer, or an operator in their place, wants.
extension Callback {
  /// Spec: GMS 9.1; C1, C2.
  func create(
    _ request: CallbackRequest, _ policy: CallbackPolicy, _ now: Timestamp
  ) throws(CallbackRejection) -> [CallbackEvent] {
    guard self.request == nil else { throw .exists }
    try policy.limits.check(request)
    let times = Times(request.desiredTime, policy, now)
    let created = CallbackEvent.created(request, expiresAt: times.expiresAt, dueAt: times.dueAt)
    let dialsAtOnce =
      times.dueAt == nil && !request.terms.waitsForAgent
      && CallbackDialog.connection(request.terms) == .connectInbound
    // The reply brings the number to dial: nothing is left to push.
    return dialsAtOnce ? [created, .routed(.immediate, push: nil)] : [created]
  }

  /// C6. Comes twice where an app follows a push and a reply.
  func connect(_ policy: CallbackPolicy, _ now: Timestamp) throws(CallbackRejection) -> [CallbackEvent] {
    try requireOpen()
    return status == .queued ? route(.confirmed, push: nil, policy, now) : []
  }

  /// C8. Of one that sleeps already it is a repetition.
  func snooze(_ policy: CallbackPolicy, _ now: Timestamp) throws(CallbackRejection) -> [CallbackEvent] {
    try requireOpen()
    guard status == .queued, snoozedUntil == nil else { return [] }
    #if CARILLON_CANARIES
      if Canary.sings(.snoozeKeepsAgent) { return [.snoozed(until: now.deadline(after: policy.snoozeDuration))] }
    #endif
    return letGo(.agent) + [.snoozed(until: now.deadline(after: policy.snoozeDuration))]
  }

  /// C10.
  func cancel(
    _ note: String, _ policy: CallbackPolicy, _ now: Timestamp
  ) throws(CallbackRejection) -> [CallbackEvent] {
    try requireOpen()
    let limit = policy.limits.noteBytesMaximum
    guard note.utf8.count <= limit else { throw .tooLong(field: "reason", limit: limit) }
    return complete(.cancelled, note: note, policy, now)
  }

  /// C13.
  func update(
    _ changes: [NameValuePair], _ schedule: CallbackSchedule?, _ policy: CallbackPolicy, _ now: Timestamp
  ) throws(CallbackRejection) -> [CallbackEvent] {
    let request = try requireOpen()
    try policy.limits.check(changes)
    let merged = request.fields.merging(changes)
    try policy.limits.check(merged)
    let fieldsChanged: [CallbackEvent] = merged == request.fields ? [] : [.fieldsChanged(changes)]
    guard let schedule, schedule != CallbackSchedule(desiredTime: request.desiredTime, slot: request.slot) else {
      return fieldsChanged
    }
    return fieldsChanged + (try reschedule(schedule, policy, now))
  }

  private func reschedule(
    _ schedule: CallbackSchedule, _ policy: CallbackPolicy, _ now: Timestamp
  ) throws(CallbackRejection) -> [CallbackEvent] {
    guard status == .scheduled || status == .queued else { throw .wrongState(status) }
    let times = Times(schedule.desiredTime, policy, now)
    let rescheduled = CallbackEvent.rescheduled(schedule, expiresAt: times.expiresAt, dueAt: times.dueAt)
    var moved = self
    moved.evolve(rescheduled, at: now)
    return letGo(.replaced) + [rescheduled] + (status == .scheduled ? moved.leaveQueue(now) : [])
  }

  /// Spec: GMS 9.3. One for each callback; whose key was made for it needs no other.
  func issue(_ key: String) throws(CallbackRejection) -> [CallbackEvent] {
    try requireOpen().chatKey == nil ? [.keyIssued(key)] : []
  }

  /// Spec: GMS 9.7. The customer need not be asked any more.
  func chatStarted(_ policy: CallbackPolicy, _ now: Timestamp) throws(CallbackRejection) -> [CallbackEvent] {
    try requireOpen()
    switch status {
    case .queued: return route(.chatStarted, push: nil, policy, now)
    case .routing, .processing: return []
    case .scheduled, .completed: throw .wrongState(status)
    }
  }

  /// Also of one that was put off while its chat was on: under its id there is no second one.
  func chatEnded(_ policy: CallbackPolicy, _ now: Timestamp) -> [CallbackEvent] {
    switch status {
    case .scheduled where request == nil: []
    case .processing: complete(.agentConnected, policy, now)
    case .scheduled, .queued, .routing: complete(.cancelled, note: "the customer left the chat", policy, now)
    case .completed: []
    }
  }

  private func letGo(_ release: CallbackRelease) -> [CallbackEvent] {
    agentID.map { [.agentReleased(agentID: $0, release)] } ?? []
  }
}

/// The deadlines that a desired time makes.
private struct Times {
  /// Nil for one that goes into the queue at once.
  let dueAt: Timestamp?
  let expiresAt: Timestamp

  init(_ desiredTime: Timestamp?, _ policy: CallbackPolicy, _ now: Timestamp) {
    let due = desiredTime?.advanced(by: .zero - policy.executionBuffer)
    dueAt = due.flatMap { $0 > now ? $0 : nil }
    expiresAt = max(now, desiredTime ?? now).advanced(by: policy.timeToLive)
  }
}
