import ChatDomain
import Engine
import EventSourcing
import JSONEnvelope
import PushDomain

// Whatever leaves the engine passes here, and is held against what is durable at that moment.
extension World {
  func handedToClient(_ reply: CometReply, _ client: CometClient, clientID: String?) -> [ClientMessage] {
    learn()
    var messages: [ClientMessage] = []
    for bytes in reply.messages {
      do { messages.append(try ClientMessage(bytes)) } catch {
        violated(.honestAnswers, "a client cannot read \(String(decoding: bytes, as: UTF8.self))")
        continue
      }
      trace.note("to \(client.description): \(String(decoding: bytes.prefix(90), as: UTF8.self))")
      guard case .event(let news) = messages[messages.count - 1] else { continue }
      counts.news += 1
      if let clientID, reference.lostSessions.contains(clientID) {
        violated(.deadSessionsGetNothing, "\(client.description) gets \(news.first)...\(news.last) after its end")
      }
      for (index, line) in news.lines.enumerated() {
        seen(position: news.first + index, line, of: news.serviceID, by: client.description)
      }
    }
    return messages
  }

  func handedToProvider(_ delivery: PushDelivery, in life: Life) {
    learn()
    counts.deliveries += 1
    let message = delivery.message
    trace.note("to provider: push \(message.number) of \(message.producer.prefix(8)), attempt \(delivery.attempt)")
    if SupportLedger.request(ofProducer: message.producer) != nil { checkNotification(delivery) }
    // Where a notification goes to is looked up at the last moment: its queue has another name.
    let queue = reference.queues[reference.acceptedBy[message.id] ?? Engine.queueKey(of: message.target)]
    switch queue?.outcomes[message.id] {
    case nil: break
    // These end what is in flight as well: the attempt was on its way already.
    case .erased?, .unregistered?, .refused(reason: "the device has another owner now")?,
      .refused(reason: "the device was unregistered")?:
      return
    case let outcome?:
      return violated(.onePushOneOutcome, "push \(message.number) is sent after it ended as \(outcome.name)")
    }
    guard let entry = queue?.waiting[message.id] else {
      return violated(.nothingVisibleBeforeDurable, "push \(message.number) is sent and not in the journal")
    }
    if queue?.inFlight != message.id {
      violated(.nothingVisibleBeforeDurable, "push \(message.number) is sent before its attempt is in the journal")
    }
    if entry.failures + 1 < delivery.attempt {
      violated(.nothingVisibleBeforeDurable, "attempt \(delivery.attempt) after \(entry.failures) that failed")
    }
    if !life.attempts.insert(Life.Attempt(id: message.id, number: delivery.attempt, returns: entry.returns)).inserted {
      violated(.onePushOneOutcome, "attempt \(delivery.attempt) of push \(message.number) is made twice")
    }
    guard let lines = (try? JSONValue(parsing: message.content))?["lastTranscript"]?.array,
      let chat = reference.chats[message.producer], !chat.isErased
    else { return }
    let known = Set(chat.lines.map(\.text))
    for line in lines {
      for member in line.object?.members ?? [] where !known.contains(member.value.string ?? "") {
        violated(.nothingVisibleBeforeDurable, "push \(message.number) tells of a line that is not in the journal")
      }
    }
  }

  /// Somebody sees line `position` of a transcript.
  func seen(position: Int, _ line: ChatView.Line, of serviceID: String, by whom: String) {
    learn()
    guard let chat = reference.chats[serviceID], let durable = chat.line(at: position) else {
      return violated(
        .nothingVisibleBeforeDurable, "\(whom) sees line \(position) of \(serviceID), which is not in the journal")
    }
    if durable != line, !chat.isErased {
      violated(.transcriptAsJournalled, "\(whom) sees \(line) as line \(position), the journal has \(durable)")
    }
  }

  /// A REST reply. - Parameter position: what was asked for.
  func seen(_ reply: ChatReply, after position: Int?) {
    learn()
    for (index, event) in reply.events.enumerated() {
      let place = reply.position - reply.events.count + 1 + index
      if event.position != place {
        violated(.inOrderWithoutGaps, "line \(event.position) stands at \(place) of a reply")
      }
      seen(
        position: event.position,
        ChatView.Line(
          type: event.type.rawValue, nickname: event.nickname, text: event.text, role: event.role.rawValue),
        of: reply.serviceID, by: "a reply")
    }
    guard let count = reference.chats[reply.serviceID]?.lines.count, reply.position <= count else {
      return violated(.nothingVisibleBeforeDurable, "a reply names position \(reply.position), not in the journal")
    }
    if let position, reply.events.count != max(0, reply.position - position) {
      violated(.inOrderWithoutGaps, "\(reply.events.count) lines after \(position), up to \(reply.position)")
    }
  }

  /// The server says that it has taken `text`.
  func acknowledge(_ text: String, in serviceID: String) {
    learn()
    counts.acknowledged += 1
    acknowledged[text] = serviceID
    let found = reference.chats[serviceID]?.lines.filter { $0.text == text }.count ?? 0
    if found != 1 {
      violated(.nothingAcknowledgedIsLost, "\(text) was acknowledged and is \(found) times in the journal")
    }
  }

  /// Takes in what has become durable.
  func learn() {
    guard mirror.isStale, !isInsideWrite, survivor == nil, let life, !life.isOver else { return }
    do {
      let first = try mirror.catchUp(on: life.disk, epoch: epoch)
      try take(from: first, clockSettings: time.settings, life: life.number)
    } catch {
      violated(by: error, .journalIsSound)
    }
  }

  func take(from first: Int, clockSettings: Int, life: Int) throws {
    let moment = Moment(
      monotonicMilliseconds: time.monotonicMilliseconds, clockSettings: clockSettings, life: life, epoch: epoch)
    reference.beginLook(isOrdered: mirror.isOrdered, epoch: epoch)
    for seen in mirror.records[first...] {
      trace.note("durable: \(seen.record.description)")
      try reference.apply(seen, at: moment)
    }
    if first < mirror.records.count { try reference.check(epoch: epoch) }
  }
}

extension JournalMirror.Record {
  /// Without texts; short, since there is one for each record of a run.
  var description: String {
    let kind = EntityKind(rawValue: kind)
    var name = "\(tag)"
    payload.withUnsafeBytes { bytes in
      if let event = Catalogue.carillon.describe(kind: kind, tag: tag, payload: bytes) { name = event.name }
    }
    return "\(position) \(kind.name ?? "?"):\(key.prefix(8)) \(sequence) \(name)"
  }
}

extension ChatView {
  func line(at position: Int) -> Line? { lines.indices.contains(position - 1) ? lines[position - 1] : nil }
}

extension ChatView.Line {
  init(_ line: TranscriptLine) {
    self.init(type: line.type.rawValue, nickname: line.nickname, text: line.text, role: line.role.rawValue)
  }
}
