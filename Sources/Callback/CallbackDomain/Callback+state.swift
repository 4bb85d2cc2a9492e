public import EventSourcing

/// The state of a callback as snapshots and restatements hold it. Field numbers are frozen; what is absent is nil, false,
/// empty or zero.
extension Callback: RestorableState {
  private enum Field {
    /// Always written.
    static let status = PayloadField<CallbackStatus>(1)
    /// This and the times of its making and its end are absent before the first event.
    static let request = PayloadField<CallbackRequest>(2)
    static let reason = PayloadField<CallbackReason>(3)
    static let note = PayloadField<String>(4)
    static let createdAt = PayloadField<Timestamp>(5)
    static let queuedAt = PayloadField<Timestamp>(6)
    static let expiresAt = PayloadField<Timestamp>(7)
    static let dueAt = PayloadField<Timestamp>(8)
    static let agentID = PayloadField<String>(9)
    static let agentHasAccepted = PayloadField<Bool>(10)
    static let agentUntil = PayloadField<Timestamp>(11)
    static let confirmation = PayloadField<Confirmation>(12)
    static let snoozedUntil = PayloadField<Timestamp>(13)
    static let pushCount = PayloadField<Count>(14)
    static let owedPush = PayloadField<CallbackPush>(15)
    static let keptUntil = PayloadField<Timestamp>(16)
    static let isForgotten = PayloadField<Bool>(17)
    static let alarmHasMoved = PayloadField<Bool>(18)
    static let lastAgentID = PayloadField<String>(19)
  }

  public func encodeState(into writer: inout PayloadWriter) {
    writer.put(Field.status, status)
    if let request {
      writer.put(Field.request, request)
      writer.put(Field.createdAt, createdAt)
      writer.put(Field.expiresAt, expiresAt)
    }
    writer.put(Field.reason, ifPresent: reason)
    writer.put(Field.note, ifNotEmpty: note)
    writer.put(Field.queuedAt, ifPresent: queuedAt)
    writer.put(Field.dueAt, ifPresent: dueAt)
    writer.put(Field.agentID, ifPresent: agentID)
    writer.put(Field.agentHasAccepted, ifTrue: agentHasAccepted)
    writer.put(Field.agentUntil, ifPresent: agentUntil)
    writer.put(Field.confirmation, ifPresent: confirmation)
    writer.put(Field.snoozedUntil, ifPresent: snoozedUntil)
    writer.put(Field.pushCount, pushCount, unless: 0)
    writer.put(Field.owedPush, ifPresent: owedPush)
    writer.put(Field.keptUntil, ifPresent: keptUntil)
    writer.put(Field.isForgotten, ifTrue: isForgotten)
    writer.put(Field.alarmHasMoved, ifTrue: alarmHasMoved)
    writer.put(Field.lastAgentID, ifPresent: lastAgentID)
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    let read = try PayloadFields(&payload)
    status = try read.required(Field.status)
    request = try read[Field.request]
    reason = try read[Field.reason]
    note = try read[Field.note] ?? ""
    createdAt = try read[Field.createdAt] ?? .epoch
    queuedAt = try read[Field.queuedAt]
    expiresAt = try read[Field.expiresAt] ?? .epoch
    dueAt = try read[Field.dueAt]
    agentID = try read[Field.agentID]
    agentHasAccepted = try read[Field.agentHasAccepted] ?? false
    agentUntil = try read[Field.agentUntil]
    confirmation = try read[Field.confirmation]
    snoozedUntil = try read[Field.snoozedUntil]
    pushCount = try read[Field.pushCount] ?? 0
    owedPush = try read[Field.owedPush]
    keptUntil = try read[Field.keptUntil]
    isForgotten = try read[Field.isForgotten] ?? false
    alarmHasMoved = try read[Field.alarmHasMoved] ?? false
    lastAgentID = try read[Field.lastAgentID]
    // A deadline that nobody is held to would never pass.
    guard agentID != nil || agentUntil == nil else { throw .missingField(Field.agentID.number) }
  }

  /// Its alarm wakes it; awake only while a push has to be handed over.
  public var rest: Rest { owedPush == nil ? .asleep(until: alarm) : .wakeful }
}

extension Callback.Confirmation: PayloadPart {
  private enum Field {
    static let attempt = PayloadField<Count>(1)
    static let until = PayloadField<Timestamp>(2)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.attempt, attempt)
    writer.put(Field.until, until)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(attempt: try read.required(Field.attempt), until: try read.required(Field.until))
  }
}
