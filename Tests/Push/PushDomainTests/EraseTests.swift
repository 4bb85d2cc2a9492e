import EventSourcing
import PushDomain
import Testing

@Suite("Push queue, erasure")
struct EraseTests {
  var rig = QueueRig()

  @Test("a producer's messages end, waiting or in flight; another producer's go on")
  mutating func messages() throws {
    let a1 = PushMessage.sample(1, from: "a"), a2 = PushMessage.sample(2, from: "a", expiry: rig.after(.seconds(9)))
    let b1 = PushMessage.sample(1, from: "b"), b2 = PushMessage.sample(2, from: "b", expiry: rig.after(.seconds(60)))
    for message in [a1, b1, a2, b2] { try rig.enqueue(message) }
    #expect(
      try rig.send(.erase(producers: ["a"])) == [
        .settled(a1, .erased, attempts: 1), .settled(a2, .erased, attempts: 0), .deadLetters(0),
        .startTimer(.expiry, at: b2.expiry ?? .epoch),
      ])
    #expect(rig.queue.messageCount == 2)
    // The provider answers for what was in its hands: nobody knows it any more, but the courier is free again.
    #expect(try rig.end(a1, .delivered()) == [.deliver(b1, attempt: 1)])
    #expect(try rig.end(a1, .unregistered(reason: "410")).isEmpty)
    #expect(try rig.end(b1, .delivered()).first == .settled(b1, .delivered, attempts: 1))
    #expect(try rig.restart() == [.deliver(b2, attempt: 1)])
  }

  @Test("the numbers stay known, and the next one goes out when the courier is free")
  mutating func numbers() throws {
    try rig.enqueue(.sample(7))
    try rig.send(.erase(producers: ["412-chat"]))
    #expect(rig.queue.isKnown(producer: "412-chat", number: 7))
    #expect(try rig.enqueue(.sample(7)).isEmpty)
    let next = PushMessage.sample(8)
    #expect(try rig.enqueue(next) == [.accepted(next.id)])
    #expect(try rig.end(.sample(7), .delivered()) == [.deliver(next, attempt: 1)])
    #expect(try rig.end(next, .delivered()) == [.settled(next, .delivered, attempts: 1)])
  }

  @Test("a pause outlives the message that it began with; its end starts what came meanwhile")
  mutating func pause() throws {
    let first = PushMessage.sample(1), next = PushMessage.sample(2)
    try rig.enqueue(first)
    try rig.end(first, .retryable(reason: "busy", after: .seconds(30)))
    let deadline = rig.after(.seconds(30))
    #expect(
      try rig.send(.erase(producers: [first.producer])) == [
        .settled(first, .erased, attempts: 1), .deadLetters(0), .cancelTimer(.expiry),
      ])
    #expect(rig.queue.rest == .asleep(until: deadline))
    #expect(try rig.restart() == [.startTimer(.retry(producer: first.producer), at: deadline)])
    #expect(try rig.enqueue(next) == [.accepted(next.id)])
    #expect(try rig.send(.retryDue(producer: first.producer)) == [.deliver(next, attempt: 1)])
  }

  @Test("a producer that never came gives no event; one with nothing in the queue does")
  mutating func nothing() throws {
    #expect(rig.queue.decide(.erase(producers: ["412-chat"]), now: rig.now).isEmpty)
    try rig.enqueue(.sample(1))
    try rig.end(.sample(1), .delivered())
    #expect(rig.queue.decide(.erase(producers: ["other"]), now: rig.now).isEmpty)
    #expect(rig.queue.decide(.erase(producers: []), now: rig.now).isEmpty)
    #expect(try rig.send(.erase(producers: ["other", "412-chat"])) == [.deadLetters(0), .cancelTimer(.expiry)])
    #expect(rig.journal.last?.event == StoredEvent(PushEvent.erased([], state: rig.queue.stateBytes)))
  }

  @Test("a restatement ends nothing and is where replay may begin")
  mutating func restate() throws {
    let message = PushMessage.sample(1, from: "a"), waiting = PushMessage.sample(2, from: "a")
    for message in [.sample(1, from: "b"), message, waiting] { try rig.enqueue(message) }
    try rig.end(.sample(1, from: "b"), .delivered())
    #expect(try rig.send(.restate) == [.deadLetters(0), .cancelTimer(.expiry)])
    #expect(try rig.replayedFromRestatement() == rig.queue)
    #expect(try rig.restart() == [.deliver(message, attempt: 1)])
    #expect(rig.queue.isKnown(producer: "b", number: 1))
  }

  @Test("an address that is gone stays gone")
  mutating func unregistered() throws {
    try rig.enqueue(.sample(1))
    try rig.send(.unregister(reason: "410"))
    try rig.send(.erase(producers: ["412-chat"]))
    #expect(rig.queue.isUnregistered)
    #expect(try rig.restart().isEmpty)
    #expect(rig.queue.rest == .asleep(until: nil))
  }

  @Test("nothing of the erased messages is in the event; what is another's is, and says so")
  mutating func bytes() throws {
    let mine = PushMessage(
      producer: "a", number: 1, tag: "t", alert: "MARK", content: Array("MARK".utf8), service: "s",
      target: PushAddress(type: "ios", deviceID: "MARK"))
    for message in [mine, .sample(1, from: "b")] { try rig.enqueue(message) }
    #expect(String(decoding: rig.queue.stateBytes, as: UTF8.self).contains("MARK"))
    try rig.send(.erase(producers: ["a"]))
    let stored = try #require(rig.journal.last).event
    #expect(!String(decoding: stored.payload, as: UTF8.self).contains("MARK"))
    let event = try stored.decoded(as: PushEvent.self)
    #expect(event.holdsMessages { ["b", "c"].contains($0) } && !event.holdsMessages { $0 == "a" })
    #expect(!PushEvent.enqueued(mine).holdsMessages { $0 == "a" })
  }

  @Test("a record is its producer's, or the whole queue's")
  func producer() {
    let id = PushID(producer: "p", number: 1)
    let owned: [PushEvent] = [
      .enqueued(.sample(1, from: "p")), .declined(id, .expired), .settled(id, .erased, attempts: 0),
      .retryScheduled(id, attempt: 1, until: .epoch, reason: ""), .pauseEnded(producer: "p"), .producerForgotten("p"),
      .attemptBegan(id, attempt: 1), .attemptReturned(id, attempt: 1, reason: ""), .deadLetterRetried(id),
      .deadLetterDropped(id),
    ]
    #expect(owned.map(\.producer) == Array(repeating: "p", count: owned.count))
    let common: [PushEvent] = [
      .unregistered(reason: "p"), .registered, .erased([ErasedPush(id, attempts: 0)], state: PushQueue().stateBytes),
    ]
    #expect(common.map(\.producer) == [nil, nil, nil])
    #expect((EventTag(0)...20).filter(PushEvent.isRestatement) == [9])
  }
}
