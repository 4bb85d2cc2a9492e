import EventSourcing
import PushDomain
import Testing

/// Thousands of random steps against the promises of the queue, with restarts in between.
@Suite("Push queue, random histories")
struct ModelTests {
  @Test(
    "one outcome for each message, one in flight, the most urgent first, nothing after a success", arguments: 1...80)
  func history(seed: Int) throws {
    var run = ModelRun(seed: UInt64(seed))
    for _ in 0..<400 { try run.step() }
    try run.drain()
    run.checkEnd()
  }

  @Test("a queue that slept goes on like one that did not", arguments: 81...110)
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
  /// Overtaken by what came after them, and still on their way.
  var late: [PushMessage] = []
  /// The place of each message in the order in which they came; a dead letter that is put back comes anew.
  var arrivals: [PushID: Int] = [:]
  var arrived = 0
  var endings: [PushID: FinalPushOutcome] = [:]
  /// What the queue knows to be in flight, as effects have told it.
  var flying: (id: PushID, attempt: Int)?
  /// What was in flight when the process died, and has to go again.
  var owed: (id: PushID, attempt: Int)?
  /// The next attempt of each message as the model counts it: the queue may start no other.
  var attempts: [PushID: Int] = [:]
  var timers: [PushTimer: Timestamp] = [:]
  /// What the last step had done.
  var effects: [RigEffect] = []
  let seed: UInt64

  init(seed: UInt64) {
    self.seed = seed
    random = SplitMix64(state: seed)
    rig.limits.messagesMaximum = 6
    rig.limits.contentBytesMaximum = 400
    rig.limits.deadLettersMaximum = 3
    rig.limits.deadLetterBytesMaximum = 200
    rig.schedule.jitter = 0.25
  }

  mutating func step() throws {
    effects = []
    switch Int.random(in: 0..<200, using: &random) {
    case 0..<70: try enqueue()
    case 70..<145: try answer()
    case 145..<168: try fire()
    case 168..<170: try erase()
    case 170..<176: rig.pass(.milliseconds(Int.random(in: 0...4_000, using: &random)))
    case 176..<184: try restart()
    case 184..<186: try perform(.unregister(reason: "gone"))
    case 186..<190: try perform(.register)
    case 190..<193: try deadLetter()
    case 193: try handOver()
    default:
      if rig.laneStands { perform(try rig.laneMoves()) } else { rig.laneStands = true }
    }
    try check()
  }

  mutating func enqueue() throws {
    if !late.isEmpty, Int.random(in: 0..<4, using: &random) == 0 { return try arrive(late.removeFirst()) }
    let producer = ["a", "b", "c", "d"].randomElement(using: &random) ?? "a"
    if let old = sent.values.filter({ $0.producer == producer }).max(by: { $0.number < $1.number }),
      Bool.random(using: &random), Bool.random(using: &random)
    {
      #expect(rig.queue.isKnown(producer: producer, number: old.number), "seed \(seed)")
      return try perform(.enqueue(old, limits: rig.limits))
    }
    numbers[producer, default: 0] += Int.random(in: 1...3, using: &random)
    let message = PushMessage.sample(
      numbers[producer] ?? 0, from: producer, bytes: Int.random(in: 9...150, using: &random),
      attempts: Int.random(in: 1...4, using: &random),
      expiry: Bool.random(using: &random) ? rig.after(.seconds(Int.random(in: 0...20, using: &random))) : nil,
      collapseKey: ["k", "l", nil, nil].randomElement(using: &random) ?? nil,
      priority: Bool.random(using: &random) ? .high : .normal,
      isNowOrNever: Int.random(in: 0..<6, using: &random) == 0,
      owner: ["anna", "ben", nil].randomElement(using: &random) ?? nil)
    if Int.random(in: 0..<8, using: &random) == 0 { late.append(message) } else { try arrive(message) }
  }

  private mutating func arrive(_ message: PushMessage) throws {
    sent[message.id] = message
    arrived += 1
    arrivals[message.id] = arrived
    attempts[message.id] = 1
    let isDeclined = Int.random(in: 0..<15, using: &random) == 0
    if !isDeclined, rig.running == nil, !rig.isOffered, !rig.laneStands, Bool.random(using: &random) {
      return perform(try rig.enqueueInPlace(message))
    }
    try perform(isDeclined ? .decline(message.id, reason: "no") : .enqueue(message, limits: rig.limits))
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
    #expect(rig.queue.deadLetters.allSatisfy { !producers.contains($0.message.producer) }, "seed \(seed)")
    #expect(others.allSatisfy { endings[$0] == nil }, "another's message ended; seed \(seed)")
  }

  mutating func deadLetter() throws {
    guard let letter = rig.queue.deadLetters.randomElement(using: &random) else { return }
    let id = letter.message.id
    guard Int.random(in: 0..<4, using: &random) > 0, !rig.queue.isUnregistered else {
      return try perform(.dropDeadLetter(id))
    }
    #expect(endings[id] == letter.outcome, "seed \(seed)")
    endings[id] = nil
    arrived += 1
    (arrivals[id], attempts[id]) = (arrived, 1)
    try perform(.retryDeadLetter(id))
  }

  mutating func handOver() throws {
    let owner = ["anna", "ben"].randomElement(using: &random) ?? "anna"
    try perform(.handOver(to: owner))
    for (id, message) in sent where message.owner != nil && message.owner != owner {
      #expect(endings[id] != nil, "seed \(seed)")
    }
    #expect(rig.queue.deadLetters.allSatisfy { $0.message.owner ?? owner == owner }, "seed \(seed)")
  }

  /// The courier answers, or somebody who is not asked.
  mutating func answer(always outcome: PushOutcome? = nil) throws {
    guard let (id, attempt) = rig.running, let message = sent[id] else { return }
    let outcomes: [PushOutcome] = [
      .delivered(), .delivered(id: "1"), .retryable(reason: "down"), .retryable(reason: "busy", after: .seconds(7)),
      .refused(reason: "no"), .unprocessed(reason: "again"), .laneBroken(reason: "key"),
      .lanePaused(reason: "slow", for: .seconds(1)), .unregistered(reason: "gone", isSuspect: true),
    ]
    let gone = Int.random(in: 0..<40, using: &random) == 0
    let chosen =
      outcome ?? (gone ? .unregistered(reason: "gone") : outcomes.randomElement(using: &random) ?? .delivered())
    let isStale = outcome == nil && Int.random(in: 0..<20, using: &random) == 0
    if isStale { return try perform(.attemptEnded(id, attempt: attempt + 1, chosen, schedule: rig.schedule)) }
    if let flying, flying == (id, attempt) { self.flying = nil }
    try perform(rig.end(message, attempt: attempt, chosen))
  }

  mutating func fire() throws {
    guard let (timer, at) = timers.min(by: { ($0.value, "\($0.key)") < ($1.value, "\($1.key)") }) else { return }
    rig.now = max(rig.now, at)
    timers[timer] = nil
    switch timer {
    case .retry(let producer): try perform(.retryDue(producer: producer))
    case .expiry: try perform(.expiryDue())
    }
  }

  mutating func restart() throws {
    (owed, flying, timers) = (flying ?? owed, nil, [:])
    perform(try rig.restart())
    if !rig.laneStands, let owed { #expect(endings[owed.id] != nil, "not sent again; seed \(seed)") }
  }

  mutating func drain() throws {
    try perform(.register)
    perform(try rig.laneMoves())
    while rig.queue.messageCount > 0 {
      let before = (rig.journal.count, timers.count)
      try answer(always: .delivered())
      try fire()
      try #require(before != (rig.journal.count, timers.count), "the queue is stuck; seed \(seed)")
    }
  }

  mutating func perform(_ command: PushCommand) throws { perform(try rig.send(command)) }

  mutating func perform(_ effects: [RigEffect]) {
    self.effects += effects
    for effect in effects {
      switch effect {
      case .deliver(let message, let attempt): began(message, attempt)
      case .effect(.courier(.accepted(let id))): #expect(sent[id] != nil)
      case .effect(.courier(.settled(let id, let outcome, _))):
        #expect(endings[id] == nil, "two endings; seed \(seed)")
        endings[id] = outcome
        if flying?.id == id { flying = nil }
        if owed?.id == id { owed = nil }
      case .effect(.courier(.startTimer(let timer, let at))):
        if case .retry(let producer) = timer { counted(producer) }
        timers[timer] = at
      case .effect(.courier(.cancelTimer(let timer))): timers[timer] = nil
      case .effect(.courier(.ready)), .effect(.courier(.addressGone)), .effect(.courier(.deadLetters)): break
      case .effect(.mail): break
      }
    }
  }

  /// A pause begins with an attempt that counts, and not anew after a restart.
  private mutating func counted(_ producer: String) {
    guard timers[.retry(producer: producer)] == nil, let last = lastBegun, last.id.producer == producer else { return }
    lastBegun = nil
    attempts[last.id] = last.attempt + 1
  }

  private var lastBegun: (id: PushID, attempt: Int)?

  private mutating func began(_ message: PushMessage, _ attempt: Int) {
    let id = message.id
    #expect(endings[id] == nil, "sent after its end; seed \(seed)")
    #expect(flying == nil, "two in flight; seed \(seed)")
    #expect(attempt <= message.attemptsMaximum && attempt == attempts[id], "attempts; seed \(seed)")
    if let owed {
      #expect(owed == (id, attempt), "another goes before what was in flight; seed \(seed)")
      self.owed = nil
    } else {
      #expect(!message.isExpired(at: rig.now) || sent[id]?.expiry != message.expiry, "seed \(seed)")
      #expect(timers[.retry(producer: id.producer)] == nil, "sent in a pause; seed \(seed)")
      let better = sent.values.first { other in
        endings[other.id] == nil && timers[.retry(producer: other.producer)] == nil
          && (other.priority > message.priority
            || (other.priority == message.priority && arrivals[other.id] ?? 0 < arrivals[id] ?? 0))
      }
      #expect(better == nil, "a better one waits; seed \(seed)")
    }
    flying = (id, attempt)
    lastBegun = (id, attempt)
  }

  private func check() throws {
    let queue = rig.queue
    #expect(queue.messageCount <= rig.limits.messagesMaximum + rig.limits.deadLettersMaximum, "seed \(seed)")
    #expect(queue.deadLetters.count <= rig.limits.deadLettersMaximum, "seed \(seed)")
    #expect(queue.messageCount == sent.keys.filter { endings[$0] == nil }.count, "seed \(seed)")
    // Whatever waits has somebody who comes for it.
    if case .asleep = queue.rest {
      #expect(queue.messageCount == 0 || !timers.isEmpty, "nobody comes; seed \(seed)")
    } else {
      #expect(rig.running != nil || rig.isOffered, "nobody comes; seed \(seed)")
    }
  }

  func checkEnd() {
    #expect(Set(endings.keys) == Set(sent.keys), "seed \(seed)")
    #expect(rig.queue.outstandingEffects.allSatisfy { if case .courier(.startTimer) = $0 { true } else { false } })
  }
}
