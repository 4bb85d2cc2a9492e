import EventSourcing
import PushDomain
import Testing

/// Journals of before one message a device was in flight: no `attemptBegan`, entries without `acceptedAt`.
@Suite("Push queue, from an older journal")
struct OldJournalTests {
  var rig = QueueRig()
  let a1 = PushMessage.sample(1, from: "a"), b1 = PushMessage.sample(1, from: "b"),
    a2 = PushMessage.sample(2, from: "a")

  @Test("records without the fields that came later are what they were")
  func oldRecords() throws {
    let id = PushID(producer: "p", number: 2)
    let settled = StoredEvent(
      tag: 3, payload: [0x0A, 1, 0x70, 0x10, 4, 0x1A, 5, 0x08, 3, 0x12, 1, 0x78, 0x20, 6])
    #expect(
      try settled.decoded(as: PushEvent.self)
        == .settled(id, .failed(reason: "x"), attempts: 3, answer: nil, isDeadLetter: false))
    var writer = PayloadWriter()
    for (field, text) in [(1, "p"), (3, "t"), (4, ""), (7, "s")] { writer.text(field, text) }
    writer.integer(2, 2)
    writer.data(5, [])
    writer.nested(8) { target in
      target.text(1, "ios")
      target.text(2, "d")
    }
    writer.integer(9, 3)
    writer.unsigned(12, 2)
    let message = PushMessage(
      producer: "p", number: 2, tag: "t", alert: "", content: [], service: "s",
      target: PushAddress(type: "ios", deviceID: "d"))
    #expect(try StoredEvent(tag: 1, payload: writer.bytes).decoded(as: PushEvent.self) == .enqueued(message))
    #expect(!message.isNowOrNever && message.display == nil && message.form == .message && message.owner == nil)
  }

  @Test("two producers in flight at once: both go again, one after the other, the oldest first")
  mutating func twoInFlight() throws {
    rig.replay([.enqueued(a1), .enqueued(b1), .enqueued(a2)])
    #expect(rig.queue.attempt == nil && rig.queue.rest == .wakeful)
    #expect(try rig.restart() == [.deliver(a1, attempt: 1)])
    #expect(try rig.end(a1, .delivered()).last == .deliver(b1, attempt: 1))
    #expect(try rig.end(b1, .delivered()).last == .deliver(a2, attempt: 1))
  }

  @Test("two in flight at once ended in the order in which their providers answered")
  mutating func answersOfOld() throws {
    rig.replay([
      .enqueued(a1), .enqueued(b1), .enqueued(a2), .settled(b1.id, .delivered, attempts: 1),
      .retryScheduled(a1.id, attempt: 1, until: rig.after(.seconds(1)), reason: "down"),
      .pauseEnded(producer: "a"),
    ])
    #expect(rig.queue.messageCount == 2)
    #expect(try rig.restart() == [.deliver(a1, attempt: 2)])
    try rig.sleepAndWake()
    #expect(try rig.end(a1, attempt: 2, .delivered()).last == .deliver(a2, attempt: 1))
  }

  @Test("a refusal or a failure of before leaves no dead letter")
  mutating func noDeadLetters() throws {
    rig.replay([.enqueued(a1), .settled(a1.id, .failed(reason: "500"), attempts: 3)])
    #expect(rig.queue.deadLetters.isEmpty)
    #expect(try rig.restart().isEmpty)
  }

  @Test("a snapshot without the fields that came later: what it holds goes out, and nothing is doubted or spared")
  mutating func oldSnapshot() throws {
    // The state as it was written then: entries have a message, an arrival and failures.
    var entries = PayloadWriter()
    entries.text(1, "a")
    entries.integer(2, 1)
    entries.integer(3, 1)
    entries.nested(5) { entry in
      entry.data(1, StoredEvent(PushEvent.enqueued(PushMessage.sample(1, from: "a"))).payload)
      entry.integer(2, 1)
      entry.integer(3, 2)
    }
    var state = PayloadWriter()
    state.integer(1, 1)
    state.data(5, entries.bytes)
    let queue = try PushQueue(stateBytes: state.bytes)
    #expect(queue.rest == .wakeful && queue.attempt == nil && queue.deadLetters.isEmpty)
    #expect(queue.backlog?.since == .epoch && queue.stateBytes == state.bytes)
    #expect(queue.outstandingEffects == [.ready(.high, since: .epoch)])
    rig.replay([.erased([], state: state.bytes)])
    #expect(try rig.restart() == [.deliver(a1, attempt: 3)])
    // Nobody knows when it was taken over: no registration is held to be later than it unless one was recorded.
    try rig.end(a1, attempt: 3, .unregistered(reason: "410"))
    #expect(rig.queue.isUnregistered)
  }
}
