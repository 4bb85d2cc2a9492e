import EngineKit
import EventSourcing
import PushDomain

/// Tells of the queues of devices.
struct PushNarrator: Narrator {
  mutating func tell(
    _ tag: EventTag, _ payload: UnsafeRawBufferPointer, _ blank: TimelineEntry, _ people: inout TimelinePeople
  ) -> [TimelineEntry]? {
    guard let event: PushEvent = Self.decode(tag, payload) else { return nil }
    var entry = blank
    entry.who = "push"
    entry.fate = event.fate
    switch event {
    case .enqueued(let message):
      entry.what = "\(Self.name(message.id, people)) is in the queue of its device"
      entry.isDetail = true
    case .declined(let id, let outcome, _):
      Self.end(id, outcome, attempts: 0, &entry, people)
      people.pushEnded(id)
    case .settled(let id, let outcome, let attempts, let answer, let isDeadLetter, let report):
      Self.end(id, outcome, attempts: attempts, &entry, people)
      if let reason = report?.reason { entry.what += " (\(reason))" }
      entry.remark += Self.doubt(report) + (answer.map { ", as \($0)" } ?? "")
      // There may be more to tell of it.
      if isDeadLetter { entry.remark += ", and is kept as a dead letter" } else { people.pushEnded(id) }
    case .attemptBegan(let id, let attempt, let isRepetition):
      entry.what = "\(Self.name(id, people)): attempt \(attempt) goes out as \(PushUUID.text(of: id))"
      if isRepetition { entry.remark = ", once more: the server stopped before its end, it may come twice" }
      entry.isDetail = attempt == 1 && !isRepetition
    case .attemptReturned(let id, let attempt, let reason, let report):
      entry.what = "\(Self.name(id, people)): attempt \(attempt) does not count"
      entry.remark = Self.parenthesis(reason) + Self.doubt(report)
    case .deadLetterRetried(let id):
      entry.what = "\(Self.name(id, people)) is a dead letter no longer: it is tried again"
    case .deadLetterDropped(let id):
      entry.what = "\(Self.name(id, people)) is no longer kept as a dead letter"
      entry.isDetail = true
      people.pushEnded(id)
    case .retryScheduled(let id, let attempt, let until, let reason, let report):
      let pause = TimelineSpan(.silence, from: blank.time, to: until)
      entry.what = "\(Self.name(id, people)): attempt \(attempt) failed"
      entry.remark = Self.parenthesis(reason) + Self.doubt(report) + ", tries again in \(pause.text)"
    case .pauseEnded(let producer):
      entry.what = "goes on for \(people.name(chat: producer))"
      entry.isDetail = true
    case .unregistered(let reason): entry.what = "the device is gone (\(reason))"
    case .registered: entry.what = "the device is there again"
    case .producerForgotten(let producer):
      entry.what = "forgets the numbers of \(people.name(chat: producer)), to make room"
      entry.isDetail = true
    case .mailStored(let mail):
      entry.what = "message \(mail.id) from \(mail.origin) waits for \(mail.category)"
      entry.isDetail = true
    case .mailEnded(let mails, let ending):
      entry.what = (mails.count == 1 ? "message \(mails[0].id) " : "\(mails.count) messages ") + ending.verdict
      entry.isDetail = ending == .acknowledged
    case .mailDropped(let last, let count):
      entry.what = "\(count) messages for \(last.category) were dropped: too many waited"
    case .mailNoticed(let last, let count, let isOpen):
      let fate = isOpen ? "it never confirmed" : "were dropped"
      entry.what = "the receiver is to hear of \(count) messages for \(last.category) that \(fate)"
    case .receiverConfirms:
      entry.what = "the receiver confirms what it gets"
      entry.isDetail = true
    case .erased(let pushes, _):
      entry.what = pushes.isEmpty ? "states its queue anew" : "what \(pushes.count) pushes said was erased"
      entry.isDetail = pushes.isEmpty
    }
    return [entry]
  }

  private static func end(
    _ id: PushID, _ outcome: FinalPushOutcome, attempts: Int, _ entry: inout TimelineEntry, _ people: TimelinePeople
  ) {
    let verdict =
      switch outcome {
      case .delivered: "was delivered"
      case .refused: "was refused"
      case .failed: "failed"
      case .expired: "was not delivered: its time was over"
      case .collapsed: "was replaced by a newer one"
      case .overflowed: "was dropped: the queue was full"
      case .unregistered: "was not delivered: the device is gone"
      case .erased: "was erased before it was delivered"
      }
    entry.what = "\(name(id, people)) \(verdict)" + (outcome.reason.map(parenthesis) ?? "")
    var remark: [String] = []
    if let asked = people.pushRequest(id) {
      let span = TimelineSpan(.requestToOutcome, from: asked, to: entry.time)
      entry.spans = [span]
      remark.append("\(span.text) after it was asked for")
    }
    if attempts > 1 { remark.append("\(attempts) attempts") }
    if !remark.isEmpty { entry.remark = ", " + remark.joined(separator: ", ") }
  }

  /// The request was written and its answer never came.
  private static func doubt(_ report: PushReport?) -> String {
    report?.mayBeDelivered == true ? ", may have been delivered all the same" : ""
  }

  private static func parenthesis(_ reason: String) -> String { reason.isEmpty ? "" : " (\(reason))" }

  private static func name(_ id: PushID, _ people: TimelinePeople) -> String {
    "push \(id.number) to \(people.receiver(of: id))"
  }
}

extension PushEvent {
  /// What a machine is to know of it.
  fileprivate var fate: TimelineFate? {
    func fate(_ id: PushID, _ outcome: String? = nil, _ reason: String? = nil, until: Timestamp? = nil) -> TimelineFate
    {
      TimelineFate(message: PushUUID.text(of: id), outcome: outcome, reason: reason, until: until)
    }
    switch self {
    case .enqueued(let message): return fate(message.id)
    case .attemptBegan(let id, _, _), .deadLetterRetried(let id), .deadLetterDropped(let id): return fate(id)
    case .declined(let id, let outcome, _): return fate(id, outcome.name, outcome.reason)
    case .settled(let id, let outcome, _, _, let isDeadLetter, let report):
      var ended = fate(id, outcome.name, report?.reason ?? outcome.reason)
      ended.isDeadLetter = isDeadLetter
      return ended
    case .attemptReturned(let id, _, let reason, _): return fate(id, nil, reason)
    case .retryScheduled(let id, _, let until, let reason, _): return fate(id, nil, reason, until: until)
    case .unregistered(let reason): return TimelineFate(reason: reason)
    case .erased(let pushes, _):
      guard let first = pushes.first else { return nil }
      return pushes.count == 1 ? fate(first.id, "erased") : TimelineFate(outcome: "erased")
    case .mailStored(let mail): return TimelineFate(message: mail.id)
    case .mailEnded(let mails, let ending):
      return TimelineFate(message: mails.count == 1 ? mails[0].id : nil, outcome: ending.name)
    case .pauseEnded, .registered, .producerForgotten, .mailDropped, .mailNoticed, .receiverConfirms: return nil
    }
  }
}

extension MailEnding {
  fileprivate var verdict: String {
    switch self {
    case .acknowledged: "reached the receiver"
    case .collapsed: "gave way to a newer one"
    case .evicted: "gave way to another collapse key"
    case .expired: "expired"
    case .unregistered: "ended with the registration"
    case .unconfirmed: "made room: it was sent, and never confirmed"
    case .dropped: "was dropped: too many waited"
    }
  }
}
