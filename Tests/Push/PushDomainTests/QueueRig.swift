import EventSourcing
import PushDomain
import Testing

/// Drives one queue as the runtime does: decide, journal, evolve, react. Plays its courier lane too: a queue that is
/// ready begins at once, unless the lane is busy with it or stands still.
struct QueueRig {
  private(set) var queue = PushQueue()
  private(set) var journal: [(event: StoredEvent, time: Timestamp)] = []
  var now = Timestamp(milliseconds: 1_770_000_000_000)
  /// No dead letters are kept, unless a test is about them.
  var limits = PushLimits()
  var schedule = PushSchedule()
  /// What the courier is busy with, whether the queue still knows of it or not.
  private(set) var running: (id: PushID, attempt: Int)?
  /// What the lane was offered and has not answered.
  private(set) var isOffered = false
  /// A lane that stands still leaves its offers where they are.
  var laneStands = false

  init() { limits.deadLettersMaximum = 0 }

  /// Returns the effects of `command`, in order, and what the courier begins on account of them.
  @discardableResult
  mutating func send(_ command: PushCommand) throws -> [RigEffect] {
    if case .attemptEnded(let id, let attempt, _, _, _) = command, let running, running == (id, attempt) {
      self.running = nil
    }
    return noted(try record(command)) + (try turns())
  }

  @discardableResult
  mutating func enqueue(_ message: PushMessage) throws -> [RigEffect] { try send(.enqueue(message, limits: limits)) }

  /// As the runtime does while the lane has a place.
  @discardableResult
  mutating func enqueueInPlace(_ message: PushMessage) throws -> [RigEffect] {
    let (known, wasOffered) = (journal.count, isOffered)
    var effects = noted(try record(.enqueue(message, limits: limits, hasPlace: true)))
    if running == nil, journal.count > known, case .attemptBegan? = try journal.last?.event.decoded(as: PushEvent.self),
      let (begun, attempt) = queue.attempt
    {
      // The turn that it is ready for is on.
      (running, isOffered) = ((begun.id, attempt), wasOffered)
      effects.append(.deliver(begun, attempt: attempt))
    }
    return effects + (try turns())
  }

  @discardableResult
  mutating func end(
    _ message: PushMessage, attempt: Int = 1, _ outcome: PushOutcome, report: PushReport = PushReport()
  ) throws -> [RigEffect] {
    try send(.attemptEnded(message.id, attempt: attempt, outcome, schedule: schedule, report: report))
  }

  /// The lane has room again.
  @discardableResult
  mutating func laneMoves() throws -> [RigEffect] {
    laneStands = false
    return try turns()
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

  /// Replays the journal into a new queue, which must equal the old one, and returns what is owed and what the courier
  /// begins on account of it.
  mutating func restart() throws -> [RigEffect] {
    var replayed = PushQueue()
    for (event, time) in journal { replayed.evolve(try event.decoded(as: PushEvent.self), at: time) }
    #expect(replayed == queue)
    #expect(try replayedFromRestatement() == queue)
    queue = replayed
    (running, isOffered) = (nil, false)
    return noted(queue.outstandingEffects) + (try turns())
  }

  /// Records of another version, or of no command at all.
  mutating func replay(_ events: [PushEvent]) {
    for event in events {
      journal.append((StoredEvent(event), now))
      queue.evolve(event, at: now)
    }
  }

  /// As the runtime sends it: with the bounds of now.
  private func bounded(_ command: PushCommand) -> PushCommand {
    switch command {
    case .begin: return .begin(limits: limits)
    case .retryDue(let producer, _): return .retryDue(producer: producer, limits: limits)
    case .expiryDue: return .expiryDue(limits: limits)
    case .attemptEnded(let id, let attempt, let outcome, var schedule, let report):
      schedule.limits = limits
      return .attemptEnded(id, attempt: attempt, outcome, schedule: schedule, report: report)
    default: return command
    }
  }

  private mutating func record(_ command: PushCommand) throws -> [PushEffect] {
    var effects: [PushEffect] = []
    for event in queue.decide(bounded(command), now: now) {
      let stored = StoredEvent(event)
      #expect(try stored.decoded(as: PushEvent.self) == event)
      journal.append((stored, now))
      queue.evolve(event, at: now)
      effects += queue.react(to: event)
    }
    return effects
  }

  /// Takes the offers out; a lane that stands still shows them.
  private mutating func noted(_ effects: [PushEffect]) -> [RigEffect] {
    effects.compactMap { effect in
      guard case .courier(.ready) = effect else { return .effect(effect) }
      isOffered = true
      return laneStands ? .effect(effect) : nil
    }
  }

  private mutating func turns() throws -> [RigEffect] {
    var all: [RigEffect] = []
    while isOffered, running == nil, !laneStands {
      isOffered = false
      all += noted(try record(.begin()))
      if let (message, attempt) = queue.attempt {
        running = (message.id, attempt)
        all.append(.deliver(message, attempt: attempt))
      }
    }
    return all
  }
}

/// What a queue wants done, or what its courier does.
enum RigEffect: Equatable {
  case effect(PushEffect)
  case deliver(PushMessage, attempt: Int)

  static func ready(_ priority: PushPriority, since: Timestamp) -> RigEffect {
    .effect(.ready(priority, since: since))
  }
  static func startTimer(_ timer: PushTimer, at: Timestamp) -> RigEffect { .effect(.startTimer(timer, at: at)) }
  static func cancelTimer(_ timer: PushTimer) -> RigEffect { .effect(.cancelTimer(timer)) }
  static func accepted(_ id: PushID) -> RigEffect { .effect(.accepted(id)) }
  static func addressGone(reason: String) -> RigEffect { .effect(.addressGone(reason: reason)) }
  static func deadLetters(_ count: Int) -> RigEffect { .effect(.deadLetters(count)) }
  static func settled(_ message: PushMessage, _ outcome: FinalPushOutcome, attempts: Int) -> RigEffect {
    .effect(.settled(message.id, outcome, attempts: attempts))
  }
}

extension PushMessage {
  /// - Parameter bytes: what it weighs in all.
  static func sample(
    _ number: Int, from producer: String = "412-chat", bytes: Int = 20, attempts: Int = 3, expiry: Timestamp? = nil,
    collapseKey: String? = nil, priority: PushPriority = .high, isNowOrNever: Bool = false, owner: String? = nil,
    registeredAt: Timestamp? = nil
  ) -> PushMessage {
    let deviceID = "device-77"
    return PushMessage(
      producer: producer, number: number, tag: "chat.newagentmessage", alert: "",
      content: Array(repeating: UInt8(ascii: "x"), count: max(0, bytes - deviceID.utf8.count)),
      service: "request-chat", target: PushAddress(type: "customhttp", deviceID: deviceID),
      attemptsMaximum: attempts, expiry: expiry, collapseKey: collapseKey, priority: priority,
      isNowOrNever: isNowOrNever, owner: owner, registeredAt: registeredAt)
  }
}

/// The same numbers on every machine.
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
