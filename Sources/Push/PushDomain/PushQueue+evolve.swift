public import EventSourcing

extension PushQueue {
  public mutating func evolve(_ event: PushEvent, at time: Timestamp) {
    switch event {
    case .enqueued(let message):
      arrived(message.id, message.submissionID, at: time)
      lanes[message.producer]?.entries.append(PushEntry(message: message, arrival: arrivals, acceptedAt: time))
    case .declined(let id, _, let submissionID):
      arrived(id, submissionID, at: time)
    case .settled(let id, let outcome, let attempts, _, let isDeadLetter, let report):
      settle(id, outcome, attempts: attempts, isDeadLetter: isDeadLetter, report, at: time)
    case .retryScheduled(let id, let attempt, let until, let reason, let report):
      failed(id, PushAttempt(at: time, reason: reason, report), number: attempt)
      lanes[id.producer]?.pausedUntil = until
    case .pauseEnded(let producer):
      lanes[producer]?.pausedUntil = nil
    case .unregistered(let reason):
      unregisteredReason = reason
      inFlight = nil
    case .registered:
      registered(at: time)
    case .producerForgotten(let producer):
      lanes[producer] = nil
    case .erased(_, let state):
      // Bytes that are no state never get here: they are refused when the event is decoded.
      if let state = try? PushQueue(stateBytes: state) { self = state }
      // The state says itself what is to be said anew: what ran before it may not be known.
      return
    case .attemptBegan(let id, _, let isRepetition):
      began(id, isRepetition: isRepetition, at: time)
    case .attemptReturned(let id, _, let reason, let report):
      returned(id, PushAttempt(at: time, reason: reason, report))
    case .deadLetterRetried(let id):
      revive(id, at: time)
    case .deadLetterDropped(let id):
      deadLetters.removeAll { $0.message.id == id }
    case .mailStored(let message):
      mail.stored(message)
    case .mailEnded(let mails, let ending):
      mail.ended(mails, ending, at: time)
    case .mailDropped(let last, let count):
      mail.dropped(last, count: count)
    case .mailNoticed(let last, let count, let isOpen):
      mail.noticed(last, count: count, isOpen: isOpen, at: time)
    case .receiverConfirms:
      mail.confirms = true
    }
    moveExpiryTimer()
    moveOffer()
  }

  public func react(to event: PushEvent) -> [PushEffect] {
    var effects: [PushEffect] = []
    switch event {
    case .enqueued(let message):
      effects.append(.accepted(message.id))
    case .declined(let id, let outcome, _):
      effects += [.accepted(id), .settled(id, outcome, attempts: 0)]
    case .settled(let id, let outcome, let attempts, _, let isDeadLetter, _):
      effects.append(.settled(id, outcome, attempts: attempts))
      if isDeadLetter { effects.append(.deadLetters(deadLetters.count)) }
    case .retryScheduled(let id, _, let until, _, _):
      effects.append(.startTimer(.retry(producer: id.producer), at: until))
    case .unregistered(let reason):
      effects += lanes.filter { $0.value.pausedUntil != nil }.keys.sorted()
        .map { .cancelTimer(.retry(producer: $0)) }
      effects.append(.addressGone(reason: reason))
    case .producerForgotten(let producer):
      // Only an empty lane is forgotten, but its last message may have been dropped during a pause.
      effects.append(.cancelTimer(.retry(producer: producer)))
    case .mailNoticed(let last, let count, let isOpen):
      effects.append(.mailNoticed(last, count: count, isOpen: isOpen))
    case .pauseEnded, .registered, .attemptBegan, .attemptReturned, .receiverConfirms:
      break
    case .deadLetterRetried, .deadLetterDropped:
      effects.append(.deadLetters(deadLetters.count))
    case .mailStored(let message):
      effects.append(.mailWaits(message))
    case .mailEnded(let mails, let ending):
      effects.append(.mailEnded(mails, ending))
    case .mailDropped(let last, let count):
      effects.append(.mailDropped(last, count: count))
    case .erased(let pushes, _):
      // Pauses go on: they belong to the lanes, which stay.
      effects += pushes.map { .settled($0.id, .erased, attempts: $0.attempts) }
      effects.append(.deadLetters(deadLetters.count))
    }
    if expiryTimer.hasMoved {
      effects.append(expiryTimer.armedFor.map { .startTimer(.expiry, at: $0) } ?? .cancelTimer(.expiry))
    }
    if offer.isNew, let entry = sendable { effects.append(entry.readiness) }
    return effects
  }

  private mutating func arrived(_ id: PushID, _ submissionID: String?, at time: Timestamp) {
    if let submissionID { submissions.insert(submissionID, of: id.producer, at: time) }
    arrivals += 1
    var lane = lanes.removeValue(forKey: id.producer) ?? PushLane()
    lane.numbers.insert(id.number)
    lane.lastArrival = arrivals
    lanes[id.producer] = lane
  }

  private mutating func registered(at time: Timestamp) {
    if isUnregistered {
      unregisteredReason = nil
      for producer in lanes.keys { lanes[producer]?.pausedUntil = nil }
    }
    registeredAt = time
  }

  // MARK: Attempts

  private mutating func began(_ id: PushID, isRepetition: Bool, at time: Timestamp) {
    inFlight = id
    guard isRepetition else { return }
    change(id) { $0.note(PushAttempt(at: time, reason: "the server stopped meanwhile", mayBeDelivered: true)) }
    boundHistory(of: id)
  }

  private mutating func failed(_ id: PushID, _ attempt: PushAttempt, number: Int) {
    change(id) { entry in
      entry.failures = number
      entry.returns = 0
      entry.note(attempt)
    }
    boundHistory(of: id)
    if inFlight == id { inFlight = nil }
  }

  /// It does not count.
  private mutating func returned(_ id: PushID, _ attempt: PushAttempt) {
    change(id) { entry in
      entry.returns += 1
      entry.note(attempt, isReturn: true)
    }
    boundHistory(of: id)
    if inFlight == id { inFlight = nil }
  }

  private mutating func change(_ id: PushID, _ body: (inout PushEntry) -> Void) {
    guard let index = lanes[id.producer]?.entries.firstIndex(where: { $0.message.number == id.number }) else { return }
    lanes[id.producer].map { lane in
      var lane = lane
      body(&lane.entries[index])
      lanes[id.producer] = lane
    }
  }

  private var historyBytes: Int {
    let letters = deadLetters.reduce(0) { $0 + PushAttempt.weight(of: $1.history) }
    return lanes.values.reduce(letters) { sum, lane in
      lane.entries.reduce(sum) { $0 + PushAttempt.weight(of: $1.history) }
    }
  }

  /// The whole queue has to fit into one record (`erased`): where too much has been tried in vain, less is told of it.
  private mutating func boundHistory(of id: PushID) {
    guard historyBytes > PushLimits.historyBytesMaximum else { return }
    change(id) { $0.history = [] }
  }

  private mutating func settle(
    _ id: PushID, _ outcome: FinalPushOutcome, attempts: Int, isDeadLetter: Bool, _ report: PushReport?,
    at time: Timestamp
  ) {
    if isDeadLetter, var entry = lanes[id.producer]?.entries.first(where: { $0.message.number == id.number }) {
      if let reason = report?.reason ?? outcome.reason {
        entry.note(PushAttempt(at: time, reason: reason, report))
        if historyBytes + 1_500 > PushLimits.historyBytesMaximum { entry.history = [] }
      }
      deadLetters.append(
        DeadLetter(
          message: entry.message, outcome: outcome, attempts: attempts, acceptedAt: entry.acceptedAt, endedAt: time,
          history: entry.history))
    }
    lanes[id.producer]?.entries.removeAll { $0.message.number == id.number }
    if inFlight == id { inFlight = nil }
    if case .delivered = outcome { hasDelivered = true }
  }

  /// A dead letter becomes a message again: new in its age, with all its attempts before it, and with no end to its
  /// time, which is over.
  private mutating func revive(_ id: PushID, at time: Timestamp) {
    guard let index = deadLetters.firstIndex(where: { $0.message.id == id }) else { return }
    let letter = deadLetters.remove(at: index)
    arrived(id, nil, at: time)
    lanes[id.producer]?.entries.append(
      PushEntry(message: letter.message.withoutExpiry, arrival: arrivals, acceptedAt: time))
  }

  mutating func moveExpiryTimer() {
    var earliest = deadLetters.first?.expiry
    if !isUnregistered {
      for lane in lanes.values {
        for entry in lane.entries where entry.message.id != inFlight {
          guard let expiry = entry.message.expiry else { continue }
          earliest = min(earliest ?? expiry, expiry)
        }
      }
    }
    if let expiry = mail.earliestExpiry { earliest = min(earliest ?? expiry, expiry) }
    expiryTimer.hasMoved = earliest != expiryTimer.armedFor
    expiryTimer.armedFor = earliest
  }

  mutating func moveOffer() {
    let next = isUnregistered || inFlight != nil ? nil : sendable?.message.priority
    offer.isNew = next.map { next in offer.priority.map { $0 < next } ?? true } ?? false
    if offer.isNew || next == nil { offer.priority = next }
  }
}
