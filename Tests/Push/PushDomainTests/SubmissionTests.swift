import EventSourcing
import PushDomain
import Testing

@Suite("Push queue, what comes without a number")
struct SubmissionTests {
  var rig = QueueRig()
  static let gone = FinalPushOutcome.unregistered(reason: "410")

  @Test("each is given its producer's next number; one without an id is always another one")
  mutating func numbers() throws {
    rig.laneStands = true
    for id in ["a", nil, nil, "b"] { try submit(id) }
    #expect(rig.queue.messageCount == 4)
    for number in 1...4 { #expect(rig.queue.isKnown(producer: "412-chat", number: number)) }
    #expect(!rig.queue.isKnown(producer: "412-chat", number: 5))
  }

  /// What happens between a message and its repetition.
  enum Meanwhile: CaseIterable {
    case nothing, delivered, refused, restart, sleep, restated, others, windowEnds, thousandOthers, erased

    /// Whether the repetition is known.
    var isRemembered: Bool {
      switch self {
      case .nothing, .delivered, .refused, .restart, .sleep, .restated, .others: true
      case .windowEnds, .thousandOthers, .erased: false
      }
    }
  }

  @Test(
    "one that comes twice is known, whatever has become of the first, for as long as its id is remembered",
    arguments: Meanwhile.allCases)
  mutating func twice(meanwhile: Meanwhile) throws {
    let taken = try submit("a")
    let first = try #require(taken)
    switch meanwhile {
    case .nothing: break
    case .delivered: try rig.end(.sample(1), .delivered())
    case .refused: try rig.end(.sample(1), .refused(reason: "no"))
    case .restart: _ = try rig.restart()
    case .sleep: try rig.sleepAndWake()
    case .restated: try rig.send(.restate)
    case .others: for number in 1..<RecentIDs.countMaximum { try submit("other \(number)") }
    case .windowEnds: rig.pass(RecentIDs.retention)
    case .thousandOthers: for number in 0..<RecentIDs.countMaximum { try submit("other \(number)") }
    case .erased: try rig.send(.erase(producers: [first.producer]))
    }
    let again = try submit("a")
    #expect((again == nil) == meanwhile.isRemembered)
    // Another producer's is another message.
    let others = try submit("a", from: "b")
    #expect(others != nil)
  }

  @Test("one that was declined is known as well")
  mutating func declined() throws {
    try rig.send(.unregister(reason: "410"))
    let taken = try submit("a")
    let first = try #require(taken)
    #expect(first.number == 1)
    for _ in 1...2 {
      let again = try submit("a")
      #expect(again == nil)
      #expect(try rig.restart().isEmpty)
    }
  }

  @Test("a record of before has no id, and one with an id keeps it")
  func codec() throws {
    let event = PushEvent.declined(PushID(producer: "p", number: 2), .expired, submissionID: "i")
    #expect(StoredEvent(event).payload == [0x0A, 1, 0x70, 0x10, 4, 0x1A, 2, 0x08, 4, 0x22, 1, 0x69])
    #expect(try StoredEvent(event).decoded(as: PushEvent.self) == event)
    let stored = StoredEvent(PushEvent.enqueued(message("ü", from: "p")))
    #expect(stored.payload.suffix(5) == [0x92, 0x01, 2, 0xC3, 0xBC])
    #expect(try stored.decoded(as: PushEvent.self) == .enqueued(message("ü", from: "p")))
    let plain = StoredEvent(tag: stored.tag, payload: Array(stored.payload.dropLast(5)))
    #expect(try plain.decoded(as: PushEvent.self) == .enqueued(message(nil, from: "p")))
  }

  /// - Returns: what the queue has taken it for; nil for a repetition.
  @discardableResult
  private mutating func submit(_ id: String?, from producer: String = "412-chat") throws -> PushID? {
    let effects = try rig.send(.submit(message(id, from: producer), limits: rig.limits))
    for case .effect(.courier(.accepted(let taken))) in effects { return taken }
    return nil
  }

  private func message(_ id: String?, from producer: String) -> PushMessage {
    PushMessage(
      producer: producer, number: 0, tag: "gcm.message", alert: "", content: [], service: "app",
      target: PushAddress(type: "ios", deviceID: "d"), form: .members, submissionID: id)
  }
}
