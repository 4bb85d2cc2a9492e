public import EventSourcing

/// The fields of all events of a callback. A number means the same in every event and is never used again for another.
private enum Field {
  static let request = PayloadField<CallbackRequest>(1)
  static let expiresAt = PayloadField<Timestamp>(2)
  static let dueAt = PayloadField<Timestamp>(3)
  static let agentID = PayloadField<String>(4)
  /// The end of what begins.
  static let until = PayloadField<Timestamp>(5)
  /// Of the confirmation.
  static let attempt = PayloadField<Count>(6)
  /// Of a push.
  static let number = PayloadField<Count>(6)
  static let push = PayloadField<CallbackPush>(7)
  /// Why: no event has more than one of these.
  static let routing = PayloadField<CallbackRouting>(8)
  static let release = PayloadField<CallbackRelease>(8)
  static let reason = PayloadField<CallbackReason>(8)
  static let note = PayloadField<String>(9)
  static let changed = PayloadField<NameValuePair>(10)
  static let desiredTime = PayloadField<Timestamp>(11)
  static let slot = PayloadField<Timestamp>(12)
  static let state = PayloadField<[UInt8]>(13)
  static let key = PayloadField<String>(14)
}

/// The events of a callback as the journal holds them. Tags and field numbers are frozen: never change one, never use
/// one again.
extension CallbackEvent {
  public var tag: EventTag {
    switch self {
    case .created: 1
    case .cameDue: 2
    case .agentReserved: 3
    case .confirmationAsked: 4
    case .routed: 5
    case .snoozed: 6
    case .snoozeEnded: 7
    case .agentAccepted: 8
    case .agentReleased: 9
    case .connected: 10
    case .completed: 11
    case .rescheduled: 12
    case .fieldsChanged: 13
    case .pushHandedOver: 14
    case .forgotten: 15
    case .erased: 16
    case .alarmPutOff: 17
    case .keyIssued: 18
    }
  }

  public static func isRestatement(_ tag: EventTag) -> Bool { tag == 16 }

  public func encode(into writer: inout PayloadWriter) {
    switch self {
    case .created(let request, let expiresAt, let dueAt):
      writer.put(Field.request, request)
      writer.put(Field.expiresAt, expiresAt)
      writer.put(Field.dueAt, ifPresent: dueAt)
    case .agentReserved(let agentID, let until), .agentAccepted(let agentID, let until):
      writer.put(Field.agentID, agentID)
      writer.put(Field.until, ifPresent: until)
    case .confirmationAsked(let attempt, let until, let push):
      writer.put(Field.until, until)
      writer.put(Field.attempt, attempt)
      writer.put(Field.push, ifPresent: push)
    case .routed(let routing, let push):
      writer.put(Field.push, ifPresent: push)
      writer.put(Field.routing, routing)
    case .snoozed(let until):
      writer.put(Field.until, until)
    case .agentReleased(let agentID, let release):
      writer.put(Field.agentID, agentID)
      writer.put(Field.release, release)
    case .connected(let agentID):
      writer.put(Field.agentID, agentID)
    case .completed(let reason, let note, let keptUntil):
      writer.put(Field.until, keptUntil)
      writer.put(Field.reason, reason)
      writer.put(Field.note, ifNotEmpty: note)
    case .rescheduled(let schedule, let expiresAt, let dueAt):
      writer.put(Field.expiresAt, expiresAt)
      writer.put(Field.dueAt, ifPresent: dueAt)
      writer.put(Field.desiredTime, ifPresent: schedule.desiredTime)
      writer.put(Field.slot, ifPresent: schedule.slot)
    case .fieldsChanged(let fields):
      writer.put(each: Field.changed, fields)
    case .pushHandedOver(let number):
      writer.put(Field.number, number)
    case .erased(let state):
      writer.put(Field.state, state)
    case .keyIssued(let key):
      writer.put(Field.key, key)
    case .cameDue, .snoozeEnded, .forgotten, .alarmPutOff:
      break
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    switch tag {
    case 1:
      self = .created(
        try read.required(Field.request), expiresAt: try read.required(Field.expiresAt),
        dueAt: try read[Field.dueAt])
    case 2: self = .cameDue
    case 3: self = .agentReserved(agentID: try read.required(Field.agentID), until: try read[Field.until])
    case 4:
      self = .confirmationAsked(
        attempt: try read.required(Field.attempt), until: try read.required(Field.until),
        push: try read[Field.push])
    case 5:
      let push = try read[Field.push]
      self = .routed(try read.required(Field.routing), push: push)
    case 6: self = .snoozed(until: try read.required(Field.until))
    case 7: self = .snoozeEnded
    case 8: self = .agentAccepted(agentID: try read.required(Field.agentID), until: try read[Field.until])
    case 9:
      let release = try read.required(Field.release)
      self = .agentReleased(agentID: try read.required(Field.agentID), release)
    case 10: self = .connected(agentID: try read.required(Field.agentID))
    case 11:
      self = .completed(
        try read.required(Field.reason), note: try read[Field.note] ?? "", keptUntil: try read.required(Field.until))
    case 12:
      let schedule = CallbackSchedule(desiredTime: try read[Field.desiredTime], slot: try read[Field.slot])
      self = .rescheduled(schedule, expiresAt: try read.required(Field.expiresAt), dueAt: try read[Field.dueAt])
    case 13: self = .fieldsChanged(try read.all(Field.changed))
    case 14: self = .pushHandedOver(number: try read.required(Field.number))
    case 15: self = .forgotten
    case 16:
      let state = try read.required(Field.state)
      // `evolve` asks no questions, so the answer is found here.
      _ = try Callback(stateBytes: state)
      self = .erased(state: state)
    case 17: self = .alarmPutOff
    case 18: self = .keyIssued(try read.required(Field.key))
    default: throw .unknownTag(tag)
    }
  }
}
