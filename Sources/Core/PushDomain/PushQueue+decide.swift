public import EventSourcing

extension PushQueue {
  public func decide(_ command: PushCommand, now: Timestamp) -> [PushEvent] {
    switch command {
    case .enqueue(let message, let limits):
      return enqueue(message, limits, now)
    case .submit(let message, let limits):
      let last = lanes[message.producer]?.highestNumber ?? 0
      return enqueue(message.numbered(max(0, last) + 1), limits, now)
    case .decline(let id, let reason):
      guard !isKnown(producer: id.producer, number: id.number) else { return [] }
      return forgetProducer(toAdmit: id.producer, PushLimits()) + [.declined(id, .refused(reason: reason))]
    case .begin:
      return begin(now)
    case .attemptEnded(let id, let attempt, let outcome, let schedule):
      guard inFlight == id, let entry = inFlightEntry, entry.attempt == attempt, !isUnregistered else { return [] }
      return attemptEnded(entry, outcome, schedule, now)
    case .retryDue(let producer):
      guard !isUnregistered, lanes[producer]?.pausedUntil != nil else { return [] }
      // No look at the clock: the timer is the authority, the clock may have been set back meanwhile.
      return dropExpired(now) + [.pauseEnded(producer: producer)]
    case .expiryDue:
      return dropExpired(now)
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
      return mail.acknowledge(ids)
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

  private func enqueue(_ message: PushMessage, _ limits: PushLimits, _ now: Timestamp) -> [PushEvent] {
    guard !isKnown(producer: message.producer, number: message.number) else { return [] }
    let forgotten = forgetProducer(toAdmit: message.producer, limits)
    if let unregisteredReason {
      return forgotten + [.declined(message.id, .unregistered(reason: unregisteredReason))]
    }
    if message.isExpired(at: now) { return forgotten + [.declined(message.id, .expired)] }

    // What is in flight cannot be dropped: if that leaves no room in an otherwise empty queue, nothing is sacrificed.
    let running = inFlightEntry.map { [$0] } ?? []
    guard running.count < limits.messagesMaximum,
      running.reduce(message.contentBytes, { $0 + $1.message.contentBytes }) <= limits.contentBytesMaximum
    else { return forgotten + [.declined(message.id, .overflowed)] }

    var events = dropExpired(now)
    var dropped = Set(events.compactMap(\.endedID))
    func drop(_ entry: PushEntry, _ outcome: FinalPushOutcome) {
      dropped.insert(entry.message.id)
      events.append(.settled(entry.message.id, outcome, attempts: entry.failures))
    }
    let waiting = self.waiting.filter { !dropped.contains($0.message.id) }
    #if CARILLON_CANARIES
      if Canary.sings(.collapseKeepsOld), let key = message.collapseKey,
        waiting.contains(where: { $0.message.collapseKey == key && $0.message.producer == message.producer })
      {
        return forgotten + [.declined(message.id, .collapsed)]
      }
    #endif
    if let key = message.collapseKey {
      for entry in waiting where entry.message.collapseKey == key && entry.message.producer == message.producer {
        drop(entry, .collapsed)
      }
    }
    events += makeRoom(for: message, among: waiting, &dropped, limits)
    return forgotten + events + [.enqueued(message)]
  }

  /// Dead letters go first, then the waiting messages, the least urgent ones before the others, all from the oldest on.
  private func makeRoom(
    for message: PushMessage, among waiting: [PushEntry], _ dropped: inout Set<PushID>, _ limits: PushLimits
  ) -> [PushEvent] {
    let kept = entries.filter { !dropped.contains($0.message.id) }
    let keptLetters = deadLetters.filter { !dropped.contains($0.message.id) }
    var count = kept.count + 1
    var bytes = kept.reduce(message.contentBytes) { $0 + $1.message.contentBytes }
    var letters = keptLetters.reduce(0) { $0 + $1.message.contentBytes }
    var events: [PushEvent] = []
    for letter in keptLetters where bytes + letters > limits.contentBytesMaximum {
      events.append(.deadLetterDropped(letter.message.id))
      letters -= letter.message.contentBytes
    }
    let dispensable = [PushPriority.normal, .high].flatMap { priority in
      waiting.filter { $0.message.priority == priority }
    }
    for entry in dispensable where !dropped.contains(entry.message.id) {
      if count <= limits.messagesMaximum && bytes <= limits.contentBytesMaximum { break }
      dropped.insert(entry.message.id)
      events.append(.settled(entry.message.id, .overflowed, attempts: entry.failures))
      count -= 1
      bytes -= entry.message.contentBytes
    }
    return events
  }

  /// After a restart what was in flight then goes again, unless its time is over.
  private func begin(_ now: Timestamp) -> [PushEvent] {
    guard !isUnregistered else { return [] }
    if let entry = inFlightEntry {
      return entry.message.isExpired(at: now)
        ? dropExpired(now) + [.settled(entry.message.id, .expired, attempts: entry.attempt)]
        : [.attemptBegan(entry.message.id, attempt: entry.attempt)]
    }
    let expired = dropExpired(now)
    let dropped = Set(expired.compactMap(\.endedID))
    // An entry can be past its time before the timer has been turned.
    let choices = lanes.values.filter { $0.pausedUntil == nil }.flatMap(\.entries)
      .filter { !dropped.contains($0.message.id) && !$0.message.isExpired(at: now) }
    guard let entry = choices.min(by: PushEntry.goesFirst) else { return expired }
    return expired + [.attemptBegan(entry.message.id, attempt: entry.attempt)]
  }

  private func attemptEnded(
    _ entry: PushEntry, _ outcome: PushOutcome, _ schedule: PushSchedule, _ now: Timestamp
  ) -> [PushEvent] {
    let id = entry.message.id
    func shortened(_ reason: String) -> String { String(reason.prefix(schedule.reasonLengthMaximum)) }
    func settled(_ outcome: FinalPushOutcome, answer: String? = nil) -> [PushEvent] {
      // Expired successors go first, so that this message's end starts one that is still worth sending.
      let expired = dropExpired(now)
      let letter =
        outcome.leavesDeadLetter && !entry.message.isNowOrNever && schedule.deadLettersMaximum > 0
        && entry.message.contentBytes <= schedule.deadLetterBytesMaximum
      let forgotten =
        letter ? forgetDeadLetters(toAdmit: entry.message, dropped: Set(expired.compactMap(\.endedID)), schedule) : []
      return expired + forgotten
        + [.settled(id, outcome, attempts: entry.attempt, answer: answer.map(shortened), isDeadLetter: letter)]
    }
    func tryAgain(_ reason: String, after wish: Duration?) -> [PushEvent] {
      if entry.attempt >= schedule.attempts(of: entry.message) {
        return settled(.failed(reason: shortened(reason)))
      }
      if entry.message.isExpired(at: now) { return settled(.expired) }
      let pause = schedule.pause(afterAttempt: entry.attempt, providerAsks: wish)
      // The pause is the producer's: it holds for the newer one as well.
      return [
        .retryScheduled(id, attempt: entry.attempt, until: now.advanced(by: pause), reason: shortened(reason))
      ] + (isReplaced(entry.message) ? [.settled(id, .collapsed, attempts: entry.attempt)] : [])
    }
    func comesBack(_ reason: String) -> [PushEvent] {
      if entry.message.isExpired(at: now) || entry.message.isNowOrNever { return settled(.expired) }
      if isReplaced(entry.message) { return settled(.collapsed) }
      return [.attemptReturned(id, attempt: entry.attempt, reason: shortened(reason))]
    }
    switch outcome {
    case .delivered(let answer, _):
      return settled(.delivered, answer: answer)
    case .refused(let reason):
      return settled(.refused(reason: shortened(reason)))
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

  /// Ends the waiting messages and the dead letters whose time is over. What is in flight is left to its outcome.
  private func dropExpired(_ now: Timestamp) -> [PushEvent] {
    guard let armed = expiryTimer.armedFor, armed <= now else { return [] }
    return waiting.filter { $0.message.isExpired(at: now) }
      .map { .settled($0.message.id, .expired, attempts: $0.failures) }
      + deadLetters.filter { $0.expiry <= now }.map { .deadLetterDropped($0.message.id) } + mail.expire(now)
  }

  /// - Parameter dropped: what goes already.
  private func forgetDeadLetters(
    toAdmit message: PushMessage, dropped: Set<PushID>, _ schedule: PushSchedule
  ) -> [PushEvent] {
    let kept = deadLetters.filter { !dropped.contains($0.message.id) }
    var count = kept.count + 1
    var bytes = kept.reduce(message.contentBytes) { $0 + $1.message.contentBytes }
    var events: [PushEvent] = []
    for letter in kept
    where count > schedule.deadLettersMaximum || bytes > schedule.deadLetterBytesMaximum {
      events.append(.deadLetterDropped(letter.message.id))
      count -= 1
      bytes -= letter.message.contentBytes
    }
    return events
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

extension PushEvent {
  /// The message or dead letter that is gone with this event.
  fileprivate var endedID: PushID? {
    switch self {
    case .settled(let id, _, _, _, _), .deadLetterDropped(let id): id
    default: nil
    }
  }
}

extension DeadLetter {
  /// How long the operator has to look at one.
  static let retention = Duration.seconds(14 * 86_400)

  var expiry: Timestamp { endedAt.advanced(by: Self.retention) }
}
