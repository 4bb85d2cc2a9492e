import EventSourcing
import PushDomain
import Testing

@Suite("Push queue, dead letters")
struct DeadLetterTests {
  var rig = QueueRig()
  static let retention = Duration.seconds(14 * 86_400)

  init() { rig.limits = PushLimits() }

  /// Leaves a dead letter.
  @discardableResult
  mutating func fail(_ message: PushMessage, _ outcome: PushOutcome = .refused(reason: "400")) throws -> [RigEffect] {
    try rig.enqueue(message)
    return try rig.end(message, outcome)
  }

  @Test("a message that failed or was refused is kept with all that is known of it, for 14 days")
  mutating func kept() throws {
    let message = PushMessage.sample(1, attempts: 1)
    let accepted = rig.now
    try rig.enqueue(message)
    rig.pass(.seconds(3))
    #expect(
      try rig.end(message, .retryable(reason: "500")) == [
        .settled(message, .failed(reason: "500"), attempts: 1), .deadLetters(1),
        .startTimer(.expiry, at: rig.after(Self.retention)),
      ])
    let letter = try #require(rig.queue.deadLetters.first)
    #expect(rig.queue.deadLetters.count == 1 && letter.message == message && letter.attempts == 1)
    #expect(letter.outcome == .failed(reason: "500") && letter.acceptedAt == accepted && letter.endedAt == rig.now)
    #expect(rig.queue.messageCount == 0 && rig.queue.rest == .asleep(until: rig.after(Self.retention)))
    try rig.sleepAndWake()
    #expect(try rig.restart() == [.startTimer(.expiry, at: rig.after(Self.retention))])
    #expect(rig.queue.deadLetters == [letter])
  }

  @Test(
    "what reached its provider, is worthless by now or was superseded is not kept",
    arguments: [.delivered(), .unregistered(reason: "410"), .laneBroken(reason: "403")] as [PushOutcome])
  mutating func notKept(outcome: PushOutcome) throws {
    let message = PushMessage.sample(1, expiry: rig.after(.seconds(1)), collapseKey: "k")
    let waiting = PushMessage.sample(2, collapseKey: "k")
    try rig.enqueue(message)
    try rig.enqueue(waiting)
    try rig.enqueue(.sample(3, collapseKey: "k"))
    rig.pass(.seconds(1))
    try rig.end(message, outcome)
    #expect(rig.queue.deadLetters.isEmpty)
  }

  @Test("they are dropped when their time is over, the oldest first; the timer moves on, also for a gone address")
  mutating func retention() throws {
    try fail(.sample(1))
    let first = rig.after(Self.retention)
    rig.pass(.seconds(60))
    try fail(.sample(2))
    let second = rig.after(Self.retention)
    try rig.send(.unregister(reason: "410"))
    rig.now = first
    #expect(try rig.send(.expiryDue()) == [.deadLetters(1), .startTimer(.expiry, at: second)])
    #expect(rig.queue.deadLetters.map(\.message.number) == [2])
    rig.now = second
    #expect(try rig.send(.expiryDue()) == [.deadLetters(0), .cancelTimer(.expiry)])
    #expect(rig.queue.rest == .asleep(until: nil))
  }

  @Test("beyond their bound in number the oldest goes")
  mutating func boundedByCount() throws {
    rig.limits.deadLettersMaximum = 3
    for number in 1...5 { try fail(.sample(number)) }
    #expect(rig.queue.deadLetters.map(\.message.number) == [3, 4, 5])
  }

  @Test("beyond their bound in bytes as many go as the new one needs; one that is too big is not kept")
  mutating func boundedByBytes() throws {
    rig.limits.deadLetterBytesMaximum = 100
    for number in 1...4 { try fail(.sample(number, bytes: 25)) }
    try fail(.sample(5, bytes: 40))
    #expect(rig.queue.deadLetters.map(\.message.number) == [3, 4, 5])
    let big = PushMessage.sample(6, bytes: 101)
    #expect(try fail(big) == [.settled(big, .refused(reason: "400"), attempts: 1)])
    #expect(rig.queue.deadLetters.map(\.message.number) == [3, 4, 5])
  }

  @Test("none are kept if none are wanted")
  mutating func switchedOff() throws {
    rig.limits.deadLettersMaximum = 0
    try fail(.sample(1))
    #expect(rig.queue.deadLetters.isEmpty)
  }

  @Test("one that has expired and one for want of room go once each")
  mutating func onceEach() throws {
    rig.limits.deadLettersMaximum = 1
    try fail(.sample(1))
    rig.pass(Self.retention)
    #expect(
      try fail(.sample(2)).filter { if case .effect(.courier(.deadLetters)) = $0 { true } else { false } } == [
        .deadLetters(1)
      ])
    #expect(rig.queue.deadLetters.map(\.message.number) == [2])
    rig.limits.contentBytesMaximum = 30
    rig.pass(Self.retention)
    // Both reasons at once: too old, and in the way of a message.
    #expect(
      rig.queue.decide(.enqueue(.sample(3), limits: rig.limits), now: rig.now) == [
        .deadLetterDropped(PushID(producer: "412-chat", number: 2)), .enqueued(.sample(3)),
      ])
  }

  @Test("they make room for messages before any message does")
  mutating func makeRoom() throws {
    rig.limits.contentBytesMaximum = 100
    for number in 1...3 { try fail(.sample(number, bytes: 20)) }
    for number in 4...5 { try rig.enqueue(.sample(number, bytes: 20)) }
    let message = PushMessage.sample(6, bytes: 30)
    #expect(
      try rig.enqueue(message).filter { $0 != .startTimer(.expiry, at: rig.after(Self.retention)) } == [
        .deadLetters(2), .deadLetters(1), .accepted(message.id),
      ])
    #expect(rig.queue.deadLetters.map(\.message.number) == [3])
    // The last of those that make room is kept, in the place of the older letters.
    try rig.enqueue(.sample(7, bytes: 50))
    #expect(rig.queue.messageCount == 2 && rig.queue.deadLetters.map(\.message.number) == [6])
  }

  @Test("put back, it is a message like another: all its attempts, no end to its time, its own place and name")
  mutating func retry() throws {
    let message = PushMessage.sample(1, attempts: 2, expiry: rig.after(.seconds(60)))
    try fail(message)
    rig.pass(.seconds(3_600))
    let other = PushMessage.sample(1, from: "another")
    try rig.enqueue(other)
    #expect(try rig.send(.retryDeadLetter(message.id)) == [.deadLetters(0), .cancelTimer(.expiry)])
    #expect(rig.queue.deadLetters.isEmpty && rig.queue.isKnown(producer: message.producer, number: 1))
    let effects = try rig.end(other, .delivered())
    guard case .deliver(let sent, attempt: 1)? = effects.last else { throw Missing() }
    #expect(sent.id == message.id && sent.expiry == nil && sent.content == message.content)
    _ = try rig.restart()
    try rig.end(sent, .retryable(reason: "500"))
    try rig.send(.retryDue(producer: sent.producer))
    #expect(try rig.end(sent, attempt: 2, .retryable(reason: "500")).contains(.deadLetters(1)))
    // And again, as often as the operator likes.
    try rig.send(.retryDeadLetter(message.id))
    #expect(try rig.end(sent, .delivered()) == [.settled(sent, .delivered, attempts: 1)])
  }

  @Test(
    "put back while a newer message with its collapse key waits, it is superseded at once", arguments: [true, false])
  mutating func retrySuperseded(isSameProducer: Bool) throws {
    let old = PushMessage.sample(1, from: "a", collapseKey: "k")
    try fail(old)
    let flying = PushMessage.sample(1, from: "z")
    try rig.enqueue(flying)
    let newer = PushMessage.sample(2, from: isSameProducer ? "a" : "b", collapseKey: "k")
    try rig.enqueue(newer)
    let superseded: [RigEffect] = isSameProducer ? [.settled(old, .collapsed, attempts: 1)] : []
    #expect(
      try rig.send(.retryDeadLetter(old.id)) == [.deadLetters(0), .cancelTimer(.expiry)] + superseded)
    #expect(rig.queue.messageCount == (isSameProducer ? 2 : 3) && rig.queue.deadLetters.isEmpty)
    #expect(try rig.end(flying, .delivered()).last == .deliver(newer, attempt: 1))
  }

  @Test("a registration after the first try does not save it from an answer about the second")
  mutating func retryIsNew() throws {
    let message = PushMessage.sample(1)
    try fail(message)
    rig.pass(.seconds(10))
    try rig.send(.register)
    rig.pass(.seconds(10))
    try rig.send(.retryDeadLetter(message.id))
    try rig.end(message, .unregistered(reason: "410"))
    #expect(rig.queue.isUnregistered)
  }

  @Test("nothing is put back that is not there, or for an address that is gone")
  mutating func noRetry() throws {
    let message = PushMessage.sample(1)
    #expect(rig.queue.decide(.retryDeadLetter(message.id), now: rig.now).isEmpty)
    #expect(rig.queue.decide(.dropDeadLetter(message.id), now: rig.now).isEmpty)
    try fail(message)
    try rig.send(.unregister(reason: "410"))
    #expect(rig.queue.decide(.retryDeadLetter(message.id), now: rig.now).isEmpty)
    #expect(rig.queue.deadLetters.count == 1)
    try rig.send(.register)
    #expect(try rig.send(.retryDeadLetter(message.id)).last == .deliver(message, attempt: 1))
    #expect(rig.queue.decide(.retryDeadLetter(message.id), now: rig.now).isEmpty)
  }

  @Test("dropped by the operator, it is gone; its number stays known")
  mutating func drop() throws {
    let message = PushMessage.sample(1)
    try fail(message)
    #expect(try rig.send(.dropDeadLetter(message.id)) == [.deadLetters(0), .cancelTimer(.expiry)])
    #expect(rig.queue.deadLetters.isEmpty && rig.queue.isKnown(producer: message.producer, number: 1))
    #expect(try rig.restart().isEmpty)
  }

  @Test("an erasure takes its producers' dead letters along, also those of a producer that was forgotten")
  mutating func erased() throws {
    rig.limits.producersMaximum = 1
    try fail(.sample(1, from: "a"))
    try fail(.sample(1, from: "b"))
    #expect(!rig.queue.isKnown(producer: "a", number: 1))
    #expect(PushEvent.erased([], state: rig.queue.stateBytes).holdsMessages { $0 == "a" })
    try rig.send(.erase(producers: ["a"]))
    #expect(rig.queue.deadLetters.map(\.message.producer) == ["b"])
    #expect(try !#require(rig.journal.last).event.decoded(as: PushEvent.self).holdsMessages { $0 == "a" })
    #expect(try rig.send(.erase(producers: ["a", "b"])) == [.deadLetters(0), .cancelTimer(.expiry)])
    #expect(rig.queue.deadLetters.isEmpty)
    _ = try rig.restart()
  }

  @Test("a restatement holds them")
  mutating func restated() throws {
    try fail(.sample(1, attempts: 7, collapseKey: "k", priority: .normal, owner: "anna"))
    let letters = rig.queue.deadLetters
    #expect(try rig.send(.restate) == [.deadLetters(1), .startTimer(.expiry, at: rig.after(Self.retention))])
    #expect(try rig.replayedFromRestatement().deadLetters == letters)
  }

  @Test("producers that come back with their dead letters do not pile up")
  mutating func producers() throws {
    rig.limits.producersMaximum = 2
    for producer in ["a", "b", "c", "d", "e"] { try fail(.sample(1, from: producer)) }
    for producer in ["a", "b", "c"] {
      let message = PushMessage.sample(1, from: producer)
      try rig.send(.retryDeadLetter(message.id))
      try rig.end(message, .delivered())
    }
    try rig.enqueue(.sample(1, from: "new"))
    let known = ["a", "b", "c", "d", "e", "new"].filter { rig.queue.isKnown(producer: $0, number: 1) }
    #expect(known == ["c", "new"])
  }

  private struct Missing: Error {}
}
