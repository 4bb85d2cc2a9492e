import CallbackDomain
import EngineKit
import EventSourcing
import PushDomain
import PushEngine

/// Tells of callbacks.
struct CallbackNarrator: Narrator {
  private var callbacks: [String: Trace] = [:]

  /// What later events of a callback refer to.
  private struct Trace {
    var queuedAt: Timestamp?
    var connectedAt: Timestamp?
    /// The agent who has taken it.
    var acceptedBy: String?
    var hasHadAgent = false
  }

  mutating func tell(
    _ tag: EventTag, _ payload: UnsafeRawBufferPointer, _ blank: TimelineEntry, _ people: inout TimelinePeople
  ) -> [TimelineEntry]? {
    guard let event: CallbackEvent = Self.decode(tag, payload), let key = blank.entity?.key else { return nil }
    var trace = callbacks[key] ?? Trace()
    defer { callbacks[key] = event == .forgotten ? nil : trace }
    var entry = blank
    entry.who = "server"
    switch event {
    case .created, .rescheduled, .fieldsChanged, .snoozed:
      entry.who = people.name(chat: key)
      Self.customer(event, &entry, &trace)
    case .agentReserved, .agentAccepted, .agentReleased, .connected:
      Self.agent(event, &entry, &trace)
    case .cameDue:
      trace.queuedAt = blank.time
      entry.what = "takes the callback into the queue: its time has come"
    case .snoozeEnded: entry.what = "takes the callback into the queue again"
    case .confirmationAsked(let attempt, let until, let push):
      entry.what = "asks the customer whether it suits them now"
      let again = attempt > 1 ? ", for the \(attempt). time" : ""
      entry.remark = "\(again), and waits \(TimelineSpan(.silence, from: blank.time, to: until).text)" + Self.by(push)
      Self.note(push, of: key, &entry, &people)
    case .routed(let routing, let push):
      if routing == .confirmed || routing == .chatStarted { entry.who = people.name(chat: key) }
      entry.what = routing.sentence
      entry.remark = Self.by(push)
      Self.note(push, of: key, &entry, &people)
    case .completed(let reason, let note, _): Self.complete(reason, note, &entry, trace)
    case .pushHandedOver(let number):
      entry.what = "owes push \(number) no longer: the device's queue has it"
      entry.isDetail = true
    case .alarmPutOff:
      entry.what = "sets the alarm of the callback anew: the clock was set back"
      entry.isDetail = true
    case .keyIssued:
      entry.what = "makes a key for the chat of this callback: somebody asks who shows none"
      entry.isDetail = true
    case .forgotten: entry.what = "lets the callback go: it was kept long enough"
    case .erased(let state):
      (entry.who, entry.what) = ("operator", "has erased what the customer brought")
      let callback = try? Callback(stateBytes: state)
      trace = Trace(queuedAt: callback?.queuedAt)
    }
    return [entry]
  }

  private static func customer(_ event: CallbackEvent, _ entry: inout TimelineEntry, _ trace: inout Trace) {
    switch event {
    case .created(let request, _, let dueAt):
      if dueAt == nil { trace.queuedAt = entry.time }
      entry.what = "orders a callback of the service \(request.serviceName)" + time(request.desiredTime)
      entry.text = pairs(request.fields)
      if entry.text != nil { entry.what += " with" }
      if let device = request.device { entry.remark = "; pushes go to a device of the type \(device.type)" }
    case .rescheduled(let schedule, _, let dueAt):
      trace.queuedAt = dueAt == nil ? trace.queuedAt ?? entry.time : nil
      entry.what = "moves the callback" + (schedule.desiredTime == nil ? " to now" : time(schedule.desiredTime))
    case .fieldsChanged(let fields):
      entry.what = "changes the callback:"
      entry.text = pairs(fields)
    case .snoozed(let until):
      entry.what = "does not want to be asked for \(TimelineSpan(.silence, from: entry.time, to: until).text)"
    default: break
    }
  }

  private static func agent(_ event: CallbackEvent, _ entry: inout TimelineEntry, _ trace: inout Trace) {
    switch event {
    case .agentReserved(let agentID, let until):
      entry.who = agentID
      let time = until.map { TimelineSpan(.silence, from: entry.time, to: $0).text }
      switch (trace.acceptedBy == agentID, time) {
      case (_, nil): entry.what = "is held for the callback while the customer is asked"
      case (true, let time?): entry.what = "is to connect within \(time)"
      case (false, let time?): entry.what = "is offered the callback, for \(time)"
      }
      wait(&entry, &trace)
    case .agentAccepted(let agentID, _):
      trace.acceptedBy = agentID
      (entry.who, entry.what) = (agentID, "takes the callback")
    case .agentReleased(let agentID, let release):
      trace.acceptedBy = nil
      (entry.who, entry.what) = (agentID, release.sentence)
    case .connected(let agentID):
      trace.acceptedBy = agentID
      trace.connectedAt = entry.time
      (entry.who, entry.what) = (agentID, "is connected with the customer")
      wait(&entry, &trace)
    default: break
    }
  }

  /// How long the queue was, once.
  private static func wait(_ entry: inout TimelineEntry, _ trace: inout Trace) {
    if !trace.hasHadAgent, let since = trace.queuedAt {
      let span = TimelineSpan(.waitedForAgent, from: since, to: entry.time)
      entry.spans = [span]
      entry.remark = ", after \(span.text) in the queue"
    }
    trace.hasHadAgent = true
  }

  private static func complete(
    _ reason: CallbackReason, _ note: String, _ entry: inout TimelineEntry, _ trace: Trace
  ) {
    entry.what = "ends the callback: \(reason.sentence)" + (note.isEmpty ? "" : ", as")
    entry.text = note.isEmpty ? nil : note
    guard let start = trace.connectedAt else { return }
    let span = TimelineSpan(.conversation, from: start, to: entry.time)
    entry.spans = [span]
    entry.remark = " after \(span.text)"
  }

  /// So that its queue can tell how long it took.
  private static func note(
    _ push: CallbackPush?, of key: String, _ entry: inout TimelineEntry, _ people: inout TimelinePeople
  ) {
    guard let push else { return }
    let id = PushID(producer: CallbackInterpreter.prefix + key, number: push.number)
    people.pushRequested(id, at: entry.time)
    entry.fate = TimelineFate(message: PushUUID.text(of: id))
  }

  private static func by(_ push: CallbackPush?) -> String {
    push.map { ", by push \($0.number) (\($0.dialog.action))" } ?? ""
  }

  private static func time(_ time: Timestamp?) -> String { time.map { " for \($0.iso8601)" } ?? "" }

  private static func pairs(_ fields: [NameValuePair]) -> String? {
    fields.isEmpty ? nil : fields.map { "\($0.name)=\($0.value)" }.joined(separator: ", ")
  }
}

extension CallbackRouting {
  fileprivate var sentence: String {
    switch self {
    case .agentReady: "calls upon the customer: an agent is ready"
    case .confirmed: "is ready for the call"
    case .unconfirmed: "gets no answer, and connects the customer all the same"
    case .immediate: "lets the customer be connected at once"
    case .chatStarted: "starts the chat of the callback"
    }
  }
}

extension CallbackRelease {
  fileprivate var sentence: String {
    switch self {
    case .timeout: "does not react in time, and loses the callback"
    case .agent: "lets the callback go"
    case .replaced: "is not needed for the callback any more"
    }
  }
}

extension CallbackReason {
  fileprivate var sentence: String {
    switch self {
    case .agentConnected: "the conversation is over"
    case .cancelled: "it was cancelled"
    case .userDidNotConfirm: "the customer did not answer"
    case .timeToLive: "its time to live has passed"
    case .agentConnectFailed: "the agent could not be connected"
    case .callToCustomerFailed: "the customer could not be called"
    case .noCustomerNumber: "there is no number to call"
    case .error: "the call failed"
    case .notAvailable: "nobody was available"
    }
  }
}
