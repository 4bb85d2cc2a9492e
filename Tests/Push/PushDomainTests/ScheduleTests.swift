import EventSourcing
import PushDomain
import Testing

@Suite("Push queue, schedule of attempts")
struct ScheduleTests {
  var rig = QueueRig()
  let message = PushMessage.sample(1, attempts: 50)

  /// The pause after attempt `attempt`.
  mutating func pause(after attempt: Int, _ outcome: PushOutcome = .retryable(reason: "")) throws -> Int64? {
    guard case .effect(.courier(.startTimer(.retry, let at)))? = try rig.end(message, attempt: attempt, outcome).first
    else {
      return nil
    }
    return at.milliseconds - rig.now.milliseconds
  }

  @Test(
    "jitter shortens a pause by up to half of it, and never by more",
    arguments: [
      (1, 0, 500), (1, 0.5, 750), (1, 1, 1_000), (2, 0, 2_000), (2, 0.25, 2_500), (6, 0, 150_000), (6, 1, 300_000),
      (1, -3, 500), (1, 7, 1_000),
    ] as [(Int, Double, Int64)])
  mutating func jitter(attempt: Int, jitter: Double, milliseconds: Int64) throws {
    try rig.enqueue(message)
    for earlier in 1..<attempt {
      try rig.end(message, attempt: earlier, .retryable(reason: ""))
      try rig.send(.retryDue(producer: message.producer))
    }
    rig.schedule.jitter = jitter
    #expect(try pause(after: attempt) == milliseconds)
  }

  @Test(
    "what the provider asks for is a floor to the second, whatever the jitter; up to 24 h",
    arguments: [
      (30, 0, 30_000), (30, 1, 30_000), (1, 0, 1_000), (0, 0, 500), (86_400, 0, 86_400_000), (86_401, 0, 86_400_000),
      (1_000_000_000, 0, 86_400_000),
    ] as [(Int, Double, Int64)])
  mutating func retryAfter(seconds: Int, jitter: Double, milliseconds: Int64) throws {
    rig.schedule.jitter = jitter
    try rig.enqueue(message)
    #expect(try pause(after: 1, .retryable(reason: "429", after: .seconds(seconds))) == milliseconds)
  }

  @Test(
    "explicit pauses come one after the other, a fifth shorter or longer; then one attempt more, whatever is asked for",
    arguments: [(0, 0.8), (0.5, 1), (1, 1.2)] as [(Double, Double)])
  mutating func explicit(jitter: Double, share: Double) throws {
    rig.schedule.jitter = jitter
    let message = PushMessage.sample(1, attempts: 1)
    rig.schedule.pauses = [.seconds(5), .seconds(300), .seconds(1_800)]
    try rig.enqueue(message)
    for (attempt, seconds) in [(1, 5), (2, 300), (3, 1_800)] {
      #expect(
        try rig.end(message, attempt: attempt, .retryable(reason: "500"))
          == [.startTimer(.retry(producer: message.producer), at: rig.after(.seconds(Double(seconds) * share)))])
      #expect(try rig.send(.retryDue(producer: message.producer)) == [.deliver(message, attempt: attempt + 1)])
    }
    #expect(
      try rig.end(message, attempt: 4, .retryable(reason: "500"))
        == [.settled(message, .failed(reason: "500"), attempts: 4)])
  }

  @Test("a schedule that has become shorter meanwhile ends what is beyond it")
  mutating func shorterSchedule() throws {
    try rig.enqueue(message)
    for attempt in 1...3 {
      try rig.end(message, attempt: attempt, .retryable(reason: ""))
      try rig.send(.retryDue(producer: message.producer))
    }
    rig.schedule.pauses = [.seconds(1)]
    #expect(
      try rig.end(message, attempt: 4, .retryable(reason: "500"))
        == [.settled(message, .failed(reason: "500"), attempts: 4)])
  }

  @Test(
    "now or never: one attempt, however it ends",
    arguments: [
      (.delivered(), .delivered), (.retryable(reason: "500", after: .seconds(1)), .failed(reason: "500")),
      (.unprocessed(reason: "GOAWAY"), .expired), (.laneBroken(reason: "403"), .expired),
      (.lanePaused(reason: "429", for: .seconds(1)), .expired), (.refused(reason: "400"), .refused(reason: "400")),
    ] as [(PushOutcome, FinalPushOutcome)])
  mutating func nowOrNever(outcome: PushOutcome, end: FinalPushOutcome) throws {
    let message = PushMessage.sample(1, isNowOrNever: true)
    rig.schedule.pauses = [.seconds(1)]
    #expect(try rig.enqueue(message) == [.accepted(message.id), .deliver(message, attempt: 1)])
    #expect(try rig.end(message, outcome) == [.settled(message, end, attempts: 1)])
  }

  @Test("what was not processed goes again at once and does not count, five times in a row; then it counts")
  mutating func unprocessed() throws {
    try rig.enqueue(message)
    for _ in 1...5 {
      #expect(try rig.end(message, .unprocessed(reason: "GOAWAY")) == [.deliver(message, attempt: 1)])
    }
    #expect(try pause(after: 1, .unprocessed(reason: "GOAWAY")) == 1_000)
    try rig.send(.retryDue(producer: message.producer))
    // An attempt that counted begins a new row.
    #expect(try rig.end(message, attempt: 2, .unprocessed(reason: "GOAWAY")) == [.deliver(message, attempt: 2)])
  }

  @Test("what came back keeps its place before younger ones, and its count over a restart")
  mutating func keepsItsPlace() throws {
    let next = PushMessage.sample(1, from: "another")
    try rig.enqueue(message)
    try rig.enqueue(next)
    for _ in 1...5 {
      #expect(try rig.end(message, .unprocessed(reason: "")) == [.deliver(message, attempt: 1)])
      #expect(try rig.restart() == [.deliver(message, attempt: 1)])
      try rig.sleepAndWake()
    }
    #expect(try rig.end(message, .unprocessed(reason: "")).last == .deliver(next, attempt: 1))
  }

  @Test(
    "a lane that is broken or pauses costs no attempt, however often; the message waits in the queue",
    arguments: [.laneBroken(reason: "403"), .lanePaused(reason: "429", for: .seconds(60))] as [PushOutcome])
  mutating func laneBroken(outcome: PushOutcome) throws {
    let since = rig.now
    try rig.enqueue(message)
    rig.laneStands = true
    for _ in 1...20 {
      #expect(try rig.end(message, outcome) == [.ready(.high, since: since)])
      #expect(rig.queue.rest == .wakeful && rig.queue.messageCount == 1)
      rig.pass(.seconds(60))
      #expect(try rig.laneMoves() == [.deliver(message, attempt: 1)])
      rig.laneStands = true
    }
    #expect(try pause(after: 1) == 1_000)
  }

  @Test("one that comes back after its time has expired")
  mutating func backTooLate() throws {
    let message = PushMessage.sample(1, expiry: rig.after(.seconds(5)))
    try rig.enqueue(message)
    rig.pass(.seconds(5))
    #expect(try rig.end(message, .laneBroken(reason: "403")) == [.settled(message, .expired, attempts: 1)])
  }

  @Test("the journal knows of each attempt before it is made, and how it came back")
  mutating func recorded() throws {
    try rig.enqueue(message)
    try rig.end(message, .unprocessed(reason: "GOAWAY"))
    try rig.end(message, .delivered(id: "projects/1/messages/2"))
    #expect(
      try rig.journal.dropFirst().map { try $0.event.decoded(as: PushEvent.self) } == [
        .attemptBegan(message.id, attempt: 1), .attemptReturned(message.id, attempt: 1, reason: "GOAWAY"),
        .attemptBegan(message.id, attempt: 1),
        .settled(message.id, .delivered, attempts: 1, answer: "projects/1/messages/2"),
      ])
  }
}
