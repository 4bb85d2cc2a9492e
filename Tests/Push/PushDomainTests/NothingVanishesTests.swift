import EventSourcing
import PushDomain
import Testing

@Suite("Push queue, nothing vanishes")
struct NothingVanishesTests {
  var rig = QueueRig()

  init() { rig.limits = PushLimits() }

  private var settled: [PushEvent] {
    rig.journal.compactMap { try? $0.event.decoded(as: PushEvent.self) }.filter {
      if case .settled = $0 { true } else { false }
    }
  }

  // MARK: Dead letters for all that did not reach anybody

  @Test("what expires while its lane stands still is a dead letter, with the reason")
  mutating func expiredUntried() throws {
    rig.laneStands = true
    let message = PushMessage.sample(1, expiry: rig.after(.seconds(60)))
    try rig.enqueue(message)
    rig.pass(.seconds(60))
    try rig.send(.expiryDue())
    let letter = try #require(rig.queue.deadLetters.first)
    #expect(letter.message == message && letter.outcome == .expired && letter.attempts == 0)
    #expect(letter.reason == "no attempt could be made" && letter.history.isEmpty)
    try rig.sleepAndWake()
    _ = try rig.restart()
  }

  @Test("what expires after failures says what the last one was, and what the receiver answered")
  mutating func expiredTried() throws {
    let message = PushMessage.sample(1, attempts: 9, expiry: rig.after(.seconds(60)))
    try rig.enqueue(message)
    try rig.end(message, .retryable(reason: "503 busy"), report: PushReport(answer: "later"))
    rig.pass(.seconds(5))
    try rig.send(.retryDue(producer: message.producer))
    let tried = rig.now
    try rig.end(
      message, attempt: 2, .retryable(reason: "no answer", mayBeDelivered: true),
      report: PushReport(mayBeDelivered: true))
    try rig.sleepAndWake()
    rig.pass(.seconds(60))
    try rig.send(.expiryDue())
    let letter = try #require(rig.queue.deadLetters.first)
    #expect(letter.outcome == .expired && letter.attempts == 2 && letter.reason == "no answer")
    #expect(letter.history.map(\.reason) == ["503 busy", "no answer"])
    #expect(letter.history.map(\.mayBeDelivered) == [false, true] && letter.history.last?.at == tried)
    #expect(letter.history.first?.answer == "later")
    try rig.sleepAndWake()
    _ = try rig.restart()
  }

  @Test("what has no room any more is a dead letter: the oldest, and the first of those that are less urgent")
  mutating func overflowed() throws {
    rig.laneStands = true
    rig.limits.messagesMaximum = 2
    for number in 1...3 { try rig.enqueue(.sample(number, priority: number == 2 ? .normal : .high)) }
    #expect(rig.queue.messageCount == 2)
    #expect(rig.queue.deadLetters.map(\.message.number) == [2])
    #expect(rig.queue.deadLetters.first?.outcome == .overflowed)
  }

  @Test("a thousand of them wait, and one more")
  mutating func bound() throws {
    rig.laneStands = true
    for number in 1...1_001 { try rig.enqueue(.sample(number)) }
    #expect(rig.queue.messageCount == 1_000 && rig.queue.deadLetters.map(\.message.number) == [1])
  }

  @Test("what comes too late, or beside one in flight that fills the queue, is a dead letter at once")
  mutating func turnedAway() throws {
    try rig.enqueue(.sample(1, expiry: rig.now))
    #expect(rig.queue.deadLetters.map(\.outcome) == [.expired])
    rig.limits.messagesMaximum = 1
    try rig.enqueue(.sample(2))
    try rig.enqueue(.sample(3))
    #expect(rig.queue.deadLetters.map(\.message.number) == [1, 3])
    #expect(rig.queue.deadLetters.last?.outcome == .overflowed && rig.queue.attempt?.message.number == 2)
    #expect(rig.queue.isKnown(producer: "412-chat", number: 3))
    // Its number is known: it is not taken twice.
    #expect(try rig.enqueue(.sample(3)).isEmpty)
  }

  @Test("now or never is never kept, and neither is what was superseded or is for an address that is gone")
  mutating func notKept() throws {
    rig.laneStands = true
    try rig.enqueue(.sample(1, expiry: rig.after(.seconds(1)), isNowOrNever: true))
    try rig.enqueue(.sample(2, from: "other", collapseKey: "k"))
    try rig.enqueue(.sample(3, from: "other", collapseKey: "k"))
    rig.pass(.seconds(2))
    try rig.send(.expiryDue())
    try rig.send(.unregister(reason: "410"))
    #expect(settled.count == 3 && rig.queue.deadLetters.isEmpty)
  }

  @Test("what has to go for its weight is a dead letter: messages leave a quarter of the room to letters")
  mutating func weight() throws {
    rig.laneStands = true
    rig.limits.contentBytesMaximum = 120
    for number in 1...7 {
      try rig.enqueue(.sample(number, bytes: 30))
      // The newest letter is always there.
      #expect(rig.queue.deadLetters.map(\.message.number) == (number > 3 ? [number - 3] : []))
    }
    #expect(rig.queue.messageCount == 3)
    rig.limits.messagesMaximum = 2
    try rig.enqueue(.sample(8, bytes: 30))
    #expect(rig.queue.messageCount == 2 && rig.queue.deadLetters.map(\.message.number) == [5, 6])
  }

  @Test("one that weighs more than messages may together is taken alone")
  mutating func heavy() throws {
    rig.laneStands = true
    rig.limits.contentBytesMaximum = 120
    try rig.enqueue(.sample(1, bytes: 20))
    try rig.enqueue(.sample(2, bytes: 100))
    #expect(rig.queue.messageCount == 1 && rig.queue.deadLetters.map(\.message.number) == [1])
  }

  // MARK: Answers that say no

  @Test("the sixth time that a receiver does not want a message ends it; what fails otherwise counts for itself")
  mutating func rejections() throws {
    rig.schedule.pauses = Array(repeating: .seconds(1), count: 9)
    let message = PushMessage.sample(1)
    try rig.enqueue(message)
    for attempt in 1...5 {
      try rig.end(
        message, attempt: attempt, .rejected(reason: "404 Not Found"), report: PushReport(answer: "\(attempt)"))
      #expect(rig.queue.deadLetters.isEmpty)
      try rig.send(.retryDue(producer: message.producer))
    }
    try rig.end(message, attempt: 6, .retryable(reason: "503 busy"))
    try rig.sleepAndWake()
    try rig.send(.retryDue(producer: message.producer))
    try rig.end(message, attempt: 7, .rejected(reason: "404 Not Found"), report: PushReport(answer: "last"))
    let letter = try #require(rig.queue.deadLetters.first)
    #expect(letter.outcome == .refused(reason: "404 Not Found") && letter.attempts == 7)
    #expect(letter.history.count == 7 && letter.history.compactMap(\.answer) == ["last"])
    _ = try rig.restart()
  }

  @Test("of many attempts the last ten are told of")
  mutating func history() throws {
    rig.schedule.pauses = Array(repeating: .seconds(1), count: 30)
    let message = PushMessage.sample(1)
    try rig.enqueue(message)
    for attempt in 1...14 {
      try rig.end(message, attempt: attempt, .retryable(reason: "500 \(attempt)"))
      try rig.send(.retryDue(producer: message.producer))
    }
    try rig.end(message, attempt: 15, .refused(reason: "413"))
    let letter = try #require(rig.queue.deadLetters.first)
    #expect(letter.history.map(\.reason) == (6...14).map { "500 \($0)" } + ["413"] && letter.attempts == 15)
  }

  // MARK: May be delivered twice

  @Test("an attempt without an answer is marked in the journal, and so is one that a restart repeats")
  mutating func marked() throws {
    let message = PushMessage.sample(1)
    try rig.enqueue(message)
    _ = try rig.restart()
    try rig.end(
      message, .retryable(reason: "no answer", mayBeDelivered: true), report: PushReport(mayBeDelivered: true))
    let events = rig.journal.compactMap { try? $0.event.decoded(as: PushEvent.self) }
    #expect(events.contains(.attemptBegan(message.id, attempt: 1)))
    #expect(events.contains(.attemptBegan(message.id, attempt: 1, isRepetition: true)))
    guard case .retryScheduled(_, _, _, _, let report)? = events.last else {
      Issue.record("no pause")
      return
    }
    #expect(report == PushReport(mayBeDelivered: true))
    // An attempt that does not count may have come through all the same.
    try rig.send(.retryDue(producer: message.producer))
    try rig.end(
      message, attempt: 2, .laneBroken(reason: "no answer"), report: PushReport(mayBeDelivered: true))
    let returned = PushEvent.attemptReturned(
      message.id, attempt: 2, reason: "no answer", report: PushReport(mayBeDelivered: true))
    #expect(rig.journal.contains { (try? $0.event.decoded(as: PushEvent.self)) == returned })
  }

  // MARK: What waits

  @Test("what waits is counted by priority, with its age, also while it pauses")
  mutating func backlog() throws {
    #expect(rig.queue.backlog == nil)
    rig.laneStands = true
    let began = rig.now
    let first = PushMessage.sample(1)
    try rig.enqueue(first)
    rig.pass(.seconds(1))
    try rig.enqueue(.sample(2, priority: .normal))
    #expect(
      rig.queue.backlog
        == PushBacklog(since: began, target: first.target, tag: first.tag, urgent: 1, normal: 1))
    try rig.laneMoves()
    // What is in flight does not wait.
    #expect(rig.queue.backlog?.urgent == 0 && rig.queue.backlog?.normal == 1)
    rig.laneStands = true
    try rig.end(first, .retryable(reason: "500", after: .seconds(50)))
    #expect(rig.queue.backlog?.nextAttempt == rig.after(.seconds(50)) && rig.queue.backlog?.urgent == 1)
    try rig.enqueue(.sample(1, from: "other"))
    #expect(rig.queue.backlog?.nextAttempt == nil && rig.queue.backlog?.urgent == 2)
  }
}

@Suite("Courier lane, an endpoint that is gone")
struct GoneEndpointTests {
  private let now = Timestamp(milliseconds: 1_000_000)

  private func machine() -> CourierLaneMachine {
    var settings = CourierLaneMachine.Settings()
    settings.isEndpoint = true
    return CourierLaneMachine(settings: settings)
  }

  @Test("410 switches it off at once: its message is refused, and so is what waits, but for a probe an hour")
  func gone() {
    var lane = machine()
    lane.settings.inFlightMaximum = 1
    #expect(lane.offer("a", .high, since: now, now: now) == [.start(key: "a")])
    #expect(lane.offer("b", .high, since: now, now: now) == [])
    let (told, actions) = lane.ended("a", .endpointGone(reason: "410 Gone"), jitter: 1, now: now)
    #expect(told == .refused(reason: "410 Gone: the endpoint is switched off"))
    #expect(
      actions == [
        .changed(to: .off, reason: "410 Gone"), .refuse(key: "b", reason: "the endpoint is switched off"),
      ])
    #expect(lane.condition == .off)
    _ = lane.released("b", now: now)
    let hour = now.advanced(by: .seconds(3_600))
    #expect(lane.offer("c", .high, since: hour, now: hour) == [.start(key: "c")])
    #expect(lane.ended("c", .delivered(), jitter: 1, now: hour).actions == [.changed(to: .closed, reason: "")])
  }

  @Test("an operator's reset switches it on again")
  func reset() {
    var lane = machine()
    _ = lane.offer("a", .high, since: now, now: now)
    _ = lane.ended("a", .endpointGone(reason: "410 Gone"), jitter: 1, now: now)
    #expect(lane.reset(now: now) == [.changed(to: .closed, reason: "reset")])
    #expect(lane.offer("a", .high, since: now, now: now) == [.start(key: "a")])
  }

  @Test("an answer that says no counts for its message even while the breaker is open, and keeps it open")
  func rejected() {
    var lane = machine()
    for number in 1...20 {
      _ = lane.offer("\(number)", .high, since: now, now: now)
      let told = lane.ended("\(number)", .rejected(reason: "404"), jitter: 1, now: now).outcome
      #expect(told == .rejected(reason: "404"))
    }
    #expect(lane.condition == .open)
    let later = now.advanced(by: .seconds(120))
    _ = lane.offer("probe", .high, since: later, now: later)
    #expect(lane.ended("probe", .rejected(reason: "404"), jitter: 1, now: later).outcome == .rejected(reason: "404"))
    #expect(lane.condition == .open)
  }
}
