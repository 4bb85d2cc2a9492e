public import EventSourcing

extension PushQueue {
  public func decide(_ command: PushCommand, now: Timestamp) -> [PushEvent] {
    switch command {
    case .enqueue(let message, let limits, let hasPlace):
      let events = enqueue(message, limits, now)
      return hasPlace ? events + beginning(of: message, after: events, limits, now) : events
    case .submit(let message, let limits):
      if let id = message.submissionID, submissions.contains(id, of: message.producer, at: now) { return [] }
      let last = lanes[message.producer]?.numbers.highest ?? 0
      return enqueue(message.numbered(max(0, last) + 1), limits, now)
    case .decline(let id, let reason):
      guard standing(producer: id.producer, number: id.number) != .known else { return [] }
      return forgetProducer(toAdmit: id.producer, PushLimits()) + [.declined(id, .refused(reason: reason))]
    case .begin(let limits):
      return begin(limits, now)
    case .attemptEnded(let id, let attempt, let outcome, let schedule, let report):
      guard inFlight == id, let entry = inFlightEntry, entry.attempt == attempt, !isUnregistered else { return [] }
      return attemptEnded(entry, outcome, schedule, report, now)
    case .retryDue(let producer, let limits):
      guard !isUnregistered, lanes[producer]?.pausedUntil != nil else { return [] }
      // No look at the clock: the timer is the authority, the clock may have been set back meanwhile.
      return conclude([], limits, now) + [.pauseEnded(producer: producer)]
    case .expiryDue(let limits):
      return conclude([], limits, now)
    case .unregister(let reason):
      return isUnregistered ? [] : unregister(reason)
    case .register:
      // Also when it was not gone: a provider's "gone since" of before this moment counts no longer.
      return [.registered]
    case .handOver(let owner):
      return end(.refused(reason: "the device has another owner now")) { $0.owner.map { $0 != owner } ?? false }
    case .withdraw(let owner, let reason):
      return end(.refused(reason: reason)) { $0.owner == owner }
    case .retryDeadLetter(let id):
      return retryDeadLetter(id)
    case .dropDeadLetter(let id):
      return deadLetters.contains { $0.message.id == id } ? [.deadLetterDropped(id)] : []
    case .store(let mail, let receiver, let limits):
      return self.mail.store(mail, for: receiver, limits, now)
    case .acknowledge(let ids):
      return mail.acknowledge(ids, isLive: false)
    case .confirm(let ids):
      return mail.acknowledge(ids, isLive: true)
    case .endScope(let scope):
      return mail.endScope(scope)
    case .erase(let producers):
      return erase(Set(producers))
    case .restate:
      return [.erased([], state: erased([]).stateBytes)]
    }
  }

  /// Nothing of another's may go out from now on: not by a further attempt, not by a repetition after a restart, and
  /// not by an operator's hand. What is in flight cannot be recalled; its answer finds no message.
  private func end(_ outcome: FinalPushOutcome, where concerns: (PushMessage) -> Bool) -> [PushEvent] {
    endings(of: entries.filter { concerns($0.message) }, outcome)
      + deadLetters.filter { concerns($0.message) }.map { .deadLetterDropped($0.message.id) }
  }

  /// Why a push is not sent whose number nobody remembers any more.
  private static let outrunReason = "came too late to tell whether it had come before"

  private func enqueue(_ message: PushMessage, _ limits: PushLimits, _ now: Timestamp) -> [PushEvent] {
    switch standing(producer: message.producer, number: message.number) {
    case .fresh: break
    case .known: return []
    case .outrun: return [.declined(message.id, .refused(reason: Self.outrunReason))]
    }
    let forgotten = forgetProducer(toAdmit: message.producer, limits)
    if let unregisteredReason {
      let gone = FinalPushOutcome.unregistered(reason: unregisteredReason)
      return forgotten + [.declined(message.id, gone, submissionID: message.submissionID)]
    }
    if message.isExpired(at: now) { return forgotten + turnAway(message, .expired, limits, now) }
    if isOvertaken(message) { return [.declined(message.id, .collapsed)] }

    // What is in flight cannot be dropped: if that leaves no room in an otherwise empty queue, nothing is sacrificed.
    let running = inFlightEntry.map { [$0] } ?? []
    guard running.count < limits.messagesMaximum,
      running.reduce(message.contentBytes, { $0 + $1.message.contentBytes }) <= limits.contentBytesMaximum
    else { return forgotten + turnAway(message, .overflowed, limits, now) }

    // The common case, and the one that has to be quick in a long queue: nobody has to make room.
    let held = lanes.values.reduce(message.contentBytes) { sum, lane in
      lane.entries.reduce(sum) { $0 + $1.message.contentBytes }
    }
    if message.collapseKey == nil, messageCount < limits.messagesMaximum, held <= limits.messageBytesMaximum,
      expiryTimer.armedFor.map({ $0 > now }) ?? true
    {
      return forgotten + conclude([], limits, now, letterBytes: limits.contentBytesMaximum - held)
        + [.enqueued(message)]
    }

    var gone = Set(expired(now).map(\.message.id))
    let waiting = self.waiting.filter { !gone.contains($0.message.id) }
    #if CARILLON_CANARIES
      if Canary.sings(.collapseKeepsOld), let key = message.collapseKey,
        waiting.contains(where: { $0.message.collapseKey == key && $0.message.producer == message.producer })
      {
        return forgotten + [.declined(message.id, .collapsed)]
      }
    #endif
    var endings: [Ending] = []
    if let key = message.collapseKey {
      for entry in waiting where entry.message.collapseKey == key && entry.message.producer == message.producer {
        gone.insert(entry.message.id)
        endings.append(Ending(entry, .collapsed))
      }
    }
    let (overflow, bytes) = overflow(for: message, among: waiting, gone, limits)
    endings += overflow
    return forgotten + conclude(endings, limits, now, letterBytes: limits.contentBytesMaximum - bytes)
      + [.enqueued(message)]
  }

  /// True if a newer message with the same collapse key has come before it, and has not ended.
  private func isOvertaken(_ message: PushMessage) -> Bool {
    guard let key = message.collapseKey, let lane = lanes[message.producer] else { return false }
    return lane.entries.contains { $0.message.number > message.number && $0.message.collapseKey == key }
  }

  /// Takes over what cannot be sent, and ends it at once; the operator gets it to see, if there is room for it.
  private func turnAway(
    _ message: PushMessage, _ outcome: FinalPushOutcome, _ limits: PushLimits, _ now: Timestamp
  ) -> [PushEvent] {
    let ending = Ending(PushEntry(message: message, arrival: arrivals, acceptedAt: now), outcome)
    let bytes = entries.reduce(0) { $0 + $1.message.contentBytes }
    guard ending.mayBeKept, limits.deadLettersMaximum > 0, bytes + message.contentBytes <= limits.contentBytesMaximum
    else { return [.declined(message.id, outcome, submissionID: message.submissionID)] }
    return [.enqueued(message)] + conclude([ending], limits, now, letterBytes: limits.contentBytesMaximum - bytes)
  }

  /// The waiting messages that make room, the least urgent ones before the others, from the oldest on; and what all
  /// that stay weigh, this one included.
  private func overflow(
    for message: PushMessage, among waiting: [PushEntry], _ gone: Set<PushID>, _ limits: PushLimits
  ) -> (endings: [Ending], bytes: Int) {
    let kept = entries.filter { !gone.contains($0.message.id) }
    var count = kept.count + 1
    var bytes = kept.reduce(message.contentBytes) { $0 + $1.message.contentBytes }
    var endings: [Ending] = []
    let dispensable = [PushPriority.normal, .high].flatMap { priority in
      waiting.filter { $0.message.priority == priority }
    }
    for entry in dispensable where !gone.contains(entry.message.id) {
      if count <= limits.messagesMaximum && bytes <= limits.messageBytesMaximum { break }
      endings.append(Ending(entry, .overflowed))
      count -= 1
      bytes -= entry.message.contentBytes
    }
    return (endings, bytes)
  }

  /// What `begin` says right after these events, if it says that this message goes out.
  private func beginning(
    of message: PushMessage, after events: [PushEvent], _ limits: PushLimits, _ now: Timestamp
  ) -> [PushEvent] {
    guard inFlight == nil, !events.isEmpty else { return [] }
    var queue = self
    for event in events { queue.evolve(event, at: now) }
    let next = queue.begin(limits, now)
    return next == [.attemptBegan(message.id, attempt: 1)] ? next : []
  }

  /// After a restart what was in flight then goes again, unless its time is over.
  private func begin(_ limits: PushLimits, _ now: Timestamp) -> [PushEvent] {
    guard !isUnregistered else { return [] }
    if let entry = inFlightEntry {
      return entry.message.isExpired(at: now)
        ? conclude([Ending(entry, .expired, attempts: entry.attempt)], limits, now)
        : [.attemptBegan(entry.message.id, attempt: entry.attempt, isRepetition: true)]
    }
    let dropped = Set(expired(now).map(\.message.id))
    // An entry can be past its time before the timer has been turned.
    let choices = lanes.values.filter { $0.pausedUntil == nil }.flatMap(\.entries)
      .filter { !dropped.contains($0.message.id) && !$0.message.isExpired(at: now) }
    let events = conclude([], limits, now)
    guard let entry = choices.min(by: PushEntry.goesFirst) else { return events }
    return events + [.attemptBegan(entry.message.id, attempt: entry.attempt)]
  }

  private func attemptEnded(
    _ entry: PushEntry, _ outcome: PushOutcome, _ schedule: PushSchedule, _ report: PushReport, _ now: Timestamp
  ) -> [PushEvent] {
    let id = entry.message.id
    func shortened(_ reason: String) -> String { String(reason.prefix(schedule.reasonLengthMaximum)) }
    func settled(_ outcome: FinalPushOutcome, answer: String? = nil, reason: String? = nil) -> [PushEvent] {
      var report = report
      report.reason = reason
      var ending = Ending(entry, outcome, attempts: entry.attempt)
      ending.answer = answer.map(shortened)
      ending.report = outcome == .delivered ? nil : report.unlessEmpty
      // Expired successors go first, so that this message's end starts one that is still worth sending.
      return conclude([ending], schedule.limits, now)
    }
    func tryAgain(_ reason: String, after wish: Duration?, isRejection: Bool = false) -> [PushEvent] {
      if entry.attempt >= schedule.attempts(of: entry.message) {
        return settled(.failed(reason: shortened(reason)))
      }
      if entry.message.isExpired(at: now) { return settled(.expired, reason: shortened(reason)) }
      let pause = schedule.pause(afterAttempt: entry.attempt, providerAsks: wish)
      var report = report
      report.isRejection = isRejection
      // The pause is the producer's: it holds for the newer one as well.
      return [
        .retryScheduled(
          id, attempt: entry.attempt, until: now.advanced(by: pause), reason: shortened(reason),
          report: report.unlessEmpty)
      ] + (isReplaced(entry.message) ? [.settled(id, .collapsed, attempts: entry.attempt)] : [])
    }
    func comesBack(_ reason: String) -> [PushEvent] {
      if isReplaced(entry.message) { return settled(.collapsed) }
      if entry.message.isExpired(at: now) || entry.message.isNowOrNever {
        return settled(.expired, reason: shortened(reason))
      }
      return [
        .attemptReturned(id, attempt: entry.attempt, reason: shortened(reason), report: report.unlessEmpty)
      ]
    }
    switch outcome {
    case .delivered(let answer, _):
      return settled(.delivered, answer: answer)
    case .refused(let reason), .endpointGone(let reason):
      return settled(.refused(reason: shortened(reason)))
    case .rejected(let reason):
      return entry.rejections + 1 >= schedule.rejectionsMaximum
        ? settled(.refused(reason: shortened(reason))) : tryAgain(reason, after: nil, isRejection: true)
    case .unregistered(let reason, let since, let isSuspect):
      if isSuspect && !hasDelivered {
        // The first push to an address that says so: more likely sandbox and production are mixed up.
        return settled(.refused(reason: shortened("\(reason), or the wrong environment")))
      }
      if max(registeredAt ?? .epoch, entry.message.registeredAt ?? .epoch) > since ?? entry.acceptedAt {
        // The device showed the address again after the moment that the provider means: it stays, this push does not.
        return settled(.refused(reason: shortened("\(reason), registered again since")))
      }
      return unregister(shortened(reason))
    case .retryable(let reason, let wish, _, _):
      return tryAgain(reason, after: wish)
    case .unprocessed(let reason, _):
      return entry.returns >= schedule.returnsMaximum ? tryAgain(reason, after: nil) : comesBack(reason)
    case .laneBroken(let reason), .lanePaused(let reason, _):
      return comesBack(reason)
    }
  }

  /// Ends everything, what is in flight included: nothing more is sent to an address that is gone, and after a restart
  /// nothing is repeated. Answers that still come find no message.
  private func unregister(_ reason: String) -> [PushEvent] {
    [.unregistered(reason: reason)] + endings(of: entries, .unregistered(reason: reason))
  }

  private func endings(of entries: [PushEntry], _ outcome: FinalPushOutcome) -> [PushEvent] {
    entries.map { entry in
      .settled(
        entry.message.id, outcome, attempts: entry.message.id == inFlight ? entry.attempt : entry.failures)
    }
  }

  /// The waiting messages whose time is over. What is in flight is left to its outcome.
  private func expired(_ now: Timestamp) -> [PushEntry] {
    guard let armed = expiryTimer.armedFor, armed <= now else { return [] }
    return waiting.filter { $0.message.isExpired(at: now) }
  }

  /// How one message leaves the queue.
  private struct Ending {
    let entry: PushEntry
    let outcome: FinalPushOutcome
    /// Those that were begun.
    let attempts: Int
    var answer: String?
    var report: PushReport?

    /// As dead letter, that is.
    var mayBeKept: Bool { outcome.leavesDeadLetter && !entry.message.isNowOrNever }

    init(_ entry: PushEntry, _ outcome: FinalPushOutcome, attempts: Int? = nil) {
      self.entry = entry
      self.outcome = outcome
      self.attempts = attempts ?? entry.failures
    }
  }

  /// Ends what has expired, and then these. What an operator may want to see becomes a dead letter, for which the oldest
  /// letters make room: nothing that was to be delivered goes without a trace.
  /// - Parameter letterBytes: what letters may hold at most, beside their own bound.
  private func conclude(
    _ endings: [Ending], _ limits: PushLimits, _ now: Timestamp, letterBytes: Int = .max
  ) -> [PushEvent] {
    let isDue = expiryTimer.armedFor.map { $0 <= now } ?? false
    let all = expired(now).map { Ending($0, .expired) } + endings
    if all.isEmpty, deadLetters.isEmpty { return isDue ? mail.expire(now) : [] }
    let old = deadLetters.filter { !isDue || $0.expiry > now }
    let bytesMaximum = min(letterBytes, limits.deadLetterBytesMaximum)
    let fresh = all.filter { $0.mayBeKept && $0.entry.message.contentBytes <= bytesMaximum }.map(\.entry.message)
    let letters = old.map(\.message) + fresh
    var lost: Set<PushID> = []
    var count = letters.count
    var bytes = letters.reduce(0) { $0 + $1.contentBytes }
    // Without a new one nothing has to go, unless messages need the room.
    let countMaximum = fresh.isEmpty ? .max : limits.deadLettersMaximum
    let roomMaximum = fresh.isEmpty ? letterBytes : bytesMaximum
    for letter in letters where count > countMaximum || bytes > roomMaximum {
      lost.insert(letter.id)
      count -= 1
      bytes -= letter.contentBytes
    }
    var kept = Set(fresh.map(\.id))
    kept.subtract(lost)
    #if CARILLON_CANARIES
      if Canary.sings(.expiredWithoutLetter) {
        kept.subtract(all.filter { $0.outcome == .expired }.map(\.entry.message.id))
      }
    #endif
    let overdue = isDue ? deadLetters.filter { $0.expiry <= now } : []
    return overdue.map { .deadLetterDropped($0.message.id) }
      + old.filter { lost.contains($0.message.id) }.map { .deadLetterDropped($0.message.id) }
      + all.map { ending in
        let id = ending.entry.message.id
        return .settled(
          id, ending.outcome, attempts: ending.attempts, answer: ending.answer, isDeadLetter: kept.contains(id),
          report: ending.report)
      } + (isDue ? mail.expire(now) : [])
  }

  /// A newer message with the same collapse key has taken its place for good.
  private func retryDeadLetter(_ id: PushID) -> [PushEvent] {
    guard !isUnregistered, let letter = deadLetters.first(where: { $0.message.id == id }) else { return [] }
    return [.deadLetterRetried(id)]
      + (isReplaced(letter.message) ? [.settled(id, .collapsed, attempts: letter.attempts)] : [])
  }

  /// True if a message with the same collapse key waits that came while this one was out of reach.
  private func isReplaced(_ message: PushMessage) -> Bool {
    guard let key = message.collapseKey else { return false }
    return waiting.contains {
      $0.message.collapseKey == key && $0.message.producer == message.producer && $0.message.id != message.id
    }
  }

  /// Makes room for a new producer's number: the one that has been idle longest is forgotten, or more if dead letters
  /// have brought forgotten ones back.
  private func forgetProducer(toAdmit producer: String, _ limits: PushLimits) -> [PushEvent] {
    guard lanes[producer] == nil, lanes.count >= limits.producersMaximum else { return [] }
    let surplus = lanes.count - limits.producersMaximum + 1
    return lanes.filter(\.value.entries.isEmpty).sorted { $0.value.lastArrival < $1.value.lastArrival }
      .prefix(surplus).map { .producerForgotten($0.key) }
  }
}

extension DeadLetter {
  /// How long the operator has to look at one.
  static let retention = Duration.seconds(14 * 86_400)

  var expiry: Timestamp { endedAt.advanced(by: Self.retention) }
}
