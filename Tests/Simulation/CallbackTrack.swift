import CallbackDomain
import EventSourcing

/// One callback as its records tell it, by rules of its own.
struct CallbackTrack {
  /// What has to happen at its time, and not before.
  enum Deadline: Hashable { case due, snooze, question, agent, timeToLive, record }

  /// How an agent came to it.
  struct Hold: Equatable {
    let agentID: String
    /// Held from the offer on; false if the agent just took over.
    let wasOffered: Bool
    var isConnected = false
  }

  private(set) var serviceName = ""
  private(set) var userKey = ""
  private(set) var status = CallbackStatus.scheduled
  private(set) var reason: CallbackReason?
  private(set) var slot: Timestamp?
  private(set) var hold: Hold?
  private(set) var deadlines: [Deadline: Timestamp] = [:]
  /// The clock that the deadlines were set by.
  private var since: [Deadline: Int] = [:]
  private(set) var pushes: Set<Int> = []
  private(set) var lastPush = 0
  /// The push that is owed to the queue of its device.
  private(set) var owed: Int?
  private(set) var isForgotten = false
  private(set) var isErased = false
  private(set) var isChat = false

  var isOpen: Bool { status != .completed }

  /// The next free agent is for it.
  var wantsAgent: Bool {
    hold == nil
      && (status == .routing || status == .queued && deadlines[.question] == nil && deadlines[.snooze] == nil)
  }

  mutating func apply(_ event: CallbackEvent, at time: Timestamp, _ moment: Moment) throws {
    try refuseWhatComesTooLate(event)
    switch event {
    case .created(let request, let expiresAt, let dueAt):
      (serviceName, userKey, slot) = (request.serviceName, request.userKey, request.slot)
      isChat = request.terms.media == .chat
      place(dueAt, expiresAt, moment)
    case .rescheduled(let schedule, let expiresAt, let dueAt):
      slot = schedule.slot
      guard hold == nil else { throw Failure(.callbackByTheRules, "it is moved, and an agent is held for it") }
      owed = nil
      end([.question, .snooze])
      place(dueAt, expiresAt, moment)
    case .cameDue:
      try fire(.due, at: time, moment)
      status = .queued
    case .snoozed(let until):
      guard status == .queued, hold == nil else {
        throw Failure(.callbackByTheRules, "it is snoozed, and is \(status.name) with \(hold?.agentID ?? "nobody")")
      }
      owed = nil
      end([.question])
      begin(.snooze, until, moment)
    case .snoozeEnded: try fire(.snooze, at: time, moment)
    case .agentReserved(let agentID, let until): try reserve(agentID, until, moment)
    case .agentAccepted(let agentID, let until):
      try require(agentID)
      until.map { begin(.agent, $0, moment) } ?? end([.agent])
    case .agentReleased(let agentID, let release):
      try require(agentID)
      if release == .timeout { try fire(.agent, at: time, moment) }
      hold = nil
      end([.agent])
    case .confirmationAsked(let attempt, let until, let push):
      if attempt > 1 { try fire(.question, at: time, moment) }
      begin(.question, until, moment)
      try ask(push)
    case .routed(let routing, let push):
      if routing == .unconfirmed { try fire(.question, at: time, moment) }
      status = .routing
      owed = nil
      end([.question, .snooze])
      try ask(push)
    case .connected(let agentID):
      if let hold, hold.agentID != agentID {
        throw Failure(.callbackByTheRules, "\(agentID) is connected, and \(hold.agentID) is held")
      }
      status = .processing
      owed = nil
      hold = hold ?? Hold(agentID: agentID, wasOffered: false)
      hold?.isConnected = true
      end([.question, .snooze, .agent])
    case .completed(let reason, _, let keptUntil): try complete(reason, keptUntil, at: time, moment)
    case .pushHandedOver(let number):
      guard owed == number else { throw Failure(.onePushOneOutcome, "push \(number) is handed over, and not owed") }
      owed = nil
    case .forgotten:
      try fire(.record, at: time, moment)
      isForgotten = true
    case .erased:
      isErased = true
      userKey = ""
    case .fieldsChanged, .alarmPutOff, .keyIssued: break
    }
  }

  private func refuseWhatComesTooLate(_ event: CallbackEvent) throws {
    if isForgotten { throw Failure(.callbackStaysOver, "a record behind its end: \(event)") }
    guard status == .completed else { return }
    switch event {
    case .forgotten, .erased, .alarmPutOff: break
    default: throw Failure(.callbackStaysOver, "it is over, and then: \(event)")
    }
  }

  private mutating func place(_ dueAt: Timestamp?, _ expiresAt: Timestamp, _ moment: Moment) {
    status = dueAt == nil ? .queued : .scheduled
    dueAt.map { begin(.due, $0, moment) } ?? end([.due])
    begin(.timeToLive, expiresAt, moment)
  }

  private mutating func reserve(_ agentID: String, _ until: Timestamp?, _ moment: Moment) throws {
    if let hold, hold.agentID != agentID {
      throw Failure(.callbackByTheRules, "\(agentID) is held beside \(hold.agentID)")
    }
    guard status == .queued || status == .routing else {
      throw Failure(.callbackByTheRules, "\(agentID) is held for one that is \(status.name)")
    }
    hold = hold ?? Hold(agentID: agentID, wasOffered: true)
    until.map { begin(.agent, $0, moment) } ?? end([.agent])
  }

  private func require(_ agentID: String) throws {
    guard hold?.agentID == agentID else {
      throw Failure(.callbackByTheRules, "\(agentID) speaks, and \(hold?.agentID ?? "nobody") is held")
    }
  }

  private mutating func ask(_ push: CallbackPush?) throws {
    guard let push else { return }
    guard push.number == lastPush + 1 else {
      throw Failure(.onePushOneOutcome, "push \(push.number) follows \(lastPush)")
    }
    lastPush = push.number
    pushes.insert(push.number)
    owed = push.number
  }

  private mutating func complete(
    _ reason: CallbackReason, _ keptUntil: Timestamp, at time: Timestamp, _ moment: Moment
  ) throws {
    switch reason {
    case .timeToLive: try fire(.timeToLive, at: time, moment)
    case .userDidNotConfirm where deadlines[.question] != nil: try fire(.question, at: time, moment)
    default: break
    }
    (status, self.reason, hold, owed) = (.completed, reason, nil, nil)
    end([.due, .snooze, .question, .agent, .timeToLive])
    begin(.record, keptUntil, moment)
  }

  // MARK: Timers

  private mutating func begin(_ deadline: Deadline, _ time: Timestamp, _ moment: Moment) {
    deadlines[deadline] = time
    since[deadline] = moment.clockSettings
  }

  private mutating func end(_ ended: [Deadline]) { for deadline in ended { deadlines[deadline] = nil } }

  /// Once, and with the clock untouched meanwhile never before its time.
  private mutating func fire(_ deadline: Deadline, at time: Timestamp, _ moment: Moment) throws {
    guard let due = deadlines.removeValue(forKey: deadline) else {
      throw Failure(.timersFireInTime, "a deadline (\(deadline)) passes that there is not")
    }
    if moment.clockSettings == since[deadline], time < due {
      throw Failure(.timersFireInTime, "a deadline (\(deadline)) at \(due) passes at \(time)")
    }
  }
}
