public import EventSourcing

/// What has happened to a callback.
public enum CallbackEvent: JournaledEvent {
  /// - Parameter expiresAt: the end of its time to live.
  case created(CallbackRequest, expiresAt: Timestamp, dueAt: Timestamp?)
  /// C3.
  case cameDue
  /// An agent is held for it.
  /// - Parameter until: when the agent is let go without a word; nil while the customer is asked.
  case agentReserved(agentID: String, until: Timestamp?)
  /// C4, C7: the customer is asked for the `attempt`-th time since the agent came.
  /// - Parameter push: nil without a device.
  case confirmationAsked(attempt: Int, until: Timestamp, push: CallbackPush?)
  /// To `ROUTING`. - Parameter push: what the customer is told; nil if they know already, or have no device.
  case routed(CallbackRouting, push: CallbackPush?)
  /// C8: the agent is free again.
  case snoozed(until: Timestamp)
  case snoozeEnded
  /// - Parameter until: when the agent is let go if not connected; nil while the customer is asked.
  case agentAccepted(agentID: String, until: Timestamp?)
  case agentReleased(agentID: String, CallbackRelease)
  /// C9.
  case connected(agentID: String)
  /// - Parameters:
  ///   - note: who or why, for people; empty if there is nothing to say.
  ///   - keptUntil: until then its record can be asked for.
  case completed(CallbackReason, note: String, keptUntil: Timestamp)
  /// C13.
  case rescheduled(CallbackSchedule, expiresAt: Timestamp, dueAt: Timestamp?)
  /// Merged into its fields; an empty value deletes.
  case fieldsChanged([NameValuePair])
  case pushHandedOver(number: Int)
  /// Its record is no longer kept: nothing follows.
  case forgotten
  /// The whole state, without what the customer brought.
  case erased(state: [UInt8])
  /// The alarm came early by the calendar (the clock was set back, or runs slower than timers do): it is set anew.
  case alarmPutOff
  /// A key was made for this callback alone: it opens its chat.
  case keyIssued(String)
}

/// Why a callback went to `ROUTING`. The raw values are frozen (journal).
public enum CallbackRouting: UInt8, PayloadCode, Codable {
  /// C5: nobody had to be asked.
  case agentReady = 1
  /// C6.
  case confirmed = 2
  /// C7, `CONNECT-ANYWAY`.
  case unconfirmed = 3
  /// 9.1 row 1: the customer dials at once; or its time has come and it waits for no agent.
  case immediate = 4
  /// The customer has started the chat.
  case chatStarted = 5
}

/// Why an agent is no longer held. The raw values are frozen (journal).
public enum CallbackRelease: UInt8, PayloadCode, Codable {
  /// Did not accept, or did not connect, in time.
  case timeout = 1
  /// Said so: refused, or is not ready any more.
  case agent = 2
  /// Another agent has taken over.
  case replaced = 3
}

/// One push of a callback: which dialog the app is to fetch. Spec: GMS 9.6.
public struct CallbackPush: Sendable, Equatable, Codable {
  /// 1, 2, 3, … within the callback.
  public let number: Int
  public let dialog: CallbackDialog
  /// From then on it is worthless; nil for the time to live of pushes.
  public let expiry: Timestamp?

  public init(number: Int, dialog: CallbackDialog, expiry: Timestamp? = nil) {
    self.number = number
    self.dialog = dialog
    self.expiry = expiry
  }
}

/// What a callback wants done.
public enum CallbackEffect: Sendable, Equatable {
  /// For index, router and agents' streams: read the state. Comes with each event that changes what they see, but the
  /// last (`forgotten`).
  case changed(CallbackChange)
  case setAlarm(at: Timestamp)
  case cancelAlarm
  case push(CallbackPush)
  /// The agent did not react in time: is to be taken for not ready.
  case agentMissed(agentID: String)
  /// This key opens its chat from now on.
  case keyIssued(String)
  case forgotten
}

/// What agents' streams say of it.
public enum CallbackChange: Sendable, Equatable {
  case scheduled, queued, offered(agentID: String), accepted(agentID: String), released(agentID: String)
  case confirming(attempt: Int), snoozed, routing, connected(agentID: String), completed(CallbackReason)
  case updated

  /// Whom it is about.
  public var agentID: String? {
    switch self {
    case .offered(let id), .accepted(let id), .released(let id), .connected(let id): id
    case .scheduled, .queued, .confirming, .snoozed, .routing, .completed, .updated: nil
    }
  }
}

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
