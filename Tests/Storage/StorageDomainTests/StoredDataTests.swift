import EventSourcing
import StorageDomain
import Testing

@Suite("Stored data")
struct StoredDataTests {
  static let now = Timestamp(milliseconds: 1_770_000_000_000)
  static let end = now.advanced(by: .seconds(30))
  static let photo = StoredFile(
    digest: Array(repeating: 7, count: 32), byteCount: 1_000, contentType: "image/png", name: "ü.png")
  static let letter = StoredFile(
    digest: Array(repeating: 8, count: 32), byteCount: 5_000, contentType: "text/plain", name: nil, isText: true)

  static func store(
    _ pairs: [StoredPair], until: Timestamp = end, mayBeNew: Bool = true, name: StorageName? = nil,
    limits: StorageLimits = StorageLimits()
  ) -> StorageCommand {
    .store(StorageChange(pairs, until: until, mayBeNew: mayBeNew, name: name), limits: limits)
  }

  @Test("keys are compared byte for byte: what only looks the same replaces and removes nothing")
  func exactKeys() throws {
    var rig = Rig()
    try rig.send(Self.store([StoredPair("\u{E9}", .text("1")), StoredPair("k", .text("2"))]))
    try rig.send(Self.store([StoredPair("e\u{301}", .text("3"))]))
    #expect(rig.data.pairs.count == 3)
    #expect(rig.data["\u{E9}"] == .text("1") && rig.data["e\u{301}"] == .text("3"))
  }

  /// Sends commands, and sees to it that the journal and a snapshot would give the same state.
  struct Rig {
    var data = StoredData()
    var journal: [StoredEvent] = []

    @discardableResult
    mutating func send(
      _ command: StorageCommand, at now: Timestamp = StoredDataTests.now
    ) throws -> [StorageEffect] {
      var effects: [StorageEffect] = []
      for event in try data.decide(command, now: now) {
        #expect(try StoredEvent(event).decoded(as: StorageEvent.self) == event)
        journal.append(StoredEvent(event))
        data.evolve(event, at: StoredDataTests.now)
        effects += data.react(to: event)
      }
      var replayed = StoredData()
      for event in journal { replayed.evolve(try event.decoded(as: StorageEvent.self), at: StoredDataTests.now) }
      #expect(replayed == data)
      #expect(try StoredData(stateBytes: data.stateBytes) == data)
      return effects
    }
  }

  @Test("keeps texts and files in the order of their coming, and says which files it needs")
  func storing() throws {
    var rig = Rig()
    let custom = StorageName.custom(id: "cart", user: "anna")
    #expect(
      try rig.send(Self.store([.init("a", .text("1")), .init("photo", .file(Self.photo))], name: custom))
        == [.holds([Self.photo]), .setAlarm(Self.end)])
    let later = Self.end.advanced(by: .seconds(10))
    #expect(
      try rig.send(Self.store([.init("b", .file(Self.letter)), .init("a", .text("2"))], until: later, mayBeNew: false))
        == [.holds([Self.photo, Self.letter]), .setAlarm(later)])
    #expect(rig.data.pairs.map(\.name) == ["a", "photo", "b"] && rig.data["a"] == .text("2"))
    #expect(rig.data.name == custom && rig.data.expiresAt == later && rig.data.rest == .asleep(until: later))
    #expect(rig.data.outstandingEffects == [.setAlarm(later)])
  }

  @Test("a file that is replaced, removed or hidden is needed no more")
  func files() throws {
    var rig = Rig()
    try rig.send(Self.store([.init("a", .file(Self.photo)), .init("b", .file(Self.letter))]))
    #expect(try rig.send(Self.store([.init("a", .text("x"))])) == [.holds([Self.letter]), .setAlarm(Self.end)])
    #expect(try rig.send(.remove("b")) == [.holds([])])
    #expect(throws: StorageRejection.unknownKey) { try rig.send(.remove("b")) }
    try rig.send(Self.store([.init("a", .file(Self.photo))]))
    #expect(try rig.send(Self.store([.init("a", .hidden)])) == [.holds([]), .setAlarm(Self.end)])
  }

  @Test("nothing is added to what is not there, or to what is over")
  func unknown() throws {
    var rig = Rig()
    #expect(throws: StorageRejection.unknown) { try rig.send(Self.store([], mayBeNew: false)) }
    try rig.send(Self.store([.init("a", .text("1"))]))
    for command in [Self.store([]), .remove("a"), .end(reason: "x")] {
      #expect(throws: StorageRejection.unknown) { try rig.send(command, at: Self.end) }
    }
  }

  @Test("ends at its time and not before; a renewal moves that")
  func expiry() throws {
    var rig = Rig()
    try rig.send(Self.store([.init("a", .file(Self.photo))]))
    #expect(try rig.send(.expire) == [])
    let later = Self.end.advanced(by: .seconds(5))
    #expect(try rig.send(.renew(until: later)) == [.setAlarm(later)])
    #expect(try rig.send(.renew(until: later)) == [])
    #expect(try rig.send(.expire, at: Self.end) == [])
    #expect(try rig.send(.expire, at: later) == [.holds([]), .forget])
    #expect(rig.data.isFinished && rig.data.outstandingEffects.isEmpty)
  }

  @Test(
    "is over once it has ended or was erased, whatever comes then",
    arguments: [StorageCommand.end(reason: "deleted"), .erase])
  func over(ending: StorageCommand) throws {
    var rig = Rig()
    try rig.send(Self.store([.init("key", .text("secret"))], name: .instance("412-x")))
    #expect(try rig.send(ending) == [.holds([]), .forget])
    #expect(throws: StorageRejection.unknown) { try rig.send(Self.store([.init("a", .text("1"))])) }
    #expect(throws: StorageRejection.unknown) { try rig.send(.remove("key")) }
    for command in [StorageCommand.renew(until: Self.end), .expire, .erase] { #expect(try rig.send(command) == []) }
    let bytes = String(decoding: rig.data.stateBytes, as: UTF8.self)
    for word in ["key", "secret", "412"] { #expect(!bytes.contains(word)) }
  }

  @Test("its keys and its bytes have bounds, also over several changes")
  func bounds() throws {
    var limits = StorageLimits()
    limits.keysMaximum = 3
    limits.recordBytesMaximum = 1_010
    var rig = Rig()
    try rig.send(Self.store([.init("a", .text("1")), .init("b", .file(Self.photo))], limits: limits))
    #expect(throws: StorageRejection.tooLarge(limit: 1_010)) {
      try rig.send(Self.store([.init("c", .text("1234567"))], limits: limits))
    }
    try rig.send(Self.store([.init("c", .text("12"))], limits: limits))
    #expect(throws: StorageRejection.tooManyKeys(limit: 3)) {
      try rig.send(Self.store([.init("d", .text(""))], limits: limits))
    }
  }
}

@Suite("Storage events and state in the journal")
struct StorageCodecTests {
  static let pairs: [StoredPair] = [
    .init("a", .text("")), .init("ü", .text("x")), .init("f", .file(StoredDataTests.photo)),
    .init("t", .file(StoredDataTests.letter)), .init("h", .hidden),
  ]
  static let events: [StorageEvent] = [
    .stored(pairs, name: .custom(id: "cart", user: "anna"), until: StoredDataTests.end),
    .stored([], name: nil, until: StoredDataTests.end),
    .stored([], name: .instance("412-x"), until: StoredDataTests.end),
    .stored([], name: .file(id: "f-1", chat: "412-x"), until: StoredDataTests.end), .removed("ü"),
    .renewed(until: StoredDataTests.end), .ended(reason: "expired"), .erased,
  ]

  @Test("every event comes back as it went in, also with fields of a later version", arguments: events)
  func roundTrip(event: StorageEvent) throws {
    var stored = StoredEvent(event)
    #expect(try stored.decoded(as: StorageEvent.self) == event)
    var later = PayloadWriter()
    later.text(40, "new")
    later.integer(41, 7)
    stored.payload += later.bytes
    #expect(try stored.decoded(as: StorageEvent.self) == event)
  }

  @Test("a payload that was cut fails or says something else, and never traps", arguments: events)
  func cut(event: StorageEvent) {
    let stored = StoredEvent(event)
    for length in 0..<stored.payload.count {
      let part = StoredEvent(tag: stored.tag, payload: Array(stored.payload.prefix(length)))
      #expect((try? part.decoded(as: StorageEvent.self)) != event)
    }
  }

  @Test(
    "a file's hash has 32 bytes and its size is no nonsense", arguments: [(31, 5), (33, 5), (32, -1), (32, Int.max)])
  func hostile(digestBytes: Int, size: Int) throws {
    var writer = PayloadWriter()
    writer.nested(1) { pair in
      pair.text(1, "f")
      pair.nested(3) { file in
        file.data(1, Array(repeating: 7, count: digestBytes))
        file.integer(2, size)
        file.text(3, "image/png")
      }
    }
    writer.time(3, StoredDataTests.end)
    #expect((try? StoredEvent(tag: 1, payload: writer.bytes).decoded(as: StorageEvent.self)) == nil)
  }

  @Test("tags are frozen, and one that was erased states itself whole")
  func tags() {
    #expect(Self.events.map(\.tag) == [1, 1, 1, 1, 2, 3, 4, 5])
    #expect(StorageEvent.isRestatement(5) && !StorageEvent.isRestatement(1))
    #expect((try? StoredEvent(tag: 6, payload: []).decoded(as: StorageEvent.self)) == nil)
  }

  static let file = StoredFile(
    digest: Array(repeating: 7, count: 32), byteCount: 5, contentType: "t", name: "n", isText: true)
  /// With something in every field, and what they have written. Never change a line: journals hold these bytes.
  static let frozen: [(StorageEvent, String)] = [
    (
      .stored(
        [.init("a", .text("")), .init("f", .file(file)), .init("h", .hidden)], name: .custom(id: "c", user: "u"),
        until: Timestamp(milliseconds: 5)),
      "0a050a01611200" + "0a310a01661a2c0a20\(String(repeating: "07", count: 32))100a1a017422016e2801" + "0a030a0168"
        + "12060a0163120175" + "180a"
    ),
    (.stored([], name: .instance("i"), until: Timestamp(milliseconds: 5)), "12030a0169180a"),
    (
      .stored([], name: .file(id: "f", chat: "c"), until: Timestamp(milliseconds: 5)),
      "1207" + "0a0166" + "e2030163" + "180a"
    ),
    (.removed("x"), "0a0178"), (.renewed(until: Timestamp(milliseconds: 5)), "080a"), (.ended(reason: "x"), "0a0178"),
    (.erased, ""),
  ]

  @Test("the stored bytes are frozen", arguments: frozen)
  func golden(event: StorageEvent, hex: String) throws {
    #expect(Self.hex(StoredEvent(event).payload) == hex)
    #expect(try StoredEvent(event).decoded(as: StorageEvent.self) == event)
  }

  @Test("so are those of the state")
  func state() {
    var data = StoredData()
    data.evolve(Self.frozen[0].0, at: Timestamp(milliseconds: 4))
    #expect(Self.hex(data.stateBytes) == Self.frozen[0].1.dropLast(4) + "1808200a")
    data.evolve(.ended(reason: "x"), at: Timestamp(milliseconds: 6))
    #expect(Self.hex(data.stateBytes) == "18082801")
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
