import EventSourcing
import PushDomain

/// The queue of one device as its records tell it.
struct QueueView {
  struct Waiting {
    let message: PushMessage
    var failures = 0
    /// Attempts that came back and do not count.
    var returns = 0
    var pausedUntil: Timestamp?
    var pausedSince: Moment?
  }

  /// A producer's pushes that share a key.
  struct CollapseSlot: Hashable {
    let producer: String
    let key: String
  }

  private(set) var waiting: [PushID: Waiting] = [:]
  private(set) var outcomes: [PushID: FinalPushOutcome] = [:]
  private(set) var isUnregistered = false
  /// Whose attempt is running.
  private(set) var inFlight: PushID?
  private(set) var deadLetters: [PushID: PushMessage] = [:]
  private var revivals = 0
  /// A pause is the producer's: it goes on when the message that it began with has ended.
  private var pausing: Set<String> = []
  /// In the order of their coming.
  private(set) var lanes: [String: [PushID]] = [:]

  mutating func apply(_ event: PushEvent, at time: Timestamp, _ moment: Moment) throws {
    switch event {
    case .enqueued(let message):
      try arrive(message.id)
      waiting[message.id] = Waiting(message: message)
      lanes[message.producer, default: []].append(message.id)
    case .declined(let id, let outcome, _):
      try arrive(id)
      if outcome == .collapsed, !isOvertaken(id) {
        throw Failure(.newestOfAKeyStays, "push \(id) gave way to an older one")
      }
      try settle(id, outcome)
    case .settled(let id, let outcome, _, _, let isDeadLetter, _):
      guard let entry = waiting.removeValue(forKey: id) else {
        throw Failure(.onePushOneOutcome, "push \(id) ended as \(outcome.name) and was not in the queue")
      }
      lanes[id.producer]?.removeAll { $0 == id }
      if inFlight == id { inFlight = nil }
      if isDeadLetter { deadLetters[id] = entry.message }
      // What is refused may have been withdrawn by its owner: that is nobody's to see.
      if [.expired, .overflowed].contains(outcome) || outcome.name == "failed", !isDeadLetter,
        !entry.message.isNowOrNever
      {
        throw Failure(.nothingVanishes, "push \(id) ended as \(outcome.name), and no operator is shown it")
      }
      if outcome == .expired, entry.message.expiry.map({ $0 > time }) ?? true,
        !entry.message.isNowOrNever
      {
        throw Failure(.timersFireInTime, "push \(id) expired before its time")
      }
      try settle(id, outcome)
    case .retryScheduled(let id, let attempt, let until, _, _):
      guard let entry = waiting[id], entry.failures + 1 == attempt else {
        throw Failure(.onePushOneOutcome, "attempt \(attempt) of push \(id) was not its next one")
      }
      // A second, from which a half may be taken off by chance.
      guard until.milliseconds - time.milliseconds >= 500 else {
        throw Failure(.timersFireInTime, "a pause of \(until.milliseconds - time.milliseconds) ms before a retry")
      }
      if inFlight == id { inFlight = nil }
      waiting[id]?.failures = attempt
      pausing.insert(id.producer)
      waiting[id]?.pausedUntil = until
      waiting[id]?.pausedSince = moment
    case .pauseEnded(let producer):
      pausing.remove(producer)
      for id in lanes[producer] ?? [] {
        guard let entry = waiting[id], let until = entry.pausedUntil, let since = entry.pausedSince else { continue }
        if moment.clockSettings == since.clockSettings, time < until {
          throw Failure(
            .timersFireInTime,
            "push \(id) is tried \(until.milliseconds - time.milliseconds) ms before its pause is over")
        }
        waiting[id]?.pausedUntil = nil
      }
    case .attemptBegan(let id, let attempt, _): try begin(id, attempt)
    case .attemptReturned(let id, let attempt, _, _):
      guard inFlight == id, let entry = waiting[id], entry.failures + 1 == attempt else {
        throw Failure(.onePushOneOutcome, "attempt \(attempt) of push \(id) came back and was not on its way")
      }
      inFlight = nil
      waiting[id]?.returns += 1
    case .deadLetterRetried(let id):
      guard let message = deadLetters.removeValue(forKey: id) else {
        throw Failure(.onePushOneOutcome, "push \(id) is tried again and was no dead letter")
      }
      outcomes[id] = nil
      // Its attempts are counted anew, and are others than the first ones.
      revivals += 1
      waiting[id] = Waiting(message: message, returns: revivals * 1_000)
      lanes[id.producer, default: []].append(id)
    case .deadLetterDropped(let id): deadLetters[id] = nil
    case .unregistered:
      isUnregistered = true
      inFlight = nil
    case .registered:
      if isUnregistered { pausing = [] }
      isUnregistered = false
    case .producerForgotten(let producer): pausing.remove(producer)
    case .erased(let pushes, _):
      for push in pushes where waiting.removeValue(forKey: push.id) != nil {
        lanes[push.id.producer]?.removeAll { $0 == push.id }
        if inFlight == push.id { inFlight = nil }
        try settle(push.id, .erased)
      }
    // See `MailboxView`.
    case .mailStored, .mailEnded, .mailDropped, .mailNoticed, .receiverConfirms: break
    }
  }

  /// One at a time, nothing that pauses, and the most urgent first.
  private mutating func begin(_ id: PushID, _ attempt: Int) throws {
    guard let entry = waiting[id], entry.failures + 1 == attempt, !isUnregistered else {
      throw Failure(.onePushOneOutcome, "attempt \(attempt) of push \(id) begins and is not its next one")
    }
    if let inFlight, inFlight != id {
      throw Failure(.inOrderWithoutGaps, "push \(id) goes out while \(inFlight) is on its way")
    }
    if pausing.contains(id.producer) {
      throw Failure(.timersFireInTime, "push \(id) goes out during the pause of its producer")
    }
    let isUrgent = entry.message.priority == .high
    for (producer, ids) in lanes where inFlight == nil {
      guard !pausing.contains(producer) else { continue }
      for other in ids where waiting[other]?.message.priority == .high && !isUrgent {
        throw Failure(.inOrderWithoutGaps, "push \(id) goes out before the urgent \(other)")
      }
      if producer == id.producer,
        let earlier = ids.first(where: { waiting[$0]?.message.priority == entry.message.priority }),
        earlier != id, earlier.number < id.number
      {
        throw Failure(.inOrderWithoutGaps, "push \(id) goes out before \(earlier)")
      }
    }
    inFlight = id
  }

  /// A newer one with a key came before it, and is still there.
  private func isOvertaken(_ id: PushID) -> Bool {
    (lanes[id.producer] ?? []).contains { $0.number > id.number && waiting[$0]?.message.collapseKey != nil }
  }

  private func arrive(_ id: PushID) throws {
    guard waiting[id] == nil, outcomes[id] == nil else {
      throw Failure(.onePushOneOutcome, "push \(id) came to its queue twice")
    }
  }

  private mutating func settle(_ id: PushID, _ outcome: FinalPushOutcome) throws {
    if let earlier = outcomes.updateValue(outcome, forKey: id) {
      throw Failure(.onePushOneOutcome, "push \(id) ended as \(earlier.name) and as \(outcome.name)")
    }
  }

  var waitingByCollapseKey: [CollapseSlot: [PushID]] {
    var slots: [CollapseSlot: [PushID]] = [:]
    for (producer, ids) in lanes {
      for id in ids {
        guard let key = waiting[id]?.message.collapseKey else { continue }
        slots[CollapseSlot(producer: producer, key: key), default: []].append(id)
      }
    }
    return slots
  }

  /// What is in a courier's hands cannot give way any more.
  func hasInFlight(among ids: [PushID]) -> Bool { ids.contains { $0 == inFlight } }
}
