import EventSourcing
import PushDomain
import Testing

@Suite("Push queue, a message for which its lane has a place")
struct PlaceTests {
  var rig = QueueRig()
  let message = PushMessage.sample(2)
  private var placed: PushCommand { .enqueue(message, limits: rig.limits, hasPlace: true) }

  private func events(_ command: PushCommand) -> [PushEvent] { rig.queue.decide(command, now: rig.now) }

  @Test("enters the queue and begins in one turn, and its producer is told before it goes out")
  mutating func oneTurn() throws {
    #expect(events(placed) == [.enqueued(message), .attemptBegan(message.id, attempt: 1)])
    #expect(try rig.enqueueInPlace(message) == [.accepted(message.id), .deliver(message, attempt: 1)])
    #expect(try rig.end(message, .delivered()) == [.settled(message, .delivered, attempts: 1)])
    #expect(try rig.restart().isEmpty)
  }

  @Test("without a place it waits for its turn")
  mutating func noPlace() {
    #expect(events(.enqueue(message, limits: rig.limits)) == [.enqueued(message)])
  }

  enum Before: CaseIterable {
    case inFlight, urgent, older, pausing, known, ended
  }

  @Test("begins nothing if something else goes first, or it is none to send", arguments: Before.allCases)
  mutating func somethingElse(_ before: Before) throws {
    rig.laneStands = true
    let other = PushMessage.sample(1, from: "other")
    switch before {
    case .inFlight:
      rig.laneStands = false
      try rig.enqueue(other)
    case .older, .urgent: try rig.enqueue(other)
    case .pausing:
      rig.laneStands = false
      try rig.enqueue(.sample(1))
      try rig.end(.sample(1), .retryable(reason: "down"))
    case .known: try rig.send(.decline(message.id, reason: "no"))
    case .ended: try rig.send(.unregister(reason: "gone"))
    }
    let mine = PushMessage.sample(2, priority: before == .urgent ? .normal : .high)
    let events = events(.enqueue(mine, limits: rig.limits, hasPlace: true))
    #expect(events == self.events(.enqueue(mine, limits: rig.limits)))
    #expect(!events.contains(.attemptBegan(mine.id, attempt: 1)))
  }

  @Test("goes before what waits and is less urgent")
  mutating func moreUrgent() throws {
    rig.laneStands = true
    try rig.enqueue(.sample(1, from: "other", priority: .normal))
    #expect(events(placed) == [.enqueued(message), .attemptBegan(message.id, attempt: 1)])
  }

  @Test("takes the place of an older one with its collapse key, and begins")
  mutating func collapsing() throws {
    rig.laneStands = true
    let old = PushMessage.sample(1, collapseKey: "k"), new = PushMessage.sample(2, collapseKey: "k")
    try rig.enqueue(old)
    #expect(
      events(.enqueue(new, limits: rig.limits, hasPlace: true)) == [
        .settled(old.id, .collapsed, attempts: 0), .enqueued(new), .attemptBegan(new.id, attempt: 1),
      ])
  }

  @Test("that has expired, or is too large, ends unsent")
  mutating func turnedAway() {
    let late = PushMessage.sample(2, expiry: rig.now)
    #expect(events(.enqueue(late, limits: rig.limits, hasPlace: true)) == [.declined(late.id, .expired)])
    rig.limits.deadLettersMaximum = 3
    #expect(
      events(.enqueue(late, limits: rig.limits, hasPlace: true)) == [
        .enqueued(late), .settled(late.id, .expired, attempts: 0, isDeadLetter: true),
      ])
    let large = PushMessage.sample(2, bytes: rig.limits.contentBytesMaximum + 1)
    #expect(events(.enqueue(large, limits: rig.limits, hasPlace: true)) == [.declined(large.id, .overflowed)])
  }

  @Test("after a crash in between goes again, as one that may have reached its provider")
  mutating func crash() throws {
    try rig.enqueueInPlace(message)
    #expect(try rig.restart() == [.deliver(message, attempt: 1)])
    #expect(
      try rig.journal.last?.event.decoded(as: PushEvent.self)
        == .attemptBegan(message.id, attempt: 1, isRepetition: true))
    #expect(rig.queue.isKnown(producer: message.producer, number: message.number))
  }
}
