import EngineKit
import EventSourcing
import PushDomain
import PushEngine
import SupportDomain

/// Tells of support requests. A comment's number stands where a chat has the position in its transcript.
struct SupportRequestNarrator: Narrator {
  private var requests: [String: Trace] = [:]

  /// What later events of a request refer to.
  private struct Trace {
    var requester = "requester"
    var unansweredSince: Timestamp?
    /// The duties that are the storage's, not a queue's.
    var keeping: Set<Int> = []
  }

  mutating func tell(
    _ tag: EventTag, _ payload: UnsafeRawBufferPointer, _ blank: TimelineEntry, _ people: inout TimelinePeople
  ) -> [TimelineEntry]? {
    guard let event: SupportRequestEvent = Self.decode(tag, payload), let key = blank.entity?.key else { return nil }
    var trace = requests[key] ?? Trace()
    defer { requests[key] = trace }
    let producer = SupportService.prefix + key
    switch event {
    case .created(let terms, let comment, let tags, let fields, let duties):
      trace.requester = people.name(user: terms.requester, .endUser)
      people.learn(trace.requester, chat: producer, userKey: nil)
      return [Self.created(terms, comment, tags.count, fields.count, blank, people)]
        + [Self.said(comment, blank, &trace, people)] + Self.owed(duties, producer, blank, &trace, &people)
    case .commentAdded(let comment, let noticeAt, let duties):
      var entry = Self.said(comment, blank, &trace, people)
      if let noticeAt {
        entry.remark += "; its notification waits \(TimelineSpan(.silence, from: blank.time, to: noticeAt).text)"
      }
      return [entry] + Self.owed(duties, producer, blank, &trace, &people)
    case .updated(let author, let status, let tags, let fields, let assignee, let duties):
      let (author, assignee) = (
        author.map { people.name(user: $0, .agent) }, assignee.map { people.name(user: $0, .agent) }
      )
      return [Self.updated(by: author, status, tags, fields.count, assignee, blank)]
        + Self.owed(duties, producer, blank, &trace, &people)
    case .notificationPlanned(_, let duties):
      return Self.owed(duties, producer, blank, &trace, &people)
    case .notificationSuppressed, .refreshed, .read, .handedOver, .erased, .filesDropped, .alarmPutOff:
      return [Self.bookkeeping(event, blank, &trace, people)]
    }
  }

  private static func created(
    _ terms: SupportRequestTerms, _ comment: SupportComment, _ tags: Int, _ fields: Int, _ blank: TimelineEntry,
    _ people: TimelinePeople
  ) -> TimelineEntry {
    var entry = blank
    let requester = people.name(user: terms.requester, .endUser)
    entry.who = people.name(user: comment.author, comment.role)
    entry.what = "makes the request" + (comment.author == terms.requester ? "" : " for \(requester)")
    entry.what += terms.app.map { " in the app \($0)" } ?? ""
    entry.what += " (\(terms.channel.name)) about"
    entry.text = terms.subject
    let extent = [(tags, "tag"), (fields, "field")].filter { $0.0 > 0 }.map { count($0, $1) }
    if !extent.isEmpty { entry.remark = ", with " + extent.joined(separator: " and ") }
    if let chat = terms.transcript {
      entry.remark += "; it comes from the chat \(chat.serviceID.prefix(12))…, up to event \(chat.position)"
    }
    return entry
  }

  private static func said(
    _ comment: SupportComment, _ blank: TimelineEntry, _ trace: inout Trace, _ people: TimelinePeople
  ) -> TimelineEntry {
    var entry = blank
    entry.who = people.name(user: comment.author, comment.role)
    entry.transcriptPosition = comment.number
    entry.what = comment.isPublic ? "comments" : "comments for agents only"
    entry.text = comment.body
    if !comment.attachments.isEmpty {
      let bytes = comment.attachments.reduce(0) { $0 + $1.size }
      entry.remark = ", with \(count(comment.attachments.count, "file")) of \(bytes) bytes"
    }
    if comment.role == .endUser {
      trace.unansweredSince = trace.unansweredSince ?? blank.time
    } else if comment.isPublic, let asked = trace.unansweredSince {
      let span = TimelineSpan(.answerTime, from: asked, to: blank.time)
      entry.spans = [span]
      entry.remark += " (answers after \(span.text))"
      trace.unansweredSince = nil
    }
    return entry
  }

  private static func updated(
    by author: String?, _ status: SupportStatus?, _ tags: [String]?, _ fields: Int, _ assignee: String?,
    _ blank: TimelineEntry
  ) -> TimelineEntry {
    var entry = blank
    entry.who = author ?? "somebody"
    let changes =
      [
        status.map { "makes it \($0.name)" }, assignee.map { "assigns it to \($0)" },
        fields > 0 ? "changes \(count(fields, "field"))" : nil,
        tags.map { $0.isEmpty ? "takes its tags away" : "tags it" },
      ].compactMap(\.self)
    entry.what = changes.joined(separator: "; ")
    entry.text = tags.flatMap { $0.isEmpty ? nil : $0.joined(separator: ", ") }
    return entry
  }

  /// Notes the pushes, so that their queues can tell whom they are for, and how long they took.
  private static func owed(
    _ duties: [SupportDuty], _ producer: String, _ blank: TimelineEntry, _ trace: inout Trace,
    _ people: inout TimelinePeople
  ) -> [TimelineEntry] {
    var entries: [TimelineEntry] = []
    for duty in duties {
      var entry = blank
      entry.who = "server"
      switch duty.kind {
      case .notify(let comment, let part):
        let push = PushID(producer: producer, number: duty.number)
        people.pushRequested(push, at: blank.time)
        entry.fate = TimelineFate(message: PushUUID.text(of: push))
        entry.what = "tells \(count(part.devices.count, "device")) of comment \(comment) by \(part.integration.name)"
        entry.remark = (part.language.map { ", in the language \($0)" } ?? "") + ", by push \(duty.number)"
      case .report(_, let comment):
        people.pushRequested(PushID(producer: producer, number: duty.number), at: blank.time, for: "the helpdesk")
        entry.what = "tells the helpdesk of \(comment.map { "comment \($0)" } ?? "the change"), by push \(duty.number)"
        entry.isDetail = true
      case .keepFiles(let comment):
        trace.keeping.insert(duty.number)
        entry.what = "has the storage keep the files of comment \(comment)"
        entry.isDetail = true
      }
      entries.append(entry)
    }
    return entries
  }

  private static func bookkeeping(
    _ event: SupportRequestEvent, _ blank: TimelineEntry, _ trace: inout Trace, _ people: TimelinePeople
  ) -> TimelineEntry {
    var entry = blank
    entry.who = "server"
    switch event {
    case .notificationSuppressed(let comment, let reason, let devices):
      entry.fate = TimelineFate(reason: "\(reason)")
      let whom = devices.isEmpty ? "nobody" : "not " + list(devices)
      entry.what = "tells \(whom) of comment \(comment): \(reason.sentence)"
    case .refreshed(let comment, let device):
      entry.who = trace.requester
      entry.what = "has comment \(comment) on the screen of device \(device)"
    case .read(let comment, let device):
      entry.who = trace.requester
      entry.what = "has read up to comment \(comment)" + (device.map { ", on device \($0)" } ?? "")
      entry.isDetail = true
    case .handedOver(let number):
      let isKept = trace.keeping.remove(number) != nil
      entry.what = isKept ? "has the files in safety" : "owes push \(number) no longer: its queue has it"
      entry.isDetail = true
    case .erased(let state):
      let terms = (try? SupportRequest(stateBytes: state))?.terms
      if let terms { trace.requester = people.name(user: terms.requester, .endUser) } else { trace = Trace() }
      (entry.who, entry.what) =
        terms == nil
        ? ("operator", "has erased what was said, and whose request it was") : ("request", "states itself anew")
      entry.isDetail = terms != nil
    case .filesDropped: entry.what = "has dropped the files of the erased comments"
    case .alarmPutOff:
      entry.what = "sets the alarm of the request anew: the clock was set back"
      entry.isDetail = true
    default: break
    }
    return entry
  }

  /// `1 device`, `2 devices`.
  private static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)" + (count == 1 ? "" : "s") }

  /// `device 1`, `devices 1, 2`.
  private static func list(_ devices: [Int]) -> String {
    (devices.count == 1 ? "device " : "devices ") + devices.map(String.init).joined(separator: ", ")
  }
}

extension SupportSuppression {
  fileprivate var sentence: String {
    switch self {
    case .noDevices: "no device is registered that could be reached"
    case .refreshed: "it is on the screen already"
    case .coalesced: "a newer comment takes its place"
    }
  }
}
