import EventSourcing
import PushDomain
import Testing

@Suite("Push queue, several messages")
struct OrderTests {
  var rig = QueueRig()

  @Test(
    "one message is in flight; the next goes when it has ended, however it ended",
    arguments: [
      (.delivered(), .delivered),
      (.refused(reason: "no"), .refused(reason: "no")),
      (.retryable(reason: "down"), .failed(reason: "down")),
    ] as [(PushOutcome, FinalPushOutcome)])
  mutating func oneInFlight(outcome: PushOutcome, ending: FinalPushOutcome) throws {
    let messages = (1...3).map { PushMessage.sample($0, attempts: 1) }
    #expect(try rig.enqueue(messages[0]).contains(.deliver(messages[0], attempt: 1)))
    #expect(try rig.enqueue(messages[1]) == [.accepted(messages[1].id)])
    #expect(try rig.enqueue(messages[2]) == [.accepted(messages[2].id)])
    #expect(
      try rig.end(messages[0], outcome)
        == [.settled(messages[0], ending, attempts: 1), .deliver(messages[1], attempt: 1)])
    #expect(
      try rig.end(messages[1], outcome)
        == [.settled(messages[1], ending, attempts: 1), .deliver(messages[2], attempt: 1)])
  }

  @Test("a producer that pauses holds back its own messages and nobody else's")
  mutating func lanesAreIndependent() throws {
    let first = PushMessage.sample(1, from: "a"), second = PushMessage.sample(2, from: "a")
    let other = PushMessage.sample(1, from: "b")
    try rig.enqueue(first)
    try rig.end(first, .retryable(reason: "down"))
    #expect(try rig.enqueue(second) == [.accepted(second.id)])
    #expect(try rig.enqueue(other) == [.accepted(other.id), .deliver(other, attempt: 1)])
    #expect(try rig.end(other, .delivered()) == [.settled(other, .delivered, attempts: 1)])
    #expect(try rig.send(.retryDue(producer: "a")) == [.deliver(first, attempt: 2)])
    #expect(
      try rig.end(first, attempt: 2, .delivered())
        == [.settled(first, .delivered, attempts: 2), .deliver(second, attempt: 1)])
  }

  @Test("a repetition gives no event, whether the first one waits, flies or has ended")
  mutating func duplicates() throws {
    let first = PushMessage.sample(1), second = PushMessage.sample(2)
    #expect(!rig.queue.isKnown(producer: first.producer, number: 1))
    try rig.enqueue(first)
    try rig.enqueue(second)
    for message in [first, second] {
      #expect(rig.queue.isKnown(producer: message.producer, number: message.number))
      #expect(rig.queue.decide(.enqueue(message), now: rig.now).isEmpty)
    }
    try rig.end(first, .delivered())
    try rig.end(second, .refused(reason: "no"))
    #expect(rig.queue.decide(.enqueue(first), now: rig.now).isEmpty)
    #expect(rig.queue.decide(.enqueue(second), now: rig.now).isEmpty)
    #expect(!rig.queue.isKnown(producer: first.producer, number: 3))
    #expect(!rig.queue.isKnown(producer: "another", number: 1))
  }

  @Test("a push may be taken over and ended unsent, once; its number stays known and its content is never seen")
  mutating func declined() throws {
    let message = PushMessage.sample(3)
    #expect(
      try rig.send(.decline(message.id, reason: "another's device")) == [
        .accepted(message.id), .settled(message, .refused(reason: "another's device"), attempts: 0),
      ])
    #expect(try rig.send(.decline(message.id, reason: "again")).isEmpty && rig.enqueue(message).isEmpty)
    #expect(try rig.restart().isEmpty && rig.queue.isKnown(producer: message.producer, number: 3))
    try rig.enqueue(.sample(4))
    #expect(try rig.send(.decline(PushID(producer: message.producer, number: 4), reason: "")).isEmpty)
    #expect(rig.queue.messageCount == 1)
  }

  @Test("beyond the bound the producer that has been idle longest is forgotten, never one with messages")
  mutating func producersAreBounded() throws {
    rig.limits.producersMaximum = 3
    for producer in ["busy", "oldest", "newer"] { try rig.enqueue(.sample(1, from: producer)) }
    try rig.end(.sample(1, from: "busy"), .retryable(reason: "down"))
    try rig.end(.sample(1, from: "oldest"), .delivered())
    try rig.end(.sample(1, from: "newer"), .delivered())
    try rig.enqueue(.sample(1, from: "fourth"))
    #expect(!rig.queue.isKnown(producer: "oldest", number: 1))
    for producer in ["busy", "newer", "fourth"] { #expect(rig.queue.isKnown(producer: producer, number: 1)) }
    // Another message of a known producer needs no room.
    try rig.enqueue(.sample(2, from: "newer"))
    #expect(rig.queue.isKnown(producer: "busy", number: 1) && rig.queue.isKnown(producer: "fourth", number: 1))
  }
}

@Suite("Push queue, address gone")
struct UnregisteredTests {
  var rig = QueueRig()
  let gone = FinalPushOutcome.unregistered(reason: "410")

  @Test("everything ends with that outcome, nothing more is sent, timers are cancelled")
  mutating func everythingEnds() throws {
    let a1 = PushMessage.sample(1, from: "a"), a2 = PushMessage.sample(2, from: "a")
    let b1 = PushMessage.sample(1, from: "b"), c1 = PushMessage.sample(1, from: "c")
    for message in [b1, a1, a2, c1] { try rig.enqueue(message) }
    try rig.end(b1, .retryable(reason: "down"))
    #expect(
      try rig.end(a1, .unregistered(reason: "410")) == [
        .cancelTimer(.retry(producer: "b")), .addressGone(reason: "410"),
        .settled(b1, gone, attempts: 1), .settled(a1, gone, attempts: 1), .settled(a2, gone, attempts: 0),
        .settled(c1, gone, attempts: 0),
      ])
    #expect(rig.queue.isUnregistered && rig.queue.messageCount == 0)
    #expect(try rig.end(c1, .delivered()).isEmpty)
    #expect(rig.queue.decide(.retryDue(producer: "b"), now: rig.now).isEmpty)
    #expect(try rig.restart().isEmpty)
  }

  @Test("what comes later is taken over and ends at once, each message once")
  mutating func laterOnes() throws {
    try rig.send(.unregister(reason: "410"))
    let late = PushMessage.sample(1)
    #expect(try rig.enqueue(late) == [.accepted(late.id), .settled(late, gone, attempts: 0)])
    #expect(rig.queue.isKnown(producer: late.producer, number: 1))
    #expect(try rig.enqueue(late).isEmpty)
    _ = try rig.restart()
    #expect(rig.queue.isUnregistered && rig.queue.isKnown(producer: late.producer, number: 1))
  }

  @Test("a second report changes nothing; registering again opens the queue")
  mutating func again() throws {
    #expect(try rig.send(.register).isEmpty)
    try rig.enqueue(.sample(1))
    try rig.end(.sample(1), .retryable(reason: "down"))
    try rig.send(.unregister(reason: "410"))
    #expect(rig.queue.decide(.unregister(reason: "410"), now: rig.now).isEmpty)
    try rig.send(.register)
    #expect(!rig.queue.isUnregistered)
    let message = PushMessage.sample(2)
    #expect(try rig.enqueue(message) == [.accepted(message.id), .deliver(message, attempt: 1)])
  }

  @Test("what fails while a newer one with its key waits is not tried again; the pause holds for the newer one")
  mutating func replacedInFlight() throws {
    var rig = QueueRig()
    let old = PushMessage.sample(1, collapseKey: "k")
    let new = PushMessage.sample(2, collapseKey: "k")
    #expect(try rig.enqueue(old).contains(.deliver(old, attempt: 1)))
    try rig.enqueue(new)
    #expect(
      try rig.end(old, .retryable(reason: "503")) == [
        .startTimer(.retry(producer: old.producer), at: rig.after(.seconds(1))), .settled(old, .collapsed, attempts: 1),
      ])
    #expect(try rig.send(.retryDue(producer: old.producer)) == [.deliver(new, attempt: 1)])
    #expect(rig.queue.messageCount == 1)
  }

  @Test("the same for an attempt that comes back without counting")
  mutating func replacedOnReturn() throws {
    var rig = QueueRig()
    let old = PushMessage.sample(1, collapseKey: "k")
    let new = PushMessage.sample(2, collapseKey: "k")
    try rig.enqueue(old)
    try rig.enqueue(new)
    #expect(
      try rig.end(old, .laneBroken(reason: "403"))
        == [.settled(old, .collapsed, attempts: 1), .deliver(new, attempt: 1)])
  }
}
