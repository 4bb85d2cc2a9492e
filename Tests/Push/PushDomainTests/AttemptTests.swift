import EventSourcing
import PushDomain
import Testing

@Suite("Push queue, attempts")
struct AttemptTests {
  var rig = QueueRig()
  let message = PushMessage.sample(1)

  @Test("the first message is accepted and goes out at once")
  mutating func firstMessage() throws {
    #expect(try rig.enqueue(message) == [.accepted(message.id), .deliver(message, attempt: 1)])
    #expect(rig.queue.messageCount == 1)
  }

  @Test("a success settles it, and nothing of it is left")
  mutating func success() throws {
    try rig.enqueue(message)
    #expect(try rig.end(message, .delivered()) == [.settled(message, .delivered, attempts: 1)])
    #expect(rig.queue.messageCount == 0)
    #expect(rig.queue.outstandingEffects.isEmpty)
  }

  @Test("a refusal settles it without a further attempt")
  mutating func refusal() throws {
    try rig.enqueue(message)
    #expect(
      try rig.end(message, .refused(reason: "bad URL"))
        == [.settled(message, .refused(reason: "bad URL"), attempts: 1)])
    #expect(rig.queue.messageCount == 0)
  }

  @Test("three attempts with pauses of 1 s and 4 s, then it is dropped")
  mutating func schedule() throws {
    try rig.enqueue(message)
    for (attempt, pause) in [(1, Duration.seconds(1)), (2, .seconds(4))] {
      #expect(
        try rig.end(message, attempt: attempt, .retryable(reason: "status 500"))
          == [.startTimer(.retry(producer: message.producer), at: rig.after(pause))])
      rig.pass(pause)
      #expect(try rig.send(.retryDue(producer: message.producer)) == [.deliver(message, attempt: attempt + 1)])
    }
    #expect(
      try rig.end(message, attempt: 3, .retryable(reason: "status 500"))
        == [.settled(message, .failed(reason: "status 500"), attempts: 3)])
    #expect(rig.queue.messageCount == 0)
    #expect(!rig.queue.isUnregistered)
  }

  @Test(
    "the pause grows fourfold up to its bound; a provider's wish lengthens it, within its own bound",
    arguments: [
      (1, nil, 1_000), (2, nil, 4_000), (3, nil, 16_000), (4, nil, 64_000), (5, nil, 256_000), (6, nil, 300_000),
      (40, nil, 300_000), (1, 30, 30_000), (3, 2, 16_000), (1, 90_000, 86_400_000), (1, 0, 1_000), (1, -5, 1_000),
    ] as [(Int, Int?, Int64)])
  mutating func pauses(failedAttempt: Int, wishSeconds: Int?, milliseconds: Int64) throws {
    let message = PushMessage.sample(1, attempts: 1_000)
    try rig.enqueue(message)
    for attempt in 1..<failedAttempt {
      try rig.end(message, attempt: attempt, .retryable(reason: ""))
      try rig.send(.retryDue(producer: message.producer))
    }
    let wish = wishSeconds.map { Duration.seconds($0) }
    #expect(
      try rig.end(message, attempt: failedAttempt, .retryable(reason: "", after: wish))
        == [.startTimer(.retry(producer: message.producer), at: rig.after(.milliseconds(milliseconds)))])
  }

  @Test(
    "the count of attempts is the message's own, at least one, under the queue's cap",
    arguments: [
      (-1, 1), (0, 1), (1, 1), (2, 2), (7, 7), (1_000, 50),
    ])
  mutating func attemptsMaximum(asked: Int, made: Int) throws {
    let message = PushMessage.sample(1, attempts: asked)
    var effects = try rig.enqueue(message)
    var attempts = 0
    while case .deliver(_, let attempt)? = effects.last {
      attempts += 1
      effects = try rig.end(message, attempt: attempt, .retryable(reason: "refused"))
      if case .effect(.courier(.startTimer))? = effects.last {
        effects = try rig.send(.retryDue(producer: message.producer))
      }
    }
    #expect(attempts == made)
    #expect(effects == [.settled(message, .failed(reason: "refused"), attempts: made)])
  }

  @Test("an answer to anything but the running attempt changes nothing")
  mutating func staleAnswers() throws {
    let next = PushMessage.sample(2)
    try rig.enqueue(message)
    try rig.enqueue(next)
    #expect(try rig.end(message, attempt: 2, .delivered()).isEmpty)
    #expect(try rig.end(message, attempt: 0, .delivered()).isEmpty)
    #expect(try rig.end(next, .delivered()).isEmpty)
    #expect(try rig.end(.sample(1, from: "another"), .delivered()).isEmpty)
    try rig.end(message, .retryable(reason: "timed out"))
    #expect(try rig.end(message, attempt: 1, .delivered()).isEmpty)
    #expect(try rig.end(message, attempt: 2, .delivered()).isEmpty)
    try rig.send(.retryDue(producer: message.producer))
    try rig.end(message, attempt: 2, .delivered())
    #expect(try rig.end(message, attempt: 2, .delivered()).isEmpty)
  }

  @Test("a retry that nobody waits for changes nothing")
  mutating func staleRetry() throws {
    #expect(try rig.send(.retryDue(producer: message.producer)).isEmpty)
    try rig.enqueue(message)
    #expect(try rig.send(.retryDue(producer: message.producer)).isEmpty)
  }

  @Test("a long reason is cut")
  mutating func longReason() throws {
    try rig.enqueue(message)
    let effects = try rig.end(message, .refused(reason: String(repeating: "r", count: 5_000)))
    let kept = String(repeating: "r", count: rig.schedule.reasonLengthMaximum)
    #expect(effects == [.settled(message, .refused(reason: kept), attempts: 1)])
  }
}
