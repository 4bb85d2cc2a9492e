import EventSourcing
import PushDomain
import Testing

@Suite("Push queue, messages that expire")
struct ExpiryTests {
  var rig = QueueRig()

  @Test("one that comes too late is accepted and ends at once", arguments: [Duration.zero, .seconds(-1)])
  mutating func onArrival(left: Duration) throws {
    let late = PushMessage.sample(1, expiry: rig.after(left))
    #expect(try rig.enqueue(late) == [.accepted(late.id), .settled(late, .expired, attempts: 0)])
    #expect(rig.queue.isKnown(producer: late.producer, number: 1))
  }

  @Test("the timer stands at the earliest waiting expiry and moves with it")
  mutating func timer() throws {
    let first = PushMessage.sample(1, expiry: rig.after(.seconds(1)))
    let late = PushMessage.sample(2, expiry: rig.after(.seconds(60)))
    let early = PushMessage.sample(3, expiry: rig.after(.seconds(30)))
    #expect(
      try rig.enqueue(first) == [
        .accepted(first.id), .startTimer(.expiry, at: first.expiry ?? .epoch), .cancelTimer(.expiry),
        .deliver(first, attempt: 1),
      ])
    #expect(try rig.enqueue(late) == [.accepted(late.id), .startTimer(.expiry, at: late.expiry ?? .epoch)])
    #expect(try rig.enqueue(early) == [.accepted(early.id), .startTimer(.expiry, at: early.expiry ?? .epoch)])
    rig.pass(.seconds(30))
    #expect(
      try rig.send(.expiryDue()) == [
        .settled(early, .expired, attempts: 0), .startTimer(.expiry, at: late.expiry ?? .epoch),
      ])
    #expect(
      try rig.end(first, .delivered()) == [
        .settled(first, .delivered, attempts: 1), .cancelTimer(.expiry), .deliver(late, attempt: 1),
      ])
  }

  @Test("what is in flight is left to its outcome, and is not tried again")
  mutating func inFlight() throws {
    let message = PushMessage.sample(1, expiry: rig.after(.seconds(5)))
    try rig.enqueue(message)
    rig.pass(.seconds(6))
    #expect(try rig.send(.expiryDue()).isEmpty)
    #expect(try rig.end(message, .retryable(reason: "down")) == [.settled(message, .expired, attempts: 1)])
  }

  @Test("a success that comes after the expiry is a success")
  mutating func lateSuccess() throws {
    let message = PushMessage.sample(1, expiry: rig.after(.seconds(5)))
    try rig.enqueue(message)
    rig.pass(.seconds(6))
    #expect(try rig.end(message, .delivered()) == [.settled(message, .delivered, attempts: 1)])
  }

  @Test("an expired successor is dropped before the one after it goes out, even if its timer is late")
  mutating func successor() throws {
    let first = PushMessage.sample(1)
    let stale = PushMessage.sample(2, expiry: rig.after(.seconds(5)))
    let fresh = PushMessage.sample(3)
    for message in [first, stale, fresh] { try rig.enqueue(message) }
    rig.pass(.seconds(5))
    #expect(
      try rig.end(first, .delivered()) == [
        .settled(stale, .expired, attempts: 0), .cancelTimer(.expiry),
        .settled(first, .delivered, attempts: 1), .deliver(fresh, attempt: 1),
      ])
  }

  @Test("if the pausing message expires, its producer still waits for the end of the pause")
  mutating func pauseOutlives() throws {
    let first = PushMessage.sample(1, expiry: rig.after(.seconds(5)))
    let second = PushMessage.sample(2)
    try rig.enqueue(first)
    try rig.end(first, .retryable(reason: "busy", after: .seconds(60)))
    rig.pass(.seconds(5))
    #expect(
      try rig.send(.expiryDue()) == [.settled(first, .expired, attempts: 1), .cancelTimer(.expiry)])
    #expect(try rig.enqueue(second) == [.accepted(second.id)])
    rig.pass(.seconds(55))
    #expect(try rig.send(.retryDue(producer: first.producer)) == [.deliver(second, attempt: 1)])
  }

  @Test("a pause that ends with nothing to send leaves the producer ready")
  mutating func pauseEndsEmpty() throws {
    let first = PushMessage.sample(1, expiry: rig.after(.seconds(1))), second = PushMessage.sample(2)
    try rig.enqueue(first)
    try rig.end(first, .retryable(reason: "busy", after: .seconds(60)))
    rig.pass(.seconds(60))
    #expect(
      try rig.send(.retryDue(producer: first.producer))
        == [.settled(first, .expired, attempts: 1), .cancelTimer(.expiry)])
    #expect(try rig.enqueue(second) == [.accepted(second.id), .deliver(second, attempt: 1)])
  }
}

@Suite("Push queue, collapse keys")
struct CollapseTests {
  var rig = QueueRig()

  @Test("a newer message replaces the waiting one of the same producer and key, and nothing else")
  mutating func replaces() throws {
    let inFlight = PushMessage.sample(1, collapseKey: "k")
    let waiting = PushMessage.sample(2, collapseKey: "k")
    let otherKey = PushMessage.sample(3, collapseKey: "l")
    let noKey = PushMessage.sample(4)
    for message in [inFlight, waiting, otherKey, noKey] { try rig.enqueue(message) }
    let elsewhere = PushMessage.sample(1, from: "another", collapseKey: "k")
    #expect(try rig.enqueue(elsewhere) == [.accepted(elsewhere.id)])
    let newer = PushMessage.sample(5, collapseKey: "k")
    #expect(try rig.enqueue(newer) == [.settled(waiting, .collapsed, attempts: 0), .accepted(newer.id)])
    #expect(rig.queue.messageCount == 5)
    #expect(try rig.end(inFlight, .delivered()).last == .deliver(otherKey, attempt: 1))
  }

  @Test("one that pauses between attempts is replaced too; the pause goes on")
  mutating func replacesPausing() throws {
    let first = PushMessage.sample(1, collapseKey: "k"), second = PushMessage.sample(2, collapseKey: "k")
    try rig.enqueue(first)
    try rig.end(first, .retryable(reason: "down"))
    #expect(try rig.enqueue(second) == [.settled(first, .collapsed, attempts: 1), .accepted(second.id)])
    #expect(try rig.send(.retryDue(producer: first.producer)) == [.deliver(second, attempt: 1)])
  }
}

@Suite("Push queue, full")
struct OverflowTests {
  var rig = QueueRig()

  @Test("the oldest waiting message of all producers makes room")
  mutating func oldestGoes() throws {
    rig.limits.messagesMaximum = 4
    let a1 = PushMessage.sample(1, from: "a"), b1 = PushMessage.sample(1, from: "b")
    let b2 = PushMessage.sample(2, from: "b"), a2 = PushMessage.sample(2, from: "a")
    for message in [a1, b1, b2, a2] { try rig.enqueue(message) }
    let a3 = PushMessage.sample(3, from: "a")
    #expect(try rig.enqueue(a3) == [.settled(b1, .overflowed, attempts: 0), .accepted(a3.id)])
    let b3 = PushMessage.sample(3, from: "b")
    #expect(try rig.enqueue(b3) == [.settled(b2, .overflowed, attempts: 0), .accepted(b3.id)])
    #expect(rig.queue.messageCount == 4)
  }

  @Test("as many make room as the bytes need, but no more")
  mutating func bytes() throws {
    rig.limits.contentBytesMaximum = 134
    let messages = (1...5).map { PushMessage.sample($0, bytes: 20) }
    for message in messages { try rig.enqueue(message) }
    let big = PushMessage.sample(6, bytes: 40)
    #expect(
      try rig.enqueue(big) == [
        .settled(messages[1], .overflowed, attempts: 0), .settled(messages[2], .overflowed, attempts: 0),
        .accepted(big.id),
      ])
  }

  @Test("one for which there can be no room is declined, and nothing is dropped for it")
  mutating func declined() throws {
    rig.limits.contentBytesMaximum = 120
    for number in 1...3 { try rig.enqueue(.sample(number, bytes: 30)) }
    let huge = PushMessage.sample(4, bytes: 91)
    #expect(try rig.enqueue(huge) == [.accepted(huge.id), .settled(huge, .overflowed, attempts: 0)])
    #expect(rig.queue.messageCount == 3)

    rig = QueueRig()
    rig.limits.messagesMaximum = 1
    try rig.enqueue(.sample(1, from: "a"))
    let second = PushMessage.sample(1, from: "b")
    #expect(try rig.enqueue(second) == [.accepted(second.id), .settled(second, .overflowed, attempts: 0)])
  }

  @Test("a pausing message may be dropped; the pause goes on")
  mutating func pausing() throws {
    rig.limits.messagesMaximum = 1
    let first = PushMessage.sample(1), second = PushMessage.sample(2)
    try rig.enqueue(first)
    try rig.end(first, .retryable(reason: "down"))
    #expect(try rig.enqueue(second) == [.settled(first, .overflowed, attempts: 1), .accepted(second.id)])
    #expect(try rig.send(.retryDue(producer: first.producer)) == [.deliver(second, attempt: 1)])
  }
}
