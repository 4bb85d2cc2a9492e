public import EventSourcing

/// The events of a callback as the journal holds them. Tags and field numbers are frozen: never change one, never use
/// one again.
///
/// | field | content |
/// |---|---|
/// | 1 | request |
/// | 2 | expires at |
/// | 3 | due at |
/// | 4 | agent |
/// | 5 | until: the end of what begins |
/// | 6 | attempt, or number of a push |
/// | 7 | push |
/// | 8 | why: `CallbackRouting`, `CallbackRelease` or `CallbackReason` |
/// | 9 | note |
/// | 10 | changed field… |
/// | 11 | desired time |
/// | 12 | slot |
/// | 13 | state |
/// | 14 | key |
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
      writer.nested(1) { request.encode(into: &$0) }
      writer.time(2, expiresAt)
      writer.time(3, ifPresent: dueAt)
    case .agentReserved(let agentID, let until), .agentAccepted(let agentID, let until):
      writer.text(4, agentID)
      writer.time(5, ifPresent: until)
    case .confirmationAsked(let attempt, let until, let push):
      writer.time(5, until)
      writer.integer(6, attempt)
      if let push { writer.nested(7) { push.encode(into: &$0) } }
    case .routed(let routing, let push):
      if let push { writer.nested(7) { push.encode(into: &$0) } }
      writer.unsigned(8, UInt64(routing.rawValue))
    case .snoozed(let until):
      writer.time(5, until)
    case .agentReleased(let agentID, let release):
      writer.text(4, agentID)
      writer.unsigned(8, UInt64(release.rawValue))
    case .connected(let agentID):
      writer.text(4, agentID)
    case .completed(let reason, let note, let keptUntil):
      writer.time(5, keptUntil)
      writer.unsigned(8, UInt64(reason.rawValue))
      writer.text(9, ifNotEmpty: note)
    case .rescheduled(let schedule, let expiresAt, let dueAt):
      writer.time(2, expiresAt)
      writer.time(3, ifPresent: dueAt)
      writer.time(11, ifPresent: schedule.desiredTime)
      writer.time(12, ifPresent: schedule.slot)
    case .fieldsChanged(let fields):
      for field in fields { writer.nested(10) { field.encode(into: &$0) } }
    case .pushHandedOver(let number):
      writer.integer(6, number)
    case .erased(let state):
      writer.data(13, state)
    case .keyIssued(let key):
      writer.text(14, key)
    case .cameDue, .snoozeEnded, .forgotten, .alarmPutOff:
      break
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    let read = try EventFields(tag: tag, payload: &payload)
    switch tag {
    case 1: self = .created(try read.request.required(1), expiresAt: try read.expiresAt.required(2), dueAt: read.dueAt)
    case 2: self = .cameDue
    case 3: self = .agentReserved(agentID: try read.agentID.required(4), until: read.until)
    case 4:
      self = .confirmationAsked(
        attempt: try read.number.required(6), until: try read.until.required(5), push: read.push)
    case 5: self = .routed(try read.routing.required(8), push: read.push)
    case 6: self = .snoozed(until: try read.until.required(5))
    case 7: self = .snoozeEnded
    case 8: self = .agentAccepted(agentID: try read.agentID.required(4), until: read.until)
    case 9: self = .agentReleased(agentID: try read.agentID.required(4), try read.release.required(8))
    case 10: self = .connected(agentID: try read.agentID.required(4))
    case 11:
      self = .completed(try read.reason.required(8), note: read.note, keptUntil: try read.until.required(5))
    case 12:
      let schedule = CallbackSchedule(desiredTime: read.desiredTime, slot: read.slot)
      self = .rescheduled(schedule, expiresAt: try read.expiresAt.required(2), dueAt: read.dueAt)
    case 13: self = .fieldsChanged(read.fields)
    case 14: self = .pushHandedOver(number: try read.number.required(6))
    case 15: self = .forgotten
    case 16:
      let state = try read.state.required(13)
      // `evolve` asks no questions, so the answer is found here.
      _ = try Callback(stateBytes: state)
      self = .erased(state: state)
    case 17: self = .alarmPutOff
    case 18: self = .keyIssued(try read.key.required(14))
    default: throw .unknownTag(tag)
    }
  }
}

/// Whatever an event's payload holds.
private struct EventFields {
  var request: CallbackRequest?
  var expiresAt: Timestamp?
  var dueAt: Timestamp?
  var agentID: String?
  var until: Timestamp?
  var number: Int?
  var push: CallbackPush?
  var routing: CallbackRouting?
  var release: CallbackRelease?
  var reason: CallbackReason?
  var note = ""
  var fields: [CallbackField] = []
  var desiredTime: Timestamp?
  var slot: Timestamp?
  var state: [UInt8]?
  var key: String?

  /// - Parameter tag: says which enumeration field 8 is of.
  init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    while let field = try payload.next() {
      switch (field, tag) {
      case (1, _):
        var inner = try payload.nested()
        request = try CallbackRequest(payload: &inner)
      case (2, _): expiresAt = try payload.time()
      case (3, _): dueAt = try payload.time()
      case (4, _): agentID = try payload.text()
      case (5, _): until = try payload.time()
      case (6, _): number = try payload.count(field)
      case (7, _):
        var inner = try payload.nested()
        push = try CallbackPush(payload: &inner)
      case (8, 5): routing = try payload.code(field)
      case (8, 9): release = try payload.code(field)
      case (8, 11): reason = try payload.code(field)
      case (9, _): note = try payload.text()
      case (10, _):
        var inner = try payload.nested()
        fields.append(try CallbackField(payload: &inner))
      case (11, _): desiredTime = try payload.time()
      case (12, _): slot = try payload.time()
      case (13, _): state = try payload.data()
      case (14, _): key = try payload.text()
      default: try payload.skip()
      }
    }
  }
}
