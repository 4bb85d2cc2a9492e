import EventSourcing
import PushDomain
import Testing

@Suite("Push queue, a push that overtakes another")
struct OvertakingTests {
  var rig = QueueRig()

  /// What a queue says to a number.
  enum Answer: Equatable {
    case taken
    /// A repetition: nothing happens.
    case known
    /// Nobody can tell any more: it ends unsent, and says why.
    case outrun
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let came: [Int]
    let comes: Int
    let answer: Answer

    init(_ came: [Int], then comes: Int, _ answer: Answer) {
      self.came = came
      self.comes = comes
      self.answer = answer
    }

    var testDescription: String { "\(came), then \(comes)" }
  }

  private static let rows = [
    Row([], then: 1, .taken), Row([], then: 1_000, .taken), Row([1], then: 2, .taken), Row([1], then: 1, .known),
    // Overtaken by the first one that its device is sent, by one, by many.
    Row([2], then: 1, .taken), Row([1, 3], then: 2, .taken), Row([5, 4, 3, 1], then: 2, .taken),
    Row([2, 1], then: 1, .known), Row([2, 1], then: 2, .known), Row([1, 3, 2], then: 2, .known),
    // A gap is no reason to wait: others are another device's.
    Row([1, 7], then: 8, .taken), Row([1, 7, 8], then: 4, .taken), Row([1, 7, 8, 4], then: 4, .known),
    Row([1, 7, 8, 4], then: 5, .taken), Row([1, 7, 8, 4], then: 7, .known),
    // The window: 64 numbers below the highest.
    Row([65], then: 1, .taken), Row([66], then: 1, .outrun), Row([66], then: 2, .taken),
    Row([1, 65], then: 1, .known), Row([1, 66], then: 1, .outrun), Row([1, 2, 66], then: 2, .known),
    Row([1, 64, 66], then: 65, .taken), Row([1, 64, 66], then: 64, .known), Row([1, 200], then: 199, .taken),
    Row([1, 200], then: 136, .taken), Row([1, 200], then: 135, .outrun), Row([1, 200, 136], then: 136, .known),
    Row([1, 2, 1_000], then: 2, .outrun), Row([1_000_000], then: 999_936, .taken),
    Row([1_000_000], then: 999_935, .outrun), Row([.max], then: .max - 64, .taken), Row([.max], then: 1, .outrun),
    // No producer counts from below 1: nothing there is missing.
    Row([1], then: 0, .known), Row([3], then: 0, .known), Row([3], then: -61, .known), Row([3], then: .min, .outrun),
  ]

  @Test("what has not come is taken, in whatever order; what has come is known", arguments: rows)
  mutating func orders(row: Row) throws {
    for number in row.came { try deliver(.sample(number)) }
    let message = PushMessage.sample(row.comes)
    #expect(rig.queue.isKnown(producer: message.producer, number: row.comes) == (row.answer != .taken))
    // As a new process finds it, and as one that slept does.
    #expect(try rig.restart().isEmpty)
    try rig.sleepAndWake()
    try expect(row.answer, of: message)
    if row.answer == .taken { try expect(.known, of: message) }
  }

  @Test("what waits or is a dead letter is known for certain, however far behind it is")
  mutating func stillThere() throws {
    rig.limits.deadLettersMaximum = 10
    try rig.enqueue(.sample(1))
    try rig.end(.sample(1), .refused(reason: "no"))
    rig.laneStands = true
    try rig.enqueue(.sample(2))
    try rig.enqueue(.sample(500))
    #expect(rig.queue.deadLetters.count == 1 && rig.queue.messageCount == 2)
    for number in 1...2 { try expect(.known, of: .sample(number)) }
    try expect(.outrun, of: .sample(3))
  }

  @Test("one that is overtaken goes out behind the one that overtook it, and each has its own end")
  mutating func goesOut() throws {
    let first = PushMessage.sample(1), second = PushMessage.sample(2)
    #expect(try rig.enqueue(second).contains(.deliver(second, attempt: 1)))
    #expect(try rig.enqueue(first) == [.accepted(first.id)])
    #expect(
      try rig.end(second, .delivered())
        == [.settled(second, .delivered, attempts: 1), .deliver(first, attempt: 1)])
    #expect(try rig.end(first, .delivered()) == [.settled(first, .delivered, attempts: 1)])
  }

  @Test("it begins in the turn in which it comes, like any other")
  mutating func inPlace() throws {
    try deliver(.sample(2))
    let first = PushMessage.sample(1)
    #expect(try rig.enqueueInPlace(first) == [.accepted(first.id), .deliver(first, attempt: 1)])
  }

  @Test("it may be declined like any other, and is known then")
  mutating func declined() throws {
    try deliver(.sample(3))
    let (second, reason) = (PushMessage.sample(2), "another's device")
    #expect(
      try rig.send(.decline(second.id, reason: reason))
        == [.accepted(second.id), .settled(second, .refused(reason: reason), attempts: 0)])
    try expect(.known, of: second)
    try expect(.taken, of: .sample(1))
  }

  @Test(
    "with a collapse key it gives way to the newer one, which came first; to another's or another key's it does not",
    arguments: [("k", "412-chat", true), ("l", "412-chat", false), (nil, "412-chat", false), ("k", "b", false)])
  mutating func collapses(key: String?, producer: String, givesWay: Bool) throws {
    rig.laneStands = true
    try rig.enqueue(.sample(2, collapseKey: "k"))
    let old = PushMessage.sample(1, from: producer, collapseKey: key)
    let effects = try rig.enqueue(old)
    #expect(effects.contains(.accepted(old.id)))
    #expect(effects.contains(.settled(old, .collapsed, attempts: 0)) == givesWay)
    #expect(rig.queue.messageCount == (givesWay ? 1 : 2))
    #expect(rig.queue.next?.number == 2)
    try expect(.known, of: old)
  }

  @Test("the newer one may be on its way already")
  mutating func collapsesInFlight() throws {
    let new = PushMessage.sample(2, collapseKey: "k"), old = PushMessage.sample(1, collapseKey: "k")
    #expect(try rig.enqueue(new).contains(.deliver(new, attempt: 1)))
    #expect(try rig.enqueue(old) == [.accepted(old.id), .settled(old, .collapsed, attempts: 0)])
    #expect(
      try rig.end(new, .retryable(reason: "503"))
        == [.startTimer(.retry(producer: new.producer), at: rig.after(.seconds(1)))])
  }

  @Test("a queue of before knows nothing of gaps: whatever is not above the highest number had come")
  mutating func oldState() throws {
    var state = PayloadWriter()
    state.integer(1, 4)
    state.nested(5) { lane in
      lane.text(1, "412-chat")
      lane.integer(2, 70)
      lane.integer(3, 4)
    }
    rig.replay([.erased([], state: state.bytes)])
    #expect(rig.queue.stateBytes == state.bytes)
    for number in [70, 69, 7, 6] { try expect(.known, of: .sample(number)) }
    // From here on it counts.
    try deliver(.sample(73))
    for number in [71, 72] { try expect(.taken, of: .sample(number)) }
    try expect(.known, of: .sample(69))
  }

  /// Comes and is sent.
  private mutating func deliver(_ message: PushMessage) throws {
    #expect(try rig.enqueue(message).contains(.deliver(message, attempt: 1)))
    try rig.end(message, .delivered())
  }

  private mutating func expect(_ answer: Answer, of message: PushMessage) throws {
    let effects = try rig.enqueue(message)
    switch answer {
    case .taken:
      #expect(effects.first == .accepted(message.id) && rig.queue.messageCount > 0, "push \(message.number)")
    case .known: #expect(effects.isEmpty, "push \(message.number)")
    case .outrun:
      let reason = "came too late to tell whether it had come before"
      #expect(
        effects == [.accepted(message.id), .settled(message, .refused(reason: reason), attempts: 0)],
        "push \(message.number)")
    }
  }
}
