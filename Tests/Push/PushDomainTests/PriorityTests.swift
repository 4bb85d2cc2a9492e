import EventSourcing
import PushDomain
import Testing

@Suite("Push queue, priorities")
struct PriorityTests {
  var rig = QueueRig()

  @Test("high goes before normal, then the oldest; across producers and within one")
  mutating func order() throws {
    let first = PushMessage.sample(1, from: "a", priority: .normal)
    let waiting = [
      PushMessage.sample(2, from: "a", priority: .normal), .sample(1, from: "b", priority: .normal),
      .sample(3, from: "a"), .sample(1, from: "c", priority: .normal), .sample(2, from: "b"), .sample(2, from: "c"),
    ]
    try rig.enqueue(first)
    for message in waiting { #expect(try rig.enqueue(message) == [.accepted(message.id)]) }
    var expected = [first]
    for index in [2, 4, 5, 0, 1, 3] {
      let next = waiting[index]
      #expect(
        try rig.end(expected.removeLast(), .delivered()).last == .deliver(next, attempt: 1))
      expected.append(next)
    }
    #expect(try rig.end(expected[0], .delivered()).count == 1)
  }

  @Test("the choice is made when the courier has room: what came meanwhile and is more urgent goes first")
  mutating func whileOffered() throws {
    rig.laneStands = true
    let normal = PushMessage.sample(1, from: "a", priority: .normal)
    let high = PushMessage.sample(1, from: "b")
    #expect(try rig.enqueue(normal) == [.accepted(normal.id), .ready(.normal, since: rig.now)])
    rig.pass(.seconds(3))
    #expect(rig.queue.next == normal)
    #expect(try rig.enqueue(high) == [.accepted(high.id), .ready(.high, since: rig.now)])
    #expect(rig.queue.next == high)
    // Nothing new for the lane: it has such an offer already.
    #expect(try rig.enqueue(.sample(2, from: "b")) == [.accepted(PushID(producer: "b", number: 2))])
    #expect(try rig.enqueue(.sample(2, from: "a", priority: .normal)).count == 1)
    #expect(try rig.laneMoves() == [.deliver(high, attempt: 1)])
  }

  @Test("while something is in flight nothing is offered; its end offers the best of what waits")
  mutating func afterFlight() throws {
    let first = PushMessage.sample(1)
    try rig.enqueue(first)
    rig.laneStands = true
    let since = rig.now
    #expect(try rig.enqueue(.sample(2, priority: .normal)).count == 1)
    rig.pass(.seconds(1))
    #expect(try rig.enqueue(.sample(3, priority: .normal)).count == 1)
    #expect(
      try rig.end(first, .delivered()) == [.settled(first, .delivered, attempts: 1), .ready(.normal, since: since)])
  }

  @Test("a high message of a producer that pauses does not hold up a normal one of another")
  mutating func pausing() throws {
    let high = PushMessage.sample(1, from: "a"), normal = PushMessage.sample(1, from: "b", priority: .normal)
    try rig.enqueue(high)
    try rig.enqueue(normal)
    #expect(
      try rig.end(high, .retryable(reason: "down")) == [
        .startTimer(.retry(producer: "a"), at: rig.after(.seconds(1))), .deliver(normal, attempt: 1),
      ])
    #expect(try rig.send(.retryDue(producer: "a")).isEmpty)
    #expect(try rig.end(normal, .delivered()).last == .deliver(high, attempt: 2))
  }

  @Test("a collapse key replaces until the attempt begins, and not after")
  mutating func collapse() throws {
    rig.laneStands = true
    let messages = (1...3).map { PushMessage.sample($0, collapseKey: "k") }
    try rig.enqueue(messages[0])
    #expect(
      try rig.enqueue(messages[1]) == [
        .settled(messages[0], .collapsed, attempts: 0), .accepted(messages[1].id), .ready(.high, since: rig.now),
      ])
    #expect(try rig.laneMoves() == [.deliver(messages[1], attempt: 1)])
    #expect(try rig.enqueue(messages[2]) == [.accepted(messages[2].id)])
    #expect(try rig.end(messages[1], .delivered()).last == .deliver(messages[2], attempt: 1))
  }

  @Test("a message expires until the attempt begins: offered or not, timer turned or not", arguments: [true, false])
  mutating func expiry(timerFires: Bool) throws {
    rig.laneStands = true
    let message = PushMessage.sample(1, expiry: rig.after(.seconds(5)))
    #expect(
      try rig.enqueue(message) == [
        .accepted(message.id), .startTimer(.expiry, at: rig.after(.seconds(5))), .ready(.high, since: rig.now),
      ])
    rig.pass(.seconds(5))
    let end: [RigEffect] = [.settled(message, .expired, attempts: 0), .cancelTimer(.expiry)]
    if timerFires { #expect(try rig.send(.expiryDue()) == end) }
    #expect(try rig.laneMoves() == (timerFires ? [] : end))
    // The lane's turn found nothing: the next message is offered anew.
    let next = PushMessage.sample(2)
    #expect(try rig.enqueue(next) == [.accepted(next.id), .deliver(next, attempt: 1)])
  }

  @Test("what has expired in flight by a restart does not go again")
  mutating func expiredOverRestart() throws {
    let message = PushMessage.sample(1, expiry: rig.after(.seconds(5))), next = PushMessage.sample(2)
    try rig.enqueue(message)
    try rig.enqueue(next)
    rig.pass(.seconds(5))
    #expect(try rig.restart() == [.settled(message, .expired, attempts: 1), .deliver(next, attempt: 1)])
  }

  @Test("a turn that finds nothing to send, or an address that is gone, changes nothing")
  mutating func emptyTurn() throws {
    #expect(rig.queue.decide(.begin(), now: rig.now).isEmpty)
    try rig.enqueue(.sample(1))
    try rig.send(.unregister(reason: "410"))
    #expect(rig.queue.decide(.begin(), now: rig.now).isEmpty)
    #expect(rig.queue.attempt == nil && rig.queue.next == nil)
  }
}
