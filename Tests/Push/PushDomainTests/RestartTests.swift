import EventSourcing
import PushDomain
import Testing

@Suite("Push queue, after a restart")
struct RestartTests {
  var rig = QueueRig()

  @Test("an empty queue owes nothing")
  mutating func empty() throws {
    #expect(try rig.restart().isEmpty)
    try rig.enqueue(.sample(1))
    try rig.end(.sample(1), .delivered())
    #expect(try rig.restart().isEmpty)
    #expect(rig.queue.isKnown(producer: "412-chat", number: 1))
  }

  @Test("what was in flight is sent again with the same attempt number, and nothing beside it")
  mutating func inFlight() throws {
    let b1 = PushMessage.sample(1, from: "b"), a1 = PushMessage.sample(1, from: "a")
    let a2 = PushMessage.sample(2, from: "a")
    for message in [b1, a1, a2] { try rig.enqueue(message) }
    try rig.end(b1, .retryable(reason: "down"))
    try rig.send(.retryDue(producer: "b"))
    #expect(try rig.restart() == [.deliver(a1, attempt: 1)])
    #expect(try rig.restart() == [.deliver(a1, attempt: 1)])
    #expect(
      try rig.end(a1, .delivered()) == [.settled(a1, .delivered, attempts: 1), .deliver(b1, attempt: 2)])
    #expect(try rig.restart() == [.deliver(b1, attempt: 2)])
    #expect(
      try rig.end(b1, attempt: 2, .delivered()) == [.settled(b1, .delivered, attempts: 2), .deliver(a2, attempt: 1)])
  }

  @Test("the lane is told of what was in flight, not of what is more urgent and waits behind it")
  mutating func readiness() throws {
    let since = rig.now
    let flying = PushMessage.sample(1, from: "a", priority: .normal), high = PushMessage.sample(1, from: "b")
    try rig.enqueue(flying)
    rig.pass(.seconds(1))
    try rig.enqueue(high)
    #expect(rig.queue.outstandingEffects == [.ready(.normal, since: since)] && rig.queue.next == flying)
    #expect(try rig.restart() == [.deliver(flying, attempt: 1)])
    #expect(try rig.end(flying, .delivered()).last == .deliver(high, attempt: 1))
  }

  @Test("pauses and expiries are armed again by their deadline, the earliest first")
  mutating func timers() throws {
    let slow = PushMessage.sample(1, from: "a", attempts: 9), quick = PushMessage.sample(1, from: "b")
    let expiring = PushMessage.sample(2, from: "b", expiry: rig.after(.seconds(2)))
    for message in [slow, quick, expiring] { try rig.enqueue(message) }
    try rig.end(slow, .retryable(reason: "busy", after: .seconds(30)))
    try rig.end(quick, .retryable(reason: "down"))
    let deadlines = (rig.after(.seconds(1)), rig.after(.seconds(2)), rig.after(.seconds(30)))
    rig.pass(.seconds(3_600))
    #expect(
      try rig.restart() == [
        .startTimer(.retry(producer: "b"), at: deadlines.0), .startTimer(.expiry, at: deadlines.1),
        .startTimer(.retry(producer: "a"), at: deadlines.2),
      ])
    #expect(
      try rig.send(.retryDue(producer: "b")) == [
        .settled(expiring, .expired, attempts: 0), .cancelTimer(.expiry), .deliver(quick, attempt: 2),
      ])
  }

  @Test("the attempts of before count: the schedule goes on and does not begin anew")
  mutating func scheduleGoesOn() throws {
    let message = PushMessage.sample(1)
    try rig.enqueue(message)
    for attempt in 1...2 {
      try rig.end(message, attempt: attempt, .retryable(reason: "down"))
      _ = try rig.restart()
      try rig.send(.retryDue(producer: message.producer))
    }
    #expect(try rig.restart() == [.deliver(message, attempt: 3)])
    #expect(
      try rig.end(message, attempt: 3, .retryable(reason: "down"))
        == [.settled(message, .failed(reason: "down"), attempts: 3)])
  }

  @Test("a producer that repeats what it had handed over is recognised")
  mutating func duplicates() throws {
    try rig.enqueue(.sample(7))
    _ = try rig.restart()
    #expect(rig.queue.isKnown(producer: "412-chat", number: 7))
    #expect(rig.queue.decide(.enqueue(.sample(7)), now: rig.now).isEmpty)
  }
}
