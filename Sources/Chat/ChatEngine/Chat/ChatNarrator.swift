import ChatDomain
import EngineKit
import EventSourcing
import PushDomain
import PushEngine

/// Tells of chats.
struct ChatNarrator: Narrator {
  private var chats: [String: Trace] = [:]

  /// What later events of a chat refer to.
  private struct Trace {
    var names: [String] = []
    var position = 0
    var startedAt: Timestamp?
    var hasHadAgent = false
    var unansweredSince: Timestamp?
    var absentSince: Timestamp?
    var delayStartedAt: Timestamp?
    /// Without a device to push to, pushes are mere bookkeeping.
    var hasDevice = false

    func name(_ party: Int) -> String { names.indices.contains(party) ? names[party] : "party \(party)" }

    mutating func next() -> Int {
      position += 1
      return position
    }
  }

  mutating func tell(
    _ tag: EventTag, _ payload: UnsafeRawBufferPointer, _ blank: TimelineEntry, _ people: inout TimelinePeople
  ) -> [TimelineEntry]? {
    guard let event: ChatEvent = Self.decode(tag, payload), let key = blank.entity?.key else { return nil }
    var trace = chats[key] ?? Trace()
    defer { chats[key] = event == .expired ? nil : trace }
    switch event {
    case .created, .started, .expired, .timeToLiveExtended, .dataUpdated, .pushTargetChanged, .served, .chatEnded,
      .erased:
      return Self.instance(event, key, blank, &trace, &people)
    case .linePosted, .filePosted, .agentJoined, .agentLeft, .previewTyped, .absenceNoted, .returnNoted:
      return [Self.conversation(event, blank, &trace)]
    case .privateNoted, .read, .agentInvited, .deskChanged, .wrappedUp, .offered, .offerEnded:
      return [Self.desk(event, blank)]
    case .cometSubscribed, .cometConnected, .cometUnsubscribed, .cometDetached, .customerAbsent, .positionStated,
      .customerReturned:
      return [Self.link(event, blank, &trace)]
    case .pushDelayStarted, .lineRemembered, .pushDelayCancelled, .pushRequested, .pushHandedOver, .pushSettled:
      return [Self.push(event, key, blank, &trace, &people)]
    }
  }

  private static func instance(
    _ event: ChatEvent, _ key: String, _ blank: TimelineEntry, _ trace: inout Trace, _ people: inout TimelinePeople
  ) -> [TimelineEntry] {
    var entry = blank
    entry.who = trace.names.first ?? "customer"
    switch event {
    case .created(let serviceName, let data, let expiresAt, _):
      entry.what = "opens a chat of the service \(serviceName)" + (data.isEmpty ? "" : " with")
      entry.text = pairs(data)
      entry.remark = data.isEmpty ? ", kept until \(expiresAt.iso8601)" : ""
      entry.isDetail = data.isEmpty
    case .started(let start):
      trace.names = [start.nickname]
      trace.startedAt = blank.time
      trace.hasDevice = start.pushTarget != nil
      people.learn(start.nickname, chat: key, userKey: start.userKey)
      return started(start, blank, &trace)
    case .dataUpdated(let data):
      entry.what = "changes the attached data:"
      entry.text = pairs(data)
    case .pushTargetChanged(let target):
      trace.hasDevice = target != nil
      entry.what =
        target.map { "wants pushes at a device of the type \($0.type) from now on" } ?? "wants no more pushes"
    case .served(let position):
      entry.what = "was given the events up to \(position)"
      entry.isDetail = true
    case .timeToLiveExtended(let deadline):
      (entry.who, entry.what) = ("server", "keeps the chat until \(deadline.iso8601)")
      entry.isDetail = true
    case .chatEnded(let party, let cause):
      entry.transcriptPosition = trace.next()
      entry.who = trace.name(party)
      entry.what = cause == .timeToLive ? "is taken out: nobody used the chat any more" : "ends the chat"
      if let start = trace.startedAt {
        let span = TimelineSpan(.chat, from: start, to: blank.time)
        entry.spans = [span]
        entry.remark = " after \(span.text)"
      }
    case .expired:
      (entry.who, entry.what) = ("server", "lets the chat go: its time to live has passed")
      people.forget(chat: key)
    default:
      (entry.who, entry.what) = ("operator", "has erased what the customer wrote and left")
      if case .erased(let state) = event, let chat = try? ChatSession(stateBytes: state) {
        trace.names = chat.parties.map(\.nickname)
        trace.position = chat.lastPosition
        trace.startedAt = chat.isStarted ? chat.startedAt : nil
        trace.hasHadAgent = chat.parties.count > 1
        trace.hasDevice = chat.pushTarget != nil
        if let name = trace.names.first { people.learn(name, chat: key, userKey: chat.userKey) }
      }
    }
    return [entry]
  }

  private static func started(_ start: ChatStart, _ blank: TimelineEntry, _ trace: inout Trace) -> [TimelineEntry] {
    var entry = blank
    entry.who = start.nickname
    entry.what = "starts a chat" + (start.subject.isEmpty ? "" : " about")
    entry.text = start.subject.isEmpty ? nil : start.subject
    entry.transcriptPosition = trace.next()
    if let target = start.pushTarget { entry.remark = "; pushes go to a device of the type \(target.type)" }
    if !start.notifiesByComet { entry.remark = "; the app polls" }
    guard let first = start.firstMessage, !first.isEmpty else { return [entry] }
    var message = blank
    message.who = start.nickname
    message.text = first
    message.transcriptPosition = trace.next()
    trace.unansweredSince = blank.time
    return [entry, message]
  }

  private static func conversation(_ event: ChatEvent, _ blank: TimelineEntry, _ trace: inout Trace) -> TimelineEntry {
    var entry = blank
    switch event {
    case .linePosted(let party, let type, let text):
      entry.who = trace.name(party)
      entry.transcriptPosition = trace.next()
      switch type {
      case .messageText: say(text, party, &entry, &trace)
      case .typingStarted: entry.what = "is typing"
      case .typingStopped: entry.what = "stops typing"
      case .pushURL: (entry.what, entry.text) = ("shows the page", text)
      case .custom: (entry.what, entry.text) = ("sends the notice", text)
      case .joined, .left, .file: entry.what = type.fixedText ?? ""
      }
    case .filePosted(let party, let file):
      entry.who = trace.name(party)
      entry.transcriptPosition = trace.next()
      say(file.name, party, &entry, &trace)
      entry.what = "sends the file"
      entry.remark = " (\(file.contentType), \(file.byteCount) bytes)" + entry.remark
    case .agentJoined(let agentID, let nickname, _):
      trace.names.append(nickname)
      entry.who = nickname
      entry.what = "joins" + (agentID == nickname ? "" : " (\(agentID))")
      entry.transcriptPosition = trace.next()
      if !trace.hasHadAgent, let start = trace.startedAt {
        let span = TimelineSpan(.waitedForAgent, from: start, to: blank.time)
        entry.spans = [span]
        entry.remark = " after \(span.text)"
      }
      trace.hasHadAgent = true
    case .agentLeft(let party):
      (entry.who, entry.what) = (trace.name(party), "leaves the chat")
      entry.transcriptPosition = trace.next()
    case .previewTyped(let text):
      (entry.who, entry.what, entry.text) = (trace.name(0), "is typing:", text)
      entry.isDetail = true
    case .absenceNoted(let text), .returnNoted(let text):
      (entry.who, entry.what, entry.text) = ("server", "tells the agents", text)
    default: break
    }
    return entry
  }

  /// What agents do beside the conversation.
  private static func desk(_ event: ChatEvent, _ blank: TimelineEntry) -> TimelineEntry {
    var entry = blank
    switch event {
    case .privateNoted(let agentID, let nickname, _, let text):
      (entry.who, entry.what, entry.text) = (nickname, "tells the agents", text)
      if agentID != nickname { entry.remark = " (\(agentID))" }
    case .read(let agentID, let position):
      (entry.who, entry.what) = (agentID, "has read the events up to \(position)")
      entry.isDetail = true
    case .agentInvited(let agentID, let inviter): (entry.who, entry.what) = (inviter, "invites \(agentID)")
    case .deskChanged(let name): (entry.who, entry.what) = ("server", "hands the chat to the agents of \(name)")
    case .offered(let offer):
      (entry.who, entry.what) = ("server", "offers the chat to \(offer.agentID) until \(offer.until.iso8601)")
    case .offerEnded(let offer, let end):
      (entry.who, entry.what) = end.told(of: offer.agentID)
      entry.isDetail = end == .accepted || end == .ended
    case .wrappedUp(let agentID, let disposition, let note, let tags):
      (entry.who, entry.what) = (agentID, "wraps the chat up:")
      entry.text = ([disposition, note] + tags).filter { !$0.isEmpty }.joined(separator: ", ")
    default: break
    }
    return entry
  }

  private static func say(_ text: String, _ party: Int, _ entry: inout TimelineEntry, _ trace: inout Trace) {
    entry.text = text
    if party == ChatParty.customer {
      if trace.unansweredSince == nil { trace.unansweredSince = entry.time }
    } else if let asked = trace.unansweredSince {
      let span = TimelineSpan(.answerTime, from: asked, to: entry.time)
      entry.spans = [span]
      entry.remark = " (answers after \(span.text))"
      trace.unansweredSince = nil
    }
  }

  private static func link(_ event: ChatEvent, _ blank: TimelineEntry, _ trace: inout Trace) -> TimelineEntry {
    var entry = blank
    entry.who = trace.name(0)
    entry.isDetail = true
    switch event {
    case .cometSubscribed(let session, let after): entry.what = "listens by the session \(short(session))" + from(after)
    case .cometConnected(let session, let after): entry.what = "connects by the session \(short(session))" + from(after)
    case .cometUnsubscribed(let session, _, let written), .cometDetached(let session, _, let written):
      entry.what = "no longer listens by the session \(short(session)), which was written the events up to \(written)"
    case .positionStated(let position): entry.what = "says that it has the events up to \(position)"
    case .customerAbsent(_, let position, _, let cause, _):
      entry.isDetail = false
      trace.absentSince = blank.time
      entry.what =
        (cause == .lost ? "is lost without a word" : "goes to the background") + ", has the events up to \(position)"
    default:
      guard let since = trace.absentSince else {
        entry.what = "is online"
        break
      }
      entry.isDetail = false
      trace.absentSince = nil
      let span = TimelineSpan(.background, from: since, to: blank.time)
      entry.spans = [span]
      entry.what = "is back after \(span.text) in the background"
    }
    return entry
  }

  private static func push(
    _ event: ChatEvent, _ key: String, _ blank: TimelineEntry, _ trace: inout Trace, _ people: inout TimelinePeople
  ) -> TimelineEntry {
    var entry = blank
    entry.who = "server"
    entry.isDetail = !trace.hasDevice
    switch event {
    case .pushDelayStarted(_, let positions, let deadline):
      trace.delayStartedAt = blank.time
      let span = TimelineSpan(.heldBack, from: blank.time, to: deadline)
      entry.fate = TimelineFate(until: deadline)
      entry.what = "holds the push of \(list(positions)) back for \(span.text)"
    case .lineRemembered(let position, let droppingOldest):
      entry.what = "adds event \(position) to that push" + (droppingOldest ? " and drops the oldest" : "")
    case .pushDelayCancelled:
      trace.delayStartedAt = nil
      entry.what = "drops the push that it held back"
    case .pushRequested(let number, _, _, let message, let positions):
      let push = PushID(producer: key, number: number)
      people.pushRequested(push, at: blank.time)
      entry.fate = TimelineFate(message: PushUUID.text(of: push))
      entry.what = "asks for push \(number) of \(list(positions)):"
      entry.text = message
      if let since = trace.delayStartedAt {
        let span = TimelineSpan(.heldBack, from: since, to: blank.time)
        entry.spans = [span]
        entry.remark = ", held back for \(span.text)"
        trace.delayStartedAt = nil
      }
    case .pushHandedOver(let number):
      entry.what = "owes push \(number) no longer: the device's queue has it"
      entry.isDetail = true
    case .pushSettled(let number, let outcome):
      entry.what = "tells the agents what became of push \(number): \(outcome.rawValue)"
      entry.isDetail = true
    default: break
    }
    return entry
  }

  private static func from(_ position: Int?) -> String { position.map { ", gets what follows event \($0)" } ?? "" }

  /// `event 6`, `events 6, 7`.
  private static func list(_ positions: [Int]) -> String {
    (positions.count == 1 ? "event " : "events ") + positions.map(String.init).joined(separator: ", ")
  }

  private static func pairs(_ data: [NameValuePair]) -> String? {
    data.isEmpty ? nil : data.map { "\($0.name)=\($0.value)" }.joined(separator: ", ")
  }

  private static func short(_ session: String) -> String { "\(session.prefix(8))…" }
}

extension ChatOfferEnd {
  fileprivate func told(of agentID: String) -> (who: String, what: String) {
    switch self {
    case .accepted: (agentID, "takes what was offered")
    case .passed: (agentID, "lets the offer pass")
    case .released: (agentID, "sends the offer away")
    case .away: ("server", "takes the offer back: \(agentID) is not there, or not ready")
    case .taken: ("server", "takes the offer back from \(agentID): somebody else has joined")
    case .ended: ("server", "takes the offer back from \(agentID): the chat is over")
    }
  }
}
