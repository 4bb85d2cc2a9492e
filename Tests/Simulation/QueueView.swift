import EventSourcing
import PushDomain

/// The queue of one device as its records tell it.
struct QueueView {
  struct Waiting {
    let message: PushMessage
    var failures = 0
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
  /// In the order of their coming.
  private(set) var lanes: [String: [PushID]] = [:]

  mutating func apply(_ event: PushEvent, at time: Timestamp, _ moment: Moment) throws {
    switch event {
    case .enqueued(let message):
      try arrive(message.id)
      waiting[message.id] = Waiting(message: message)
      lanes[message.producer, default: []].append(message.id)
    case .declined(let id, let outcome):
      try arrive(id)
      if outcome == .collapsed { throw Failure(.newestOfAKeyStays, "push \(id) gave way to an older one") }
      try settle(id, outcome)
    case .settled(let id, let outcome, _):
      guard let entry = waiting.removeValue(forKey: id) else {
        throw Failure(.onePushOneOutcome, "push \(id) ended as \(outcome.name) and was not in the queue")
      }
      lanes[id.producer]?.removeAll { $0 == id }
      if outcome == .expired, entry.message.expiry.map({ $0 > time }) ?? true {
        throw Failure(.timersFireInTime, "push \(id) expired before its time")
      }
      try settle(id, outcome)
    case .retryScheduled(let id, let attempt, let until, _):
      guard let entry = waiting[id], entry.failures + 1 == attempt else {
        throw Failure(.onePushOneOutcome, "attempt \(attempt) of push \(id) was not its next one")
      }
      guard until.milliseconds - time.milliseconds >= 1_000 else {
        throw Failure(.timersFireInTime, "a pause of \(until.milliseconds - time.milliseconds) ms before a retry")
      }
      waiting[id]?.failures = attempt
      waiting[id]?.pausedUntil = until
      waiting[id]?.pausedSince = moment
    case .pauseEnded(let producer):
      for id in lanes[producer] ?? [] {
        guard let entry = waiting[id], let until = entry.pausedUntil, let since = entry.pausedSince else { continue }
        if moment.clockSettings == since.clockSettings, time < until {
          throw Failure(
            .timersFireInTime,
            "push \(id) is tried \(until.milliseconds - time.milliseconds) ms before its pause is over")
        }
        waiting[id]?.pausedUntil = nil
      }
    case .unregistered: isUnregistered = true
    case .registered: isUnregistered = false
    case .producerForgotten: break
    case .erased(let pushes, _):
      for push in pushes where waiting.removeValue(forKey: push.id) != nil {
        lanes[push.id.producer]?.removeAll { $0 == push.id }
        try settle(push.id, .erased)
      }
    }
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

  /// The first of a lane that does not pause is in a courier's hands: it cannot give way any more.
  func hasInFlight(among ids: [PushID]) -> Bool {
    ids.contains { id in lanes[id.producer]?.first == id }
  }
}
