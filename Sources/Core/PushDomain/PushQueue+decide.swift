public import EventSourcing

extension PushQueue {
  public func decide(_ command: PushCommand, now: Timestamp) -> [PushEvent] {
    switch command {
    case .enqueue(let message, let limits):
      return enqueue(message, limits, now)
    case .attemptEnded(let id, let attempt, let outcome, let limits):
      guard let entry = lanes[id.producer]?.inFlight, entry.message.id == id, entry.attempt == attempt,
        !isUnregistered
      else { return [] }
      return attemptEnded(entry, outcome, limits, now)
    case .retryDue(let producer):
      guard !isUnregistered, lanes[producer]?.pausedUntil != nil else { return [] }
      // No look at the clock: the timer is the authority, the clock may have been set back meanwhile.
      return dropExpired(now) + [.pauseEnded(producer: producer)]
    case .expiryDue:
      return isUnregistered ? [] : dropExpired(now)
    case .unregister(let reason):
      return isUnregistered ? [] : unregister(reason)
    case .register:
      return isUnregistered ? [.registered] : []
    case .erase(let producers):
      return erase(Set(producers))
    case .restate:
      return [.erased([], state: erased([]).stateBytes)]
    }
  }

  private func enqueue(_ message: PushMessage, _ limits: PushLimits, _ now: Timestamp) -> [PushEvent] {
    guard !isKnown(producer: message.producer, number: message.number) else { return [] }
    let forgotten = forgetProducer(toAdmit: message.producer, limits)
    if let unregisteredReason {
      return forgotten + [.declined(message.id, .unregistered(reason: unregisteredReason))]
    }
    if message.isExpired(at: now) { return forgotten + [.declined(message.id, .expired)] }

    // What is in flight cannot be dropped: if that leaves no room in an otherwise empty queue, nothing is sacrificed.
    let inFlight = lanes.values.compactMap(\.inFlight)
    guard inFlight.count < limits.messagesMaximum,
      inFlight.reduce(message.contentBytes, { $0 + $1.message.contentBytes }) <= limits.contentBytesMaximum
    else { return forgotten + [.declined(message.id, .overflowed)] }

    var events = dropExpired(now)
    var dropped = Set(events.compactMap(\.settledID))
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

    let kept = lanes.values.flatMap(\.entries).filter { !dropped.contains($0.message.id) }
    var count = kept.count + 1
    var bytes = kept.reduce(message.contentBytes) { $0 + $1.message.contentBytes }
    for entry in waiting where !dropped.contains(entry.message.id) {
      if count <= limits.messagesMaximum && bytes <= limits.contentBytesMaximum { break }
      drop(entry, .overflowed)
      count -= 1
      bytes -= entry.message.contentBytes
    }
    return forgotten + events + [.enqueued(message)]
  }

  private func attemptEnded(
    _ entry: PushEntry, _ outcome: PushOutcome, _ limits: PushLimits, _ now: Timestamp
  ) -> [PushEvent] {
    let id = entry.message.id
    func shortened(_ reason: String) -> String { String(reason.prefix(limits.reasonLengthMaximum)) }
    func settled(_ outcome: FinalPushOutcome) -> [PushEvent] {
      // Expired successors go first, so that this message's end starts one that is still worth sending.
      dropExpired(now) + [.settled(id, outcome, attempts: entry.attempt)]
    }
    switch outcome {
    case .delivered:
      return settled(.delivered)
    case .refused(let reason):
      return settled(.refused(reason: shortened(reason)))
    case .unregistered(let reason):
      return unregister(shortened(reason))
    case .retryable(let reason, let wish):
      if entry.attempt >= min(entry.message.attemptsMaximum, limits.attemptsMaximum) {
        return settled(.failed(reason: shortened(reason)))
      }
      if entry.message.isExpired(at: now) { return settled(.expired) }
      let pause = limits.pause(afterAttempt: entry.attempt, providerAsks: wish)
      return [
        .retryScheduled(
          id, attempt: entry.attempt, until: now.advanced(by: pause), reason: shortened(reason))
      ]
    }
  }

  /// Ends everything, what is in flight included: nothing more is sent to an address that is gone, and after a restart
  /// nothing is repeated. Answers that still come find no message.
  private func unregister(_ reason: String) -> [PushEvent] {
    let inFlight = Set(lanes.values.compactMap(\.inFlight?.message.id))
    let entries = lanes.values.flatMap(\.entries).sorted { $0.arrival < $1.arrival }
    return [.unregistered(reason: reason)]
      + entries.map { entry in
        .settled(
          entry.message.id, .unregistered(reason: reason),
          attempts: inFlight.contains(entry.message.id) ? entry.attempt : entry.failures)
      }
  }

  /// Ends the waiting messages whose time is over. What is in flight is left to its outcome.
  private func dropExpired(_ now: Timestamp) -> [PushEvent] {
    guard let armed = expiryTimer.armedFor, armed <= now else { return [] }
    return waiting.filter { $0.message.isExpired(at: now) }
      .map { .settled($0.message.id, .expired, attempts: $0.failures) }
  }

  /// Makes room for a new producer's number: the one that has been idle longest is forgotten.
  private func forgetProducer(toAdmit producer: String, _ limits: PushLimits) -> [PushEvent] {
    guard lanes[producer] == nil, lanes.count >= limits.producersMaximum,
      let idlest = lanes.filter(\.value.entries.isEmpty).min(by: { $0.value.lastArrival < $1.value.lastArrival })
    else { return [] }
    return [.producerForgotten(idlest.key)]
  }
}

extension PushEvent {
  fileprivate var settledID: PushID? {
    if case .settled(let id, _, _) = self { id } else { nil }
  }
}
