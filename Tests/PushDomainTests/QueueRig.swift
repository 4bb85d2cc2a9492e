import EventSourcing
import PushDomain
import Testing

/// Drives one queue as the runtime does: decide, journal, evolve, react.
struct QueueRig {
  private(set) var queue = PushQueue()
  private(set) var journal: [(event: StoredEvent, time: Timestamp)] = []
  var now = Timestamp(milliseconds: 1_770_000_000_000)
  var limits = PushLimits()

  /// Returns the effects of `command`, in order.
  @discardableResult
  mutating func send(_ command: PushCommand) throws -> [PushEffect] {
    var effects: [PushEffect] = []
    for event in queue.decide(command, now: now) {
      let stored = StoredEvent(event)
      #expect(try stored.decoded(as: PushEvent.self) == event)
      journal.append((stored, now))
      queue.evolve(event, at: now)
      effects += queue.react(to: event)
    }
    return effects
  }

  @discardableResult
  mutating func enqueue(_ message: PushMessage) throws -> [PushEffect] { try send(.enqueue(message, limits: limits)) }

  @discardableResult
  mutating func end(_ message: PushMessage, attempt: Int = 1, _ outcome: PushOutcome) throws -> [PushEffect] {
    try send(.attemptEnded(message.id, attempt: attempt, outcome, limits: limits))
  }

  mutating func pass(_ duration: Duration) { now = now.advanced(by: duration) }

  func after(_ duration: Duration) -> Timestamp { now.advanced(by: duration) }

  /// The state leaves memory and comes back from its bytes.
  mutating func sleepAndWake() throws {
    let restored = try PushQueue(stateBytes: queue.stateBytes)
    #expect(restored == queue)
    #expect(restored.stateBytes == queue.stateBytes)
    queue = restored
  }

  /// The state that a restart would find if every record before the last restatement had been erased.
  func replayedFromRestatement() throws -> PushQueue {
    var replayed = PushQueue()
    let start = journal.lastIndex { PushEvent.isRestatement($0.event.tag) } ?? 0
    for (event, time) in journal[start...] { replayed.evolve(try event.decoded(as: PushEvent.self), at: time) }
    return replayed
  }

  /// Replays the journal into a new queue, which must equal the old one, and returns what is owed.
  mutating func restart() throws -> [PushEffect] {
    var replayed = PushQueue()
    for (event, time) in journal { replayed.evolve(try event.decoded(as: PushEvent.self), at: time) }
    #expect(replayed == queue)
    #expect(try replayedFromRestatement() == queue)
    queue = replayed
    return queue.outstandingEffects
  }
}

extension PushMessage {
  static func sample(
    _ number: Int, from producer: String = "412-chat", bytes: Int = 20, attempts: Int = 3, expiry: Timestamp? = nil,
    collapseKey: String? = nil
  ) -> PushMessage {
    PushMessage(
      producer: producer, number: number, tag: "chat.newagentmessage", alert: "",
      content: Array(repeating: UInt8(ascii: "x"), count: bytes), service: "request-chat",
      target: PushAddress(type: "customhttp", deviceID: "device-77"), attemptsMaximum: attempts, expiry: expiry,
      collapseKey: collapseKey)
  }
}

extension PushEffect {
  static func settled(_ message: PushMessage, _ outcome: FinalPushOutcome, attempts: Int) -> PushEffect {
    .settled(message.id, outcome, attempts: attempts)
  }
}
