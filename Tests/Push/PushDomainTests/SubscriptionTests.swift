import EventSourcing
import TestSupport
import Testing

@testable import PushDomain

@Suite("A subscription")
struct SubscriptionTests {
  static let now = Timestamp(milliseconds: 1_770_000_000_000)
  static let end = now.advanced(by: .seconds(30))
  static let terms = SubscriptionTerms(
    subscriberID: "app-17", filter: SubscriptionFilter(journaled: "orders.*"),
    address: PushAddress(type: "comet", deviceID: "anna", provider: "shop", debug: true, authorization: "dTpw"),
    properties: [.init("sound", "bell"), .init("empty", "")], expiresAt: end)
  static let text = PublicationContent(bytes: Array("shipped".utf8), isObject: false)
  static let publish = SubscriptionCommand.publish(tag: "orders.shipped", text, owedMaximum: 2)

  /// Sends commands, and sees to it that the journal and a snapshot would give the same state.
  struct Rig {
    var subscription = Subscription()
    var journal: [StoredEvent] = []

    @discardableResult
    mutating func send(
      _ command: SubscriptionCommand, at now: Timestamp = SubscriptionTests.now
    ) throws -> [SubscriptionEffect] {
      var effects: [SubscriptionEffect] = []
      for event in try subscription.decide(command, now: now) {
        #expect(try StoredEvent(event).decoded(as: SubscriptionEvent.self) == event)
        journal.append(StoredEvent(event))
        subscription.evolve(event, at: SubscriptionTests.now)
        effects += subscription.react(to: event)
      }
      var replayed = Subscription()
      for event in journal { replayed.evolve(try event.decoded(as: SubscriptionEvent.self), at: SubscriptionTests.now) }
      #expect(replayed == subscription)
      #expect(try Subscription(stateBytes: subscription.stateBytes) == subscription)
      return effects
    }
  }

  static func opened() throws -> Rig {
    var rig = Rig()
    try rig.send(.open(terms))
    return rig
  }

  @Test("begins with its alarm, once")
  func opening() throws {
    var rig = Rig()
    #expect(try rig.send(.open(Self.terms)) == [.opened(Self.terms), .setAlarm(Self.end)])
    #expect(try rig.send(.open(Self.terms)) == [])
    #expect(rig.subscription.rest == .asleep(until: Self.end))
  }

  @Test("owes each publication until it is handed over, also after a restart, under rising numbers")
  func owing() throws {
    var rig = try Self.opened()
    let first = Publication(number: 1, tag: "orders.shipped", content: Self.text)
    let second = Publication(number: 2, tag: "orders.shipped", content: Self.text)
    #expect(try rig.send(Self.publish) == [.push(first)])
    #expect(try rig.send(Self.publish) == [.push(second)])
    #expect(rig.subscription.rest == .wakeful)
    #expect(rig.subscription.outstandingEffects == [.push(first), .push(second), .setAlarm(Self.end)])
    #expect(throws: SubscriptionRejection.tooManyOwed) { try rig.send(Self.publish) }
    try rig.send(.handedOver(1))
    #expect(try rig.send(.handedOver(1)) == [])
    #expect(rig.subscription.outstandingEffects == [.push(second), .setAlarm(Self.end)])
    let third = Publication(number: 3, tag: "orders.shipped", content: Self.text)
    #expect(try rig.send(Self.publish) == [.push(third)])
  }

  @Test(
    "knows a publication that comes again by tag and id, handed over or not, for ten minutes",
    arguments: [
      ("a", "orders.shipped", 0, false, true), ("a", "orders.shipped", 0, true, true),
      ("a", "orders.shipped", 599, true, true), ("a", "orders.shipped", 600, true, false),
      ("b", "orders.shipped", 0, false, false), ("a", "orders.lost", 0, false, false),
      (nil, "orders.shipped", 0, false, false),
    ])
  func repetitions(id: String?, tag: String, after seconds: Int, isHandedOver: Bool, isKnown: Bool) throws {
    var rig = Rig()
    let end = Self.now.advanced(by: .seconds(3_600))
    try rig.send(
      .open(
        SubscriptionTerms(
          subscriberID: "app-17", filter: Self.terms.filter, address: Self.terms.address, expiresAt: end)))
    let first = Publication(number: 1, tag: "orders.shipped", content: Self.text, id: "a")
    #expect(try rig.send(.publish(tag: first.tag, first.content, id: first.id, owedMaximum: 2)) == [.push(first)])
    if isHandedOver { try rig.send(.handedOver(1)) }
    // As a restart leaves it.
    rig.subscription = try Subscription(stateBytes: rig.subscription.stateBytes)
    let again = Publication(number: 2, tag: tag, content: Self.text, id: id)
    let later = Self.now.advanced(by: .seconds(seconds))
    #expect(
      try rig.send(.publish(tag: tag, Self.text, id: id, owedMaximum: 2), at: later)
        == (isKnown ? [] : [.push(again)]))
    #expect(rig.subscription.highestNumber == (isKnown ? 1 : 2))
  }

  @Test("what it has no room for is not known: it is taken when there is some")
  func refusedRepetition() throws {
    var rig = try Self.opened()
    for id in ["a", "b"] { try rig.send(.publish(tag: "t", Self.text, id: id, owedMaximum: 2)) }
    let third = SubscriptionCommand.publish(tag: "t", Self.text, id: "c", owedMaximum: 2)
    #expect(throws: SubscriptionRejection.tooManyOwed) { try rig.send(third) }
    // One that has come needs no room.
    #expect(try rig.send(.publish(tag: "t", Self.text, id: "a", owedMaximum: 2)) == [])
    try rig.send(.handedOver(1))
    #expect(try rig.send(third) == [.push(Publication(number: 3, tag: "t", content: Self.text, id: "c"))])
  }

  @Test("takes nothing once its time is over, and ends by its alarm")
  func expiry() throws {
    var rig = try Self.opened()
    #expect(try rig.send(.expire, at: Self.now) == [])
    #expect(throws: SubscriptionRejection.unknown) { try rig.send(Self.publish, at: Self.end) }
    #expect(try rig.send(.expire, at: Self.end) == [.forget])
    #expect(rig.subscription.isFinished && rig.subscription.outstandingEffects.isEmpty)
  }

  @Test("hands over what it owes before it expires")
  func owingAtTheEnd() throws {
    var rig = try Self.opened()
    try rig.send(Self.publish)
    try rig.send(Self.publish)
    #expect(try rig.send(.expire, at: Self.end) == [])
    #expect(try rig.send(.handedOver(2), at: Self.end) == [])
    #expect(try rig.send(.handedOver(1), at: Self.end) == [.forget])
    #expect(rig.subscription.isFinished)
  }

  @Test(
    "is over once it has ended or was erased, whatever comes then",
    arguments: [SubscriptionCommand.end(reason: "test"), .erase])
  func over(ending: SubscriptionCommand) throws {
    var rig = try Self.opened()
    try rig.send(Self.publish)
    #expect(try rig.send(ending) == [.forget])
    #expect(throws: SubscriptionRejection.unknown) { try rig.send(Self.publish) }
    #expect(throws: SubscriptionRejection.unknown) { try rig.send(.end(reason: "again")) }
    for command in [SubscriptionCommand.open(Self.terms), .expire, .handedOver(1), .erase] {
      #expect(try rig.send(command, at: Self.end) == [])
    }
  }

  @Test("nothing of a subscriber is left in the bytes of one that was erased")
  func erased() throws {
    var rig = try Self.opened()
    try rig.send(Self.publish)
    try rig.send(.erase)
    #expect(SubscriptionEvent.isRestatement(SubscriptionEvent.erased.tag))
    let bytes = String(decoding: rig.subscription.stateBytes + (rig.journal.last?.payload ?? []), as: UTF8.self)
    for word in ["app-17", "anna", "orders", "shipped"] { #expect(!bytes.contains(word)) }
  }

  @Test("keeps its rules under any order of commands", arguments: 1...20 as ClosedRange<UInt64>)
  func model(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var rig = Rig()
    var numbers: [Int] = []
    for step in 0..<200 {
      let now = Self.now.advanced(by: .milliseconds(step * 200))
      let command: SubscriptionCommand =
        switch random.next() % 12 {
        case 0: .open(Self.terms)
        case 1...5: .publish(tag: "t", Self.text, owedMaximum: 8)
        case 6...9: .handedOver(Int(random.next() % 40) + 1)
        case 10: step > 150 ? .end(reason: "x") : .expire
        default: .expire
        }
      let wasFinished = rig.subscription.isFinished
      let effects = (try? rig.send(command, at: now)) ?? []
      if wasFinished { #expect(effects.isEmpty) }
      for case .push(let publication) in effects { numbers.append(publication.number) }
      #expect(rig.subscription.owed.count <= 8)
      #expect(rig.subscription.isFinished || rig.subscription.terms != nil || rig.journal.isEmpty)
    }
    #expect(numbers == Array(1...numbers.count))
  }
}

@Suite("The filter of a subscription")
struct SubscriptionFilterTests {
  @Test(
    "a star stands for any run of characters, everything else for itself",
    arguments: [
      ("orders.shipped", "orders.shipped", true), ("orders.shipped", "orders.shippedx", false),
      ("orders.shipped", "orders", false), ("*", "", true), ("*", "anything.at.all", true), ("**", "x", true),
      ("orders.*", "orders.", true), ("orders.*", "orders.a.b", true), ("orders.*", "order.a", false),
      ("*.shipped", "orders.shipped", true), ("*.shipped", "orders.shipped.late", false),
      ("o*s.*d", "orders.shipped", true), ("a*b*c", "aXbXbc", true), ("a*b*c", "aXbXb", false),
      ("*a*a*b", "aaaaaaaaaaaaaaaaaaaaab", true), ("*a*a*b", "aaaaaaaaaaaaaaaaaaaaaa", false),
      ("ü*", "übung", true), ("ü*", "ubung", false), ("Orders.*", "orders.x", false),
    ])
  func matching(filter: String, tag: String, matches: Bool) throws {
    #expect(try SubscriptionFilter(filter).matches(tag) == matches)
  }

  @Test("one that is empty or too long is refused")
  func bounds() {
    #expect(throws: SubscriptionFilter.Problem.empty) { try SubscriptionFilter("") }
    #expect(throws: SubscriptionFilter.Problem.tooLong) { try SubscriptionFilter(String(repeating: "é", count: 129)) }
    #expect((try? SubscriptionFilter(String(repeating: "é", count: 128))) != nil)
  }
}

@Suite("Subscription events and state in the journal")
struct SubscriptionCodecTests {
  static let object = PublicationContent(bytes: Array(#"{"a":1}"#.utf8), isObject: true)
  static let events: [SubscriptionEvent] = [
    .opened(SubscriptionTests.terms), .published(Publication(number: 7, tag: "t", content: SubscriptionTests.text)),
    .published(Publication(number: 8, tag: "ü", content: object)), .handedOver(7), .ended(reason: "expired"), .erased,
    .published(Publication(number: 9, tag: "t", content: object, id: "ü")),
  ]

  @Test("every event comes back as it went in, also with fields of a later version", arguments: events)
  func roundTrip(event: SubscriptionEvent) throws {
    var stored = StoredEvent(event)
    #expect(try stored.decoded(as: SubscriptionEvent.self) == event)
    var later = PayloadWriter()
    later.text(40, "new")
    later.integer(41, 7)
    stored.payload += later.bytes
    #expect(try stored.decoded(as: SubscriptionEvent.self) == event)
  }

  @Test("a payload that was cut fails or says something else, and never traps", arguments: events)
  func cut(event: SubscriptionEvent) {
    let stored = StoredEvent(event)
    for length in 0..<stored.payload.count {
      let part = StoredEvent(tag: stored.tag, payload: Array(stored.payload.prefix(length)))
      #expect((try? part.decoded(as: SubscriptionEvent.self)) != event)
    }
  }

  @Test("tags are frozen")
  func tags() {
    #expect(Self.events.map(\.tag) == [1, 2, 2, 3, 4, 5, 2])
    #expect((try? StoredEvent(tag: 6, payload: []).decoded(as: SubscriptionEvent.self)) == nil)
  }
}
