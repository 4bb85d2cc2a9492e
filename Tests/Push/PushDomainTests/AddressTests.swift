import EventSourcing
import PushDomain
import Testing

@Suite("Push queue, what a provider says of an address")
struct AddressTests {
  var rig = QueueRig()
  let dead = PushOutcome.unregistered(reason: "410 Unregistered")
  let doubtful = PushOutcome.unregistered(reason: "400 BadDeviceToken", isSuspect: true)

  @Test("a doubtful answer to the first push refuses the push and spares the address")
  mutating func suspectFirst() throws {
    for number in 1...3 {
      let message = PushMessage.sample(number)
      try rig.enqueue(message)
      #expect(
        try rig.end(message, doubtful) == [
          .settled(message, .refused(reason: "400 BadDeviceToken, or the wrong environment"), attempts: 1)
        ])
      #expect(!rig.queue.isUnregistered)
    }
  }

  @Test("after one success it ends the address, also after a restart and when it has slept")
  mutating func suspectLater() throws {
    try rig.enqueue(.sample(1))
    try rig.end(.sample(1), .delivered())
    try rig.sleepAndWake()
    _ = try rig.restart()
    let message = PushMessage.sample(2)
    try rig.enqueue(message)
    #expect(
      try rig.end(message, doubtful) == [
        .addressGone(reason: "400 BadDeviceToken"),
        .settled(message, .unregistered(reason: "400 BadDeviceToken"), attempts: 1),
      ])
  }

  @Test("an answer without doubt ends the address at the first push")
  mutating func noDoubt() throws {
    try rig.enqueue(.sample(1))
    try rig.end(.sample(1), dead)
    #expect(rig.queue.isUnregistered)
  }

  /// Seconds: the message is accepted at 0 and answered at 60.
  @Test(
    "it counts only if the device has not shown its address since",
    arguments: [
      // the provider's moment; registered before the push, as the push says; registered later, as the queue is told
      (nil, nil, nil, true), (nil, -10, nil, true), (nil, -10, 30, false), (nil, nil, 0, true), (nil, nil, 1, false),
      (-100, -10, nil, false), (-100, -100, nil, true), (-100, -101, nil, true), (-5, -10, nil, true),
      (20, -10, 10, true), (20, -10, 30, false), (50, nil, 50, true), (-100, nil, nil, true), (-100, nil, 1, false),
    ] as [(Int?, Int?, Int?, Bool)])
  mutating func registrations(since: Int?, pushSays: Int?, later: Int?, ends: Bool) throws {
    let start = rig.now
    func at(_ seconds: Int?) -> Timestamp? { seconds.map { start.advanced(by: .seconds($0)) } }
    let message = PushMessage.sample(1, registeredAt: at(pushSays))
    try rig.enqueue(message)
    if let later {
      rig.now = at(later) ?? start
      #expect(try rig.send(.register).isEmpty)
    }
    rig.now = start.advanced(by: .seconds(60))
    let effects = try rig.end(message, .unregistered(reason: "410", since: at(since)))
    #expect(rig.queue.isUnregistered == ends)
    // A registration that was later: the address stays, the push is not tried again.
    if !ends {
      #expect(effects == [.settled(message, .refused(reason: "410, registered again since"), attempts: 1)])
    }
  }

  @Test("the next push to an address that was registered again meanwhile goes out")
  mutating func insists() throws {
    let message = PushMessage.sample(1)
    let next = PushMessage.sample(2)
    try rig.enqueue(message)
    try rig.enqueue(next)
    rig.pass(.seconds(1))
    try rig.send(.register)
    #expect(
      try rig.end(message, dead) == [
        .settled(message, .refused(reason: "410 Unregistered, registered again since"), attempts: 1),
        .deliver(next, attempt: 1),
      ])
    #expect(!rig.queue.isUnregistered)
  }

  @Test("learnt elsewhere, it ends all at once; the courier's answer then finds nothing")
  mutating func elsewhere() throws {
    let first = PushMessage.sample(1), second = PushMessage.sample(2)
    try rig.enqueue(first)
    try rig.enqueue(second)
    #expect(
      try rig.send(.unregister(reason: "signed out")) == [
        .addressGone(reason: "signed out"), .settled(first, .unregistered(reason: "signed out"), attempts: 1),
        .settled(second, .unregistered(reason: "signed out"), attempts: 0),
      ])
    #expect(try rig.end(first, .delivered()).isEmpty)
  }
}

@Suite("Push queue, address with a new owner")
struct HandOverTests {
  var rig = QueueRig()
  let theirs = FinalPushOutcome.refused(reason: "the device has another owner now")

  @Test("what is for another ends, waiting, pausing or in flight; what is for the new owner or for anybody stays")
  mutating func handOver() throws {
    let flying = PushMessage.sample(1, from: "a", owner: "anna"),
      waiting = PushMessage.sample(2, from: "a", owner: "anna")
    let pausing = PushMessage.sample(1, from: "p", owner: "anna")
    let hers = PushMessage.sample(1, from: "b", owner: "ben"), anyones = PushMessage.sample(1, from: "c")
    for message in [pausing, flying, waiting, hers, anyones] { try rig.enqueue(message) }
    try rig.end(pausing, .retryable(reason: "down"))
    #expect(
      try rig.send(.handOver(to: "ben")) == [
        .settled(pausing, theirs, attempts: 1), .settled(flying, theirs, attempts: 1),
        .settled(waiting, theirs, attempts: 0),
      ])
    #expect(rig.queue.messageCount == 2)
    #expect(try rig.end(flying, .retryable(reason: "down")) == [.deliver(hers, attempt: 1)])
    #expect(try rig.end(hers, .delivered()).last == .deliver(anyones, attempt: 1))
  }

  @Test("not even a restart sends what was in flight to another")
  mutating func restart() throws {
    try rig.enqueue(.sample(1, owner: "anna"))
    try rig.send(.handOver(to: "ben"))
    #expect(try rig.restart().isEmpty)
    #expect(rig.queue.messageCount == 0 && rig.queue.rest == .asleep(until: nil))
  }

  @Test("another's dead letters go: an operator could send them to the new owner")
  mutating func deadLetters() throws {
    rig.limits = PushLimits()
    for (number, owner) in [(1, "anna"), (2, "ben"), (3, nil)] as [(Int, String?)] {
      let message = PushMessage.sample(number, owner: owner)
      try rig.enqueue(message)
      try rig.end(message, .refused(reason: "no"))
    }
    try rig.send(.handOver(to: "ben"))
    #expect(rig.queue.deadLetters.map(\.message.owner) == ["ben", nil])
  }

  @Test("to the same owner it changes nothing")
  mutating func same() throws {
    try rig.enqueue(.sample(1, owner: "ben"))
    #expect(rig.queue.decide(.handOver(to: "ben"), now: rig.now).isEmpty)
  }
}
