public import EventSourcing

/// The state of a callback as snapshots and restatements hold it. Field numbers are frozen.
///
/// | field | content |
/// |---|---|
/// | 1 | status (always written) |
/// | 2 | request (absent: no event yet) |
/// | 3 | reason (absent: it is not over) |
/// | 4 | note (absent: none) |
/// | 5 | created at (absent: no event yet) |
/// | 6 | in the queue since (absent: never was) |
/// | 7 | expires at (absent: no event yet) |
/// | 8 | due at (absent: it is not scheduled) |
/// | 9 | agent (absent: none is held) |
/// | 10 | the agent has accepted (absent: no) |
/// | 11 | the agent is held until (absent: without a deadline) |
/// | 12 | confirmation: attempt 1, until 2 (absent: the customer is not asked) |
/// | 13 | snoozed until (absent: it is not) |
/// | 14 | pushes so far (absent: 0) |
/// | 15 | push that is owed (absent: none) |
/// | 16 | kept until (absent: it is not over) |
/// | 17 | forgotten (absent: no) |
/// | 18 | the last event moved the alarm (absent: no) |
/// | 19 | agent at its end (absent: none, or it is not over) |
extension Callback: RestorableState {
  public func encodeState(into writer: inout PayloadWriter) {
    writer.unsigned(1, UInt64(status.rawValue))
    if let request {
      writer.nested(2) { request.encode(into: &$0) }
      writer.time(5, createdAt)
      writer.time(7, expiresAt)
    }
    if let reason { writer.unsigned(3, UInt64(reason.rawValue)) }
    writer.text(4, ifNotEmpty: note)
    writer.time(6, ifPresent: queuedAt)
    writer.time(8, ifPresent: dueAt)
    writer.text(9, ifPresent: agentID)
    writer.bool(10, ifTrue: agentHasAccepted)
    writer.time(11, ifPresent: agentUntil)
    if let confirmation { writer.nested(12) { confirmation.encode(into: &$0) } }
    writer.time(13, ifPresent: snoozedUntil)
    if pushCount != 0 { writer.integer(14, pushCount) }
    if let owedPush { writer.nested(15) { owedPush.encode(into: &$0) } }
    writer.time(16, ifPresent: keptUntil)
    writer.bool(17, ifTrue: isForgotten)
    writer.bool(18, ifTrue: alarmHasMoved)
    writer.text(19, ifPresent: lastAgentID)
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    var status: CallbackStatus?
    while let field = try payload.next() {
      switch field {
      case 1: status = try payload.code(field)
      case 2:
        var inner = try payload.nested()
        request = try CallbackRequest(payload: &inner)
      case 3: reason = try payload.code(field)
      case 4: note = try payload.text()
      case 5: createdAt = try payload.time()
      case 6: queuedAt = try payload.time()
      case 7: expiresAt = try payload.time()
      case 8: dueAt = try payload.time()
      case 9: agentID = try payload.text()
      case 10: agentHasAccepted = try payload.bool()
      case 11: agentUntil = try payload.time()
      case 12:
        var inner = try payload.nested()
        confirmation = try Confirmation(payload: &inner)
      case 13: snoozedUntil = try payload.time()
      case 14: pushCount = try payload.count(field)
      case 15:
        var inner = try payload.nested()
        owedPush = try CallbackPush(payload: &inner)
      case 16: keptUntil = try payload.time()
      case 17: isForgotten = try payload.bool()
      case 18: alarmHasMoved = try payload.bool()
      case 19: lastAgentID = try payload.text()
      default: try payload.skip()
      }
    }
    self.status = try status.required(1)
    // A deadline that nobody is held to would never pass.
    guard agentID != nil || agentUntil == nil else { throw .missingField(9) }
  }

  /// Its alarm wakes it; awake only while a push has to be handed over.
  public var rest: Rest { owedPush == nil ? .asleep(until: alarm) : .wakeful }
}

extension Callback.Confirmation {
  fileprivate func encode(into writer: inout PayloadWriter) {
    writer.integer(1, attempt)
    writer.time(2, until)
  }

  fileprivate init(payload: inout PayloadReader) throws(PayloadError) {
    var attempt: Int?, until: Timestamp?
    while let field = try payload.next() {
      switch field {
      case 1: attempt = try payload.count(field)
      case 2: until = try payload.time()
      default: try payload.skip()
      }
    }
    self.init(attempt: try attempt.required(1), until: try until.required(2))
  }
}
