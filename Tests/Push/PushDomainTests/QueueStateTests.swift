import EventSourcing
import PushDomain
import Testing

@Suite("Push queue, as bytes")
struct QueueStateTests {
  var rig = QueueRig()

  @Test("the bytes are frozen, and do not depend on the order in which producers came")
  mutating func bytes() throws {
    #expect(PushQueue().stateBytes == [0x08, 0x00])
    let late = rig.after(.seconds(-1))
    for producer in ["b", "a"] { try rig.enqueue(.sample(3, from: producer, expiry: late)) }
    try rig.send(.unregister(reason: "x"))
    #expect(
      rig.queue.stateBytes == [
        0x08, 4, 0x12, 1, 0x78, 0x2A, 9, 0x0A, 1, 0x61, 0x10, 6, 0x18, 4, 0x30, 3, 0x2A, 9, 0x0A, 1, 0x62, 0x10, 6,
        0x18, 2, 0x30, 3,
      ])
    let message = PushMessage(
      producer: "p", number: 2, tag: "t", alert: "", content: [], service: "s",
      target: PushAddress(type: "y", deviceID: "d"), attemptsMaximum: 3, expiry: Timestamp(milliseconds: 90),
      collapseKey: nil)
    var queue = PushQueue()
    queue.evolve(.enqueued(message), at: .epoch)
    let lane: [UInt8] = [
      0x2A, 45, 0x0A, 1, 0x70, 0x10, 4, 0x18, 2, 0x2A, 34, 0x0A, 30, 0x0A, 1, 0x70, 0x10, 4, 0x1A, 1, 0x74, 0x22, 0,
      0x2A, 0, 0x3A, 1, 0x73, 0x42, 6, 0x0A, 1, 0x79, 0x12, 1, 0x64, 0x48, 6, 0x50, 0xB4, 1, 0x60, 2, 0x10, 2, 0x30,
      1,
    ]
    #expect(queue.stateBytes == [0x08, 2, 0x18, 0xB4, 1, 0x20, 1] + lane + [0x38, 2, 0x40, 1])
    var flying = queue
    flying.evolve(.attemptBegan(message.id, attempt: 1), at: .epoch)
    #expect(flying.stateBytes == [0x08, 2, 0x20, 1] + lane + [0x32, 5, 0x0A, 1, 0x70, 0x10, 4])
    queue.evolve(.retryScheduled(message.id, attempt: 1, until: Timestamp(milliseconds: 64), reason: ""), at: .epoch)
    #expect(
      queue.stateBytes == [
        0x08, 2, 0x18, 0xB4, 1, 0x2A, 50, 0x0A, 1, 0x70, 0x10, 4, 0x18, 2, 0x20, 0x80, 1, 0x2A, 36, 0x0A, 30,
        0x0A, 1, 0x70, 0x10, 4, 0x1A, 1, 0x74, 0x22, 0, 0x2A, 0, 0x3A, 1, 0x73, 0x42, 6, 0x0A, 1, 0x79, 0x12, 1, 0x64,
        0x48, 6, 0x50, 0xB4, 1, 0x60, 2, 0x10, 2, 0x18, 2, 0x30, 1,
      ])
    #expect(try PushQueue(stateBytes: queue.stateBytes) == queue)
  }

  @Test("fields of a later version are skipped; a state without its arrivals is none")
  mutating func laterVersion() throws {
    try rig.enqueue(.sample(1))
    var more = PayloadWriter()
    more.text(40, "new")
    more.integer(41, 7)
    #expect(try PushQueue(stateBytes: more.bytes + rig.queue.stateBytes + more.bytes) == rig.queue)
    #expect(throws: PayloadError.missingField(1)) { try PushQueue(stateBytes: []) }
    #expect(throws: PayloadError.missingField(3)) { try PushQueue(stateBytes: [0x08, 0, 0x2A, 3, 0x0A, 1, 0x61]) }
  }

  @Test(
    "a state in which the messages have no order is refused",
    arguments: [
      // An arrival that is still to come: the next message would have the same.
      (1, [2]), (.max / 2 - 2, [.max / 2 - 1]),
      // Two messages with one arrival.
      (2, [2, 2]), (2, [1, 1]),
    ])
  func arrivalsInDoubt(counted: Int, arrivals: [Int]) {
    var state = PayloadWriter()
    state.integer(1, counted)
    for (producer, arrival) in zip(["a", "b"], arrivals) {
      state.nested(5) { lane in
        lane.text(1, producer)
        lane.integer(3, arrival)
        lane.nested(5) { entry in
          entry.data(1, StoredEvent(PushEvent.enqueued(.sample(1, from: producer))).payload)
          entry.integer(2, arrival)
        }
      }
    }
    #expect(throws: PayloadError.outOfRange(field: 5)) { try PushQueue(stateBytes: state.bytes) }
  }

  @Test("a state that was cut is refused, or is another one; it never traps")
  mutating func cut() throws {
    for number in 1...3 { try rig.enqueue(.sample(number, collapseKey: "k")) }
    let bytes = rig.queue.stateBytes
    for length in 0..<bytes.count {
      #expect((try? PushQueue(stateBytes: Array(bytes.prefix(length)))) != rig.queue)
    }
  }

  @Test(
    "the fullest queue restates itself in one record of the journal, whatever makes it full",
    arguments: ["content", "token", "password", "title", "dead letters", "number"])
  mutating func size(of part: String) throws {
    let limits = PushLimits()
    rig.limits = limits
    let bytes = part == "number" ? 200 : limits.messageBytesMaximum / limits.messagesMaximum
    let text = String(repeating: "x", count: bytes - 1)
    let now = rig.now
    func message(_ number: Int) -> PushMessage {
      var display = PushDisplay()
      if part == "title" { display.title = text }
      return PushMessage(
        producer: "producer-\(number)", number: 1, tag: "chat.newagentmessage", alert: "",
        content: ["content", "dead letters", "number"].contains(part) ? Array(text.utf8) : [], service: "request-chat",
        target: PushAddress(
          type: "ios", deviceID: part == "token" ? text : "d", authorization: part == "password" ? text : nil),
        collapseKey: "key", display: display, owner: "anna", registeredAt: now)
    }
    // As it is after so many commands, without waiting for each of them.
    if part == "number" {
      for number in 1...limits.deadLettersMaximum {
        let id = message(number).id
        rig.replay([.enqueued(message(number)), .settled(id, .overflowed, attempts: 0, isDeadLetter: true)])
      }
    }
    let first = part == "number" ? limits.deadLettersMaximum + 1 : 1
    rig.laneStands = true
    rig.replay((first..<first + limits.messagesMaximum).map { .enqueued(message($0)) })
    for number in first + limits.messagesMaximum...first + limits.messagesMaximum + 20 {
      try rig.enqueue(message(number))
    }
    if part == "dead letters" {
      rig.laneStands = false
      for number in 30...50 {
        try rig.laneMoves()
        if let running = rig.running {
          try rig.end(message(Int(running.id.producer.dropFirst(9)) ?? number), .refused(reason: "413"))
        }
      }
    }
    #expect((limits.messagesMaximum - 30...limits.messagesMaximum).contains(rig.queue.messageCount))
    try rig.send(.restate)
    // Spec: journal format 1, the largest unit.
    #expect(try #require(rig.journal.last).event.payload.count < 1_048_576)
  }

  @Test("awake while something is in flight; else asleep until the first pause or expiry is over")
  mutating func rest() throws {
    #expect(rig.queue.rest == .asleep(until: nil))
    let first = PushMessage.sample(1), second = PushMessage.sample(2, expiry: rig.after(.milliseconds(500)))
    try rig.enqueue(first)
    try rig.enqueue(second)
    #expect(rig.queue.rest == .wakeful)
    try rig.end(first, .retryable(reason: "down"))
    #expect(rig.queue.rest == .asleep(until: rig.after(.milliseconds(500))))
    rig.pass(.milliseconds(600))
    try rig.send(.expiryDue())
    #expect(rig.queue.rest == .asleep(until: rig.after(.milliseconds(400))))
    try rig.send(.retryDue(producer: first.producer))
    #expect(rig.queue.rest == .wakeful)
    try rig.end(first, attempt: 2, .delivered())
    #expect(rig.queue.rest == .asleep(until: nil))
  }
}
