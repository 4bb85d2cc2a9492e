import EventSourcing
import Testing

@testable import ConsoleEngine

@Suite("A session of the console")
struct ConsoleSessionTests {
  private static let start = Timestamp(milliseconds: 1_000_000)
  /// Ends after an hour, or after ten minutes without use.
  private static let terms = ConsoleSessionTerms(
    tokenID: "t", name: "anna", role: "agent", expiresAt: start.advanced(by: .seconds(3_600)), idleSeconds: 600)

  private static func after(_ seconds: Int) -> Timestamp { start.advanced(by: .seconds(seconds)) }

  private static func session(_ events: [(Int, ConsoleSessionEvent)] = [(0, .opened(terms))]) -> ConsoleSession {
    var session = ConsoleSession()
    for (seconds, event) in events { session.evolve(event, at: after(seconds)) }
    return session
  }

  @Test("is opened once")
  func opening() throws {
    #expect(try ConsoleSession().decide(.open(Self.terms), now: Self.start) == [.opened(Self.terms)])
    #expect(try Self.session().decide(.open(Self.terms), now: Self.after(1)) == [])
    let over = Self.session([(0, .opened(Self.terms)), (1, .ended(.signedOut))])
    #expect(over.isFinished)
    #expect(try over.decide(.open(Self.terms), now: Self.after(2)) == [])
  }

  @Test("is opened by a provider for whoever has no token, and is the same then")
  func openingByProvider() throws {
    let terms = ConsoleSessionTerms(
      tokenID: "openid:1", name: "anna", role: "agent", expiresAt: Self.after(3_600), idleSeconds: 600,
      person: ConsolePerson(issuer: "https://id.test", subject: "7", services: ["sales"]))
    #expect(try ConsoleSession().decide(.open(terms), now: Self.start) == [.openedByProvider(terms)])
    var session = Self.session([(0, .openedByProvider(terms))])
    #expect(session.terms == terms && session.openedAt == Self.start && session.seenAt == Self.start)
    #expect(session.react(to: .openedByProvider(terms)) == [.opened, .setAlarm(Self.after(600))])
    #expect(try ConsoleSession(stateBytes: session.stateBytes) == session)
    #expect(try session.decide(.open(terms), now: Self.after(1)) == [])
    session.evolve(.ended(.providerRemoved), at: Self.after(2))
    #expect(session.isFinished && session.terms == nil)
    #expect(try session.decide(.open(terms), now: Self.after(3)) == [])
  }

  @Test("is seen at most every five minutes", arguments: [(0, false), (299, false), (300, true), (599, true)])
  func sight(seconds: Int, isSeen: Bool) throws {
    #expect(try Self.session().decide(.see, now: Self.after(seconds)) == (isSeen ? [.seen] : []))
  }

  @Test(
    "ends when its time has come",
    arguments: [
      // When it was seen, when it was used, and when somebody looks: how it ends.
      (0, 0, 599, nil), (0, 0, 600, .idle), (0, 300, 899, nil), (0, 300, 900, .idle), (300, 0, 899, nil),
      (300, 0, 900, .idle), (3_000, 3_599, 3_599, nil), (3_000, 3_599, 3_600, .expired), (0, 0, 3_600, .expired),
    ] as [(Int, Int, Int, ConsoleSessionEnd?)])
  func life(seen: Int, used: Int, now: Int, end: ConsoleSessionEnd?) throws {
    let session = Self.session([(0, .opened(Self.terms)), (seen, .seen)])
    let events = try session.decide(.expire(lastUse: Self.after(used)), now: Self.after(now))
    #expect(events == (end.map { [.ended($0)] } ?? []))
  }

  @Test("ends once, for the reason that is given")
  func ends() throws {
    for reason in [
      ConsoleSessionEnd.signedOut, .revoked(by: "ops"), .tokenRevoked, .displaced, .providerRemoved, .nameTaken,
    ] {
      #expect(try Self.session().decide(.end(reason), now: Self.after(1)) == [.ended(reason)])
    }
    let over = Self.session([(0, .opened(Self.terms)), (1, .ended(.idle))])
    #expect(throws: ConsoleSessionRejection.unknown) { try over.decide(.end(.signedOut), now: Self.after(2)) }
    #expect(throws: ConsoleSessionRejection.unknown) { try ConsoleSession().decide(.end(.signedOut), now: Self.start) }
    #expect(try over.decide(.see, now: Self.after(999)) == [])
    #expect(try over.decide(.expire(lastUse: .epoch), now: Self.after(9_999)) == [])
  }

  @Test("a clock that was set back takes nothing of its life, and gives nothing")
  func clock() throws {
    var session = Self.session([(0, .opened(Self.terms)), (300, .seen)])
    session.evolve(.seen, at: Self.after(10))
    #expect(session.seenAt == Self.after(300))
    #expect(try session.decide(.expire(lastUse: .epoch), now: Self.after(-100)) == [])
  }

  @Test("owes its end, until it has come")
  func effects() {
    var session = Self.session()
    let end = Self.after(600)
    #expect(session.react(to: .opened(Self.terms)) == [.opened, .setAlarm(end)])
    #expect(session.outstandingEffects == [.setAlarm(end)] && session.rest == .asleep(until: end))
    session.evolve(.ended(.expired), at: Self.after(3_600))
    #expect(session.react(to: .ended(.expired)) == [.forget] && session.outstandingEffects.isEmpty)
  }
}

@Suite("What sessions of the console write is frozen")
struct FrozenConsoleTests {
  private static let terms = ConsoleSessionTerms(
    tokenID: "t", name: "n", role: "r", expiresAt: Timestamp(milliseconds: 1_000), idleSeconds: 2, code: "c")
  private static let plain = ConsoleSessionTerms(
    tokenID: "t", name: "n", role: "r", expiresAt: Timestamp(milliseconds: 1_000), idleSeconds: 2)

  private static func person(_ services: [String]? = nil) -> ConsoleSessionTerms {
    ConsoleSessionTerms(
      tokenID: "t", name: "n", role: "r", expiresAt: Timestamp(milliseconds: 1_000), idleSeconds: 2,
      person: ConsolePerson(issuer: "i", subject: "s", services: services))
  }

  @Test(
    "events",
    arguments: [
      (1, .opened(terms), "0a017412016e1a017220d00f2804320163"),
      (1, .opened(plain), "0a017412016e1a017220d00f2804"), (2, .seen, ""), (3, .ended(.signedOut), "0801"),
      (3, .ended(.revoked(by: "b")), "0802120162"), (3, .ended(.idle), "0803"), (3, .ended(.expired), "0804"),
      (3, .ended(.tokenRevoked), "0805"), (3, .ended(.displaced), "0806"), (3, .ended(.providerRemoved), "0807"),
      (3, .ended(.nameTaken), "0808"),
      (4, .openedByProvider(person()), "0a017412016e1a017220d00f28043a060a0169120173"),
      (4, .openedByProvider(person(["x", "yz"])), "0a017412016e1a017220d00f28043a0d0a01691201731a01781a02797a"),
    ] as [(EventTag, ConsoleSessionEvent, String)])
  func events(tag: EventTag, event: ConsoleSessionEvent, hex: String) throws {
    let stored = StoredEvent(event)
    #expect(stored.tag == tag && Self.hex(stored.payload) == hex)
    #expect(try stored.decoded(as: ConsoleSessionEvent.self) == event)
    #expect(!ConsoleSessionEvent.isRestatement(tag))
  }

  @Test("the state, open and over")
  func states() throws {
    var session = ConsoleSession()
    session.evolve(.opened(Self.terms), at: Timestamp(milliseconds: 3))
    session.evolve(.seen, at: Timestamp(milliseconds: 4))
    #expect(Self.hex(session.stateBytes) == "0a110a017412016e1a017220d00f280432016310061808")
    #expect(try ConsoleSession(stateBytes: session.stateBytes) == session)
    session.evolve(.ended(.idle), at: Timestamp(milliseconds: 5))
    #expect(Self.hex(session.stateBytes) == "100618082001")
    #expect(try ConsoleSession(stateBytes: session.stateBytes) == session)
  }

  @Test("what no version has written is refused")
  func unknown() {
    func read(_ tag: EventTag, _ bytes: [UInt8]) throws(PayloadError) {
      _ = try StoredEvent(tag: tag, payload: bytes).decoded(as: ConsoleSessionEvent.self)
    }
    #expect(throws: PayloadError.unknownTag(5)) { try read(5, []) }
    #expect(throws: PayloadError.missingField(1)) { try read(4, []) }
    #expect(throws: PayloadError.missingField(1)) { try read(3, []) }
    #expect(throws: PayloadError.outOfRange(field: 1)) { try read(3, [8, 9]) }
    #expect(throws: PayloadError.missingField(2)) { try read(3, [8, 2]) }
    #expect(throws: PayloadError.missingField(1)) { try read(1, []) }
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
