public import EventSourcing

extension PushQueue {
  public mutating func evolve(_ event: PushEvent, at time: Timestamp) {
    switch event {
    case .enqueued(let message):
      arrived(message.id)
      lanes[message.producer]?.entries.append(PushEntry(message: message, arrival: arrivals))
    case .declined(let id, _):
      arrived(id)
    case .settled(let id, _, _):
      lanes[id.producer]?.entries.removeAll { $0.message.number == id.number }
    case .retryScheduled(let id, let attempt, let until, _):
      guard lanes[id.producer]?.entries.first?.message.id == id else { break }
      lanes[id.producer]?.entries[0].failures = attempt
      lanes[id.producer]?.pausedUntil = until
    case .pauseEnded(let producer):
      lanes[producer]?.pausedUntil = nil
    case .unregistered(let reason):
      unregisteredReason = reason
    case .registered:
      unregisteredReason = nil
      for producer in lanes.keys { lanes[producer]?.pausedUntil = nil }
    case .producerForgotten(let producer):
      lanes[producer] = nil
    case .erased(_, let state):
      // Bytes that are no state never get here: they are refused when the event is decoded.
      if let state = try? PushQueue(stateBytes: state) { self = state }
      // The state says itself that the timer has to be set: what ran before it may not be known.
      return
    }
    moveExpiryTimer()
  }

  public func react(to event: PushEvent) -> [PushEffect] {
    var effects: [PushEffect] = []
    switch event {
    case .enqueued(let message):
      effects.append(.accepted(message.id))
      if let entry = lanes[message.producer]?.inFlight, entry.message.id == message.id {
        effects.append(entry.delivery)
      }
    case .declined(let id, let outcome):
      effects += [.accepted(id), .settled(id, outcome, attempts: 0)]
    case .settled(let id, let outcome, let attempts):
      effects.append(.settled(id, outcome, attempts: attempts))
      // Numbers rise within a lane: a first entry above the settled one has just become the first. If one behind the
      // first was dropped, the first is below it and already in flight.
      if !isUnregistered, let entry = lanes[id.producer]?.inFlight, entry.message.number > id.number {
        effects.append(entry.delivery)
      }
    case .retryScheduled(let id, _, let until, _):
      effects.append(.startTimer(.retry(producer: id.producer), at: until))
    case .pauseEnded(let producer):
      if let entry = lanes[producer]?.inFlight { effects.append(entry.delivery) }
    case .unregistered:
      effects += lanes.filter { $0.value.pausedUntil != nil }.keys.sorted()
        .map { .cancelTimer(.retry(producer: $0)) }
    case .producerForgotten(let producer):
      // Only an empty lane is forgotten, but its last message may have been dropped during a pause.
      effects.append(.cancelTimer(.retry(producer: producer)))
    case .registered:
      break
    case .erased(let pushes, _):
      // Pauses go on: they belong to the lanes, which stay.
      effects += pushes.map { .settled($0.id, .erased, attempts: $0.attempts) }
    }
    if expiryTimer.hasMoved {
      effects.append(expiryTimer.armedFor.map { .startTimer(.expiry, at: $0) } ?? .cancelTimer(.expiry))
    }
    return effects
  }

  private mutating func arrived(_ id: PushID) {
    arrivals += 1
    var lane = lanes.removeValue(forKey: id.producer) ?? PushLane()
    lane.highestNumber = max(lane.highestNumber, id.number)
    lane.lastArrival = arrivals
    lanes[id.producer] = lane
  }

  mutating func moveExpiryTimer() {
    var earliest: Timestamp?
    if !isUnregistered {
      for lane in lanes.values {
        for entry in lane.waiting {
          guard let expiry = entry.message.expiry else { continue }
          earliest = min(earliest ?? expiry, expiry)
        }
      }
    }
    expiryTimer.hasMoved = earliest != expiryTimer.armedFor
    expiryTimer.armedFor = earliest
  }
}

extension PushEntry {
  fileprivate var delivery: PushEffect { .deliver(message, attempt: attempt) }
}
