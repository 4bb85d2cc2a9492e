import EventSourcing
import SupportDomain
import Testing

@Suite("Support user, saying who it is")
struct UserIdentityTests {
  typealias Turn = UserRig.Turn

  static let kinds: [SupportIdentity.Key] = [
    .anonymous(app: "mobile", guid: "0b7c"), .verified("ann"), .agent("bob"), .contact("ann@example.org"),
  ]

  @Test("the first word makes it; the same again is no change", arguments: kinds)
  func first(key: SupportIdentity.Key) throws {
    var rig = UserRig()
    let identity = SupportIdentity(key: key, name: "Ann", email: nil)
    #expect(try rig.when(.identify(identity), at: 3) == Turn([.identified(identity)], [.changed]))
    #expect(rig.state.identity == identity && rig.state.createdAt == .second(3))
    #expect(try rig.when(.identify(identity), at: 4) == Turn())
    #expect(identity.role == (key == .agent("bob") ? .agent : .endUser))
    #expect(rig.state.rest == .asleep(until: nil) && rig.state.outstandingEffects == [] && !rig.state.isFinished)
  }

  static let changes: [(name: String?, email: String?, result: SupportIdentity?)] = [
    (nil, nil, nil), ("Ann", nil, nil), (nil, "ann@example.org", nil),
    ("Anna", nil, .verified("Anna")), (nil, "a@example.org", .verified("Ann", "a@example.org")),
    ("", "", .verified("", "")),
  ]

  @Test("of one that is vouched for, only what is known changes; what is not said stays", arguments: changes)
  func verified(name: String?, email: String?, result: SupportIdentity?) throws {
    var rig = try UserRig.given()
    try rig.when(.register("t"))
    try rig.when(.signIn(.verified(), .sample(1), usedID: nil))
    #expect(
      try rig.when(.identify(.verified(name, email)), at: 9)
        == (result.map { Turn([.identified($0)], [.changed]) } ?? Turn()))
    #expect(rig.state.identity == result ?? .verified())
    #expect(rig.live == ["t"] && rig.state.tokens.count == 1 && rig.state.createdAt == .second(0))
  }

  static let names: [(before: SupportIdentity, after: SupportIdentity)] = [
    (.anonymous(), .anonymous("Ann")), (.anonymous("Ann"), .anonymous()), (.anonymous("Ann"), .anonymous("Anna")),
    (.anonymous("Ann"), .anonymous("Ann", "ann@example.org")),
  ]

  @Test("an anonymous one with another name is somebody else: devices and tokens end", arguments: names)
  func anonymous(before: SupportIdentity, after: SupportIdentity) throws {
    var rig = try UserRig.given(before)
    for identifier in ["a", "b", "c"] { try rig.when(.register(identifier)) }
    try rig.when(.end(["b"]))
    try rig.when(.signIn(before, .sample(1), usedID: nil))
    let turn = try rig.when(.identify(after), at: 9)
    #expect(
      turn.events == [
        .deviceEnded(id: 1, .identityChanged), .deviceEnded(id: 3, .identityChanged), .identityChanged(after),
      ])
    #expect(
      turn.effects == [
        .deviceClosed(try rig.device(1)), .changed, .deviceClosed(try rig.device(3)), .changed, .changed,
      ])
    #expect(rig.live == [] && rig.state.tokens == [] && rig.state.identity == after)
    #expect(rig.state.devices.compactMap(\.ending?.reason) == [.identityChanged, .user, .identityChanged])
    try rig.when(.register("a"), at: 10)
    #expect(try rig.device(1).isLive, "and are registered again")
  }

  @Test("somebody else's word is nobody's", arguments: kinds)
  func stranger(key: SupportIdentity.Key) throws {
    var rig = try UserRig.given(SupportIdentity(key: .verified("somebody")))
    #expect(try rig.when(.identify(SupportIdentity(key: key))) == Turn())
    #expect(try rig.when(.signIn(SupportIdentity(key: key), .sample(1), usedID: nil)) == Turn())
    #expect(rig.state.tokens == [])
  }

  // MARK: Signing in

  @Test("who signs in is identified first, then has a token")
  func signIn() throws {
    var rig = UserRig()
    let used = SupportUser.UsedID("jti-1", until: 100)
    #expect(
      try rig.when(.signIn(.verified(), .sample(1), usedID: used))
        == Turn([.identified(.verified()), .tokenIssued(.sample(1), usedID: used)], [.changed, .changed]))
    #expect(rig.state.tokens == [.sample(1)] && rig.state.usedIDs == [used])
    #expect(
      try rig.when(.signIn(.verified(), .sample(2), usedID: nil)).events == [.tokenIssued(.sample(2), usedID: nil)])
    #expect(rig.state.tokens == [.sample(1), .sample(2)])
  }

  @Test("an anonymous one that signs in under a new name has only the new token")
  func signInAnew() throws {
    var rig = UserRig()
    try rig.when(.signIn(.anonymous(), .sample(1), usedID: nil))
    try rig.when(.register("a"))
    #expect(try rig.when(.signIn(.anonymous("Ann"), .sample(2), usedID: nil)).events.map(\.tag) == [6, 2, 3])
    #expect(rig.state.tokens == [.sample(2)] && rig.live == [])
  }

  @Test("a token of the back end counts once while it is remembered, and changes nothing then")
  func replayed() throws {
    var rig = UserRig()
    try rig.when(.signIn(.verified(), .sample(1), usedID: .init("jti", until: 100)))
    let before = rig.state
    #expect(throws: SupportUserRejection.replayed) {
      try rig.when(.signIn(.verified("Anna"), .sample(2), usedID: .init("jti", until: 500)), at: 99.999)
    }
    #expect(rig.state == before)
    try rig.when(.signIn(.verified(), .sample(2), usedID: .init("other", until: 500)), at: 99.999)
    try rig.when(.signIn(.verified(), .sample(3), usedID: .init("jti", until: 600)), at: 100)
    #expect(rig.state.usedIDs == [.init("other", until: 500), .init("jti", until: 600)])
  }

  @Test("ids that are over are forgotten; of too many, the one that ends soonest")
  func usedIDs() throws {
    var rig = try UserRig.given()
    func signIn(_ id: String, until second: Double, at now: Double) throws {
      try rig.when(.signIn(.verified(), .sample(0), usedID: .init(id, until: second)), at: now)
    }
    try signIn("soonest", until: 50, at: 0)
    for number in 1..<1_024 { try signIn("\(number)", until: 100 + Double(number), at: 0) }
    #expect(rig.state.usedIDs.count == 1_024)
    try signIn("last", until: 100, at: 1)
    #expect(rig.state.usedIDs.count == 1_024 && !rig.state.usedIDs.contains { $0.id == "soonest" })
    try signIn("much later", until: 5_000, at: 1_122)
    #expect(rig.state.usedIDs.map(\.id) == ["1023", "much later"])
  }

  @Test("of too many tokens, the oldest goes where none was ever used")
  func tokens() throws {
    var rig = try UserRig.given()
    for number in 0..<34 { try rig.when(.signIn(.verified(), .sample(number), usedID: nil)) }
    #expect(rig.state.tokens == (2..<34).map { .sample($0) })
  }

  @Test("of too many tokens, the one that was not used for longest goes, and not the oldest")
  func leastUsedToken() throws {
    var rig = try UserRig.given()
    for number in 0..<32 { try rig.when(.signIn(.verified(), .sample(number), usedID: nil)) }
    // As the journal knows of its use, and as only the process does.
    try rig.when(.noteUse(digest: SupportAccessToken.sample(0).digest), at: 90_000)
    let uses = [SupportAccessToken.sample(1).digest: Timestamp.second(95_000)]
    let turn = try rig.when(
      .signIn(.verified(), .sample(40, at: 100_000), usedID: nil, uses: uses), at: 100_000)
    #expect(turn.events.map(\.tag) == [9, 3])
    #expect(turn.events.first == .tokenEnded(digest: SupportAccessToken.sample(2).digest))
    #expect(
      rig.state.tokens.count == 32 && rig.state.tokens.map(\.digest).contains(SupportAccessToken.sample(0).digest))
  }

  @Test("a use is recorded once a day, and one of a token that there is none of not at all")
  func noteUse() throws {
    var rig = try UserRig.given()
    try rig.when(.signIn(.verified(), .sample(1), usedID: nil))
    let digest = SupportAccessToken.sample(1).digest
    #expect(try rig.when(.noteUse(digest: digest), at: 86_399).events == [])
    #expect(try rig.when(.noteUse(digest: digest), at: 86_400).events == [.tokenUsed(digest: digest)])
    #expect(rig.state.tokens.first?.usedAt == .second(86_400))
    #expect(try rig.when(.noteUse(digest: digest), at: 90_000).events == [])
    #expect(try rig.when(.noteUse(digest: [7]), at: 900_000).events == [])
  }

  @Test("a journal of before a token had an end of its own is read as it was: the oldest has gone")
  func tokensOfBefore() throws {
    var user = SupportUser()
    user.evolve(.identified(.verified()), at: .second(0))
    for number in 0..<34 { user.evolve(.tokenIssued(.sample(number), usedID: nil), at: .second(0)) }
    #expect(user.tokens == (2..<34).map { .sample($0) })
  }

  // MARK: Erasure

  private func full() throws -> UserRig {
    var rig = try UserRig.given()
    for identifier in ["a", "b", "c"] { try rig.when(.register(identifier)) }
    try rig.when(.end(["b"]))
    try rig.when(.signIn(.verified(), .sample(1), usedID: .init("jti", until: 100)))
    return rig
  }

  @Test("its devices end, and what is left is that there was somebody")
  func erased() throws {
    var rig = try full()
    let turn = try rig.when(.erase, at: 5)
    #expect(turn.events.map(\.tag) == [6, 6, 7])
    #expect(
      turn.effects.map { effect in if case .deviceClosed(let device) = effect { device.identifier } else { "" } }
        == ["a", "", "c", "", ""])
    let user = rig.state
    #expect(user.identity == nil && user.devices == [] && user.tokens == [] && user.usedIDs == [])
    #expect(user.isErased && user.createdAt == .second(0) && user.highestDevice == 3)
    let text = String(decoding: StoredEvent(turn.events[2]).payload, as: UTF8.self)
    #expect(!text.lowercased().contains("ann"))
  }

  @Test("it never comes back")
  func never() throws {
    var rig = try full()
    try rig.when(.erase)
    for command: SupportUserCommand in [
      .identify(.verified()), .end(["a"]), .providerEnded(device: 1, since: nil), .erase,
    ] {
      #expect(try rig.when(command) == Turn())
    }
    for command: SupportUserCommand in [.signIn(.verified(), .sample(2), usedID: nil), .register("a")] {
      #expect(throws: SupportUserRejection.unknown) { try rig.when(command) }
    }
  }

  @Test("before anybody is there, there is nothing to end or to erase")
  func absent() throws {
    var rig = UserRig()
    for command: SupportUserCommand in [.end(["a"]), .providerEnded(device: 1, since: nil), .erase] {
      #expect(try rig.when(command) == Turn())
    }
    #expect(throws: SupportUserRejection.unknown) { try rig.when(.register("a")) }
  }

  @Test("a restatement is the whole user, whatever comes before and after", arguments: [false, true])
  func restated(isErased: Bool) throws {
    var rig = try full()
    if isErased { try rig.when(.erase) }
    let before = rig.state
    #expect(try rig.when(.restate, at: 6) == Turn([.erased(state: before.stateBytes)], [.changed]))
    #expect(rig.state == before)
    if !isErased { try rig.when(.register("b"), at: 7) }
    #expect(try rig.replayedFromRestatement() == rig.state)
    #expect(try rig.replayed() == rig.state)
  }
}
