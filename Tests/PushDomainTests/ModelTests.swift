import EventSourcing
import PushDomain
import Testing

/// Thousands of random steps against the promises of the queue, with restarts in between.
@Suite("Push queue, random histories")
struct ModelTests {
  @Test("one outcome for each message, order in each producer, nothing after a success", arguments: 1...60)
  func history(seed: Int) throws {
    var run = ModelRun(seed: UInt64(seed))
    for _ in 0..<400 { try run.step() }
    try run.drain()
    run.checkEnd()
  }

  @Test("a queue that slept goes on like one that did not", arguments: 61...90)
  func sleep(seed: Int) throws {
    var awake = ModelRun(seed: UInt64(seed))
    var sleeper = awake
    for _ in 0..<400 {
      try sleeper.rig.sleepAndWake()
      try awake.step()
      try sleeper.step()
      #expect(sleeper.effects == awake.effects, "seed \(seed)")
    }
    #expect(sleeper.rig.queue == awake.rig.queue, "seed \(seed)")
    #expect(sleeper.rig.queue.outstandingEffects == awake.rig.queue.outstandingEffects, "seed \(seed)")
  }
}

private struct ModelRun {
  var random: SplitMix64
  var rig = QueueRig()
  var numbers: [String: Int] = [:]
  var sent: [PushID: PushMessage] = [:]
  var endings: [PushID: FinalPushOutcome] = [:]
  /// What the providers hold, as effects have told it.
  var running: [PushID: Int] = [:]
  var timers: [PushTimer: Timestamp] = [:]
  /// The last number of each producer that a provider was given.
  var lastDelivered: [String: Int] = [:]
  /// What the last step had done.
  var effects: [PushEffect] = []
  let seed: UInt64

  init(seed: UInt64) {
    self.seed = seed
    random = SplitMix64(state: seed)
    rig.limits.messagesMaximum = 6
    rig.limits.contentBytesMaximum = 400
  }

  mutating func step() throws {
    effects = []
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<35: try enqueue()
    case 35..<75: try answer()
    case 75..<88: try fire()
    case 88: try erase()
    case 89..<92: rig.pass(.milliseconds(Int.random(in: 0...4_000, using: &random)))
    case 92..<97: try restart()
    case 97: try perform(.unregister(reason: "gone"))
    default: try perform(.register)
    }
  }

  mutating func enqueue() throws {
    let producer = ["a", "b", "c", "d"].randomElement(using: &random) ?? "a"
    if let old = sent.values.filter({ $0.producer == producer }).max(by: { $0.number < $1.number }),
      Bool.random(using: &random), Bool.random(using: &random)
    {
      #expect(rig.queue.isKnown(producer: producer, number: old.number), "seed \(seed)")
      return try perform(.enqueue(old, limits: rig.limits))
    }
    numbers[producer, default: 0] += Int.random(in: 1...3, using: &random)
    let message = PushMessage.sample(
      numbers[producer] ?? 0, from: producer, bytes: Int.random(in: 1...150, using: &random),
      attempts: Int.random(in: 1...4, using: &random),
      expiry: Bool.random(using: &random) ? rig.after(.seconds(Int.random(in: 0...20, using: &random))) : nil,
      collapseKey: ["k", "l", nil, nil].randomElement(using: &random) ?? nil)
    sent[message.id] = message
    try perform(.enqueue(message, limits: rig.limits))
  }

  /// One producer or several, also one that never came; or the queue just states itself.
  mutating func erase() throws {
    let producers = ["a", "b", "c", "d", "nobody"].filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
    let others = Set(sent.keys.filter { endings[$0] == nil && !producers.contains($0.producer) })
    if producers.isEmpty { return try perform(.restate) }
    try perform(.erase(producers: producers))
    for id in sent.keys where producers.contains(id.producer) {
      #expect(endings[id] != nil, "not erased; seed \(seed)")
      #expect(rig.queue.isKnown(producer: id.producer, number: id.number), "forgotten; seed \(seed)")
    }
    #expect(others.allSatisfy { endings[$0] == nil }, "another's message ended; seed \(seed)")
  }

  mutating func answer(always outcome: PushOutcome? = nil) throws {
    let choices = running.sorted { ($0.key.producer, $0.key.number) < ($1.key.producer, $1.key.number) }
    guard let (id, attempt) = choices.randomElement(using: &random) else { return }
    let outcomes: [PushOutcome] = [
      .delivered, .delivered, .retryable(reason: "down"), .retryable(reason: "busy", after: .seconds(7)),
      .refused(reason: "no"),
    ]
    let gone = Int.random(in: 0..<40, using: &random) == 0
    let chosen =
      outcome ?? (gone ? .unregistered(reason: "gone") : outcomes.randomElement(using: &random) ?? .delivered)
    running[id] = nil
    try perform(.attemptEnded(id, attempt: attempt, chosen, limits: rig.limits))
  }

  mutating func fire() throws {
    guard let (timer, at) = timers.min(by: { ($0.value, "\($0.key)") < ($1.value, "\($1.key)") }) else { return }
    rig.now = max(rig.now, at)
    timers[timer] = nil
    switch timer {
    case .retry(let producer): try perform(.retryDue(producer: producer))
    case .expiry: try perform(.expiryDue)
    }
  }

  mutating func restart() throws {
    running = [:]
    timers = [:]
    lastDelivered = [:]
    perform(try rig.restart())
  }

  mutating func drain() throws {
    try perform(.register)
    while rig.queue.messageCount > 0 {
      let before = (rig.journal.count, timers.count)
      try answer(always: .delivered)
      try fire()
      try #require(before != (rig.journal.count, timers.count), "the queue is stuck; seed \(seed)")
    }
  }

  mutating func perform(_ command: PushCommand) throws {
    perform(try rig.send(command))
    #expect(rig.queue.messageCount <= rig.limits.messagesMaximum, "seed \(seed)")
  }

  mutating func perform(_ effects: [PushEffect]) {
    self.effects += effects
    for effect in effects {
      switch effect {
      case .accepted(let id):
        #expect(sent[id] != nil)
      case .deliver(let message, let attempt):
        #expect(endings[message.id] == nil, "sent after its end; seed \(seed)")
        #expect(attempt <= message.attemptsMaximum, "seed \(seed)")
        let others = running.keys.filter { $0.producer == message.producer && endings[$0] == nil }
        #expect(others.isEmpty, "two of one producer in flight; seed \(seed)")
        if let last = lastDelivered[message.producer] { #expect(message.number >= last, "order; seed \(seed)") }
        lastDelivered[message.producer] = message.number
        running[message.id] = attempt
      case .settled(let id, let outcome, _):
        #expect(endings[id] == nil, "two endings; seed \(seed)")
        endings[id] = outcome
      case .startTimer(let timer, let at):
        timers[timer] = at
      case .cancelTimer(let timer):
        timers[timer] = nil
      }
    }
  }

  func checkEnd() {
    #expect(Set(endings.keys) == Set(sent.keys), "seed \(seed)")
    #expect(rig.queue.outstandingEffects.allSatisfy { if case .startTimer(.retry, _) = $0 { true } else { false } })
  }
}

private struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
