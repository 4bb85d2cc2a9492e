import EventSourcing
import PushDomain
import Testing

@Suite("A mailbox whose receiver is not connected")
struct MailboxStoreTests {
  @Test("messages without a key are all stored, and stay until they are acknowledged")
  func nonCollapsible() throws {
    var rig = MailboxRig()
    for number in 1...3 { #expect(try rig.store(rig.mail("m\(number)")).waiting == ["m\(number)"]) }
    #expect(rig.pending == ["m1", "m2", "m3"])
    try rig.restart()
    #expect(try rig.send(.acknowledge(["m2", "never"])).endings == [.acknowledged: ["m2"]])
    #expect(rig.pending == ["m1", "m3"])
    #expect(try rig.send(.acknowledge(["m2"])).isEmpty)
  }

  @Test("a newer message with the same key takes the older one's place, under an id of its own")
  func collapse() throws {
    var rig = MailboxRig()
    try rig.store(rig.mail("m1", key: "score"))
    try rig.store(rig.mail("m2"))
    #expect(try rig.store(rig.mail("m3", key: "score")).endings == [.collapsed: ["m1"]])
    #expect(rig.pending == ["m2", "m3"])
  }

  @Test("keys of another registration, and of another sender, are others")
  func scopes() throws {
    var rig = MailboxRig()
    try rig.store(rig.mail("m1", key: "score"))
    try rig.store(rig.mail("m2", scope: "77/2", key: "score"))
    try rig.store(rig.mail("m3", key: "score", sender: "456"))
    #expect(rig.pending == ["m1", "m2", "m3"])
  }

  @Test("a fifth key takes the place of the oldest of four")
  func fifthKey() throws {
    var rig = MailboxRig()
    for key in ["a", "b", "c", "d"] { try rig.store(rig.mail(key, key: key)) }
    try rig.store(rig.mail("b2", key: "b"))
    #expect(try rig.store(rig.mail("e", key: "e")).endings == [.evicted: ["a"]])
    #expect(rig.pending == ["c", "d", "b2", "e"])
    // Another sender has four of its own.
    #expect(try rig.store(rig.mail("f", key: "f", sender: "456")).endings.isEmpty)
  }

  @Test("a hundred thousand messages under four keys leave four")
  func bounded() throws {
    var queue = PushQueue()
    let rig = MailboxRig()
    for number in 0..<100_000 {
      let mail = rig.mail("m\(number)", key: "key \(number % 4)", bytes: 100)
      for event in queue.decide(.store(mail, receiver: .absent), now: rig.now) { queue.evolve(event, at: rig.now) }
    }
    #expect(queue.mail.pending.map(\.id) == ["m99996", "m99997", "m99998", "m99999"])
    // Of the others it remembers the last thousand ids.
    #expect(queue.stateBytes.count < 2_000 + 24 * RecentIDs.countMaximum)
  }

  @Test("a hundred are stored; the next one drops them all, and leaves one notice with their number")
  func hundred() throws {
    var rig = MailboxRig()
    try rig.store(rig.mail("keyed", key: "score"))
    try rig.store(rig.mail("other", scope: "77/2"))
    for number in 1...100 { #expect(try rig.store(rig.mail("m\(number)")).endings.isEmpty) }
    #expect(rig.pending.count == 102)
    let effects = try rig.store(rig.mail("m101"))
    guard case .mail(.noticed(let last, let count, isOpen: false))? = effects.last else {
      return #expect(Bool(false), "\(effects)")
    }
    #expect(last.id == "m101" && count == 102 && effects.waiting.isEmpty)
    #expect(effects.endings == [.dropped: ["keyed"] + (1...100).map { "m\($0)" }])
    #expect(rig.pending == ["m101", "other"])
    let notice = try #require(rig.queue.mail.pending.first)
    #expect(notice.pairs == [MailPair("message_type", "deleted_messages"), MailPair("total_deleted", "102")])
    #expect(notice.category == "org.example" && notice.origin == "123" && notice.timeToLive == 2_419_200)
    try rig.restart()
  }

  @Test("what comes after the drop only raises the notice's number, until the receiver connects")
  func afterDrop() throws {
    var rig = MailboxRig()
    for number in 1...101 { try rig.store(rig.mail("m\(number)")) }
    for number in 102...104 { #expect(try rig.store(rig.mail("m\(number)")).waiting.isEmpty) }
    #expect(rig.queue.mail.pending.map { $0.pairs.last?.value } == ["104"])
    rig.receiver = .active
    #expect(try rig.store(rig.mail("m105")).waiting == ["m105"])
    // The notice that the receiver has not been given yet is another one.
    #expect(try rig.send(.acknowledge(["m101"])).isEmpty)
    #expect(try rig.send(.acknowledge(["m104"])).endings == [.acknowledged: ["m104"]])
    #expect(rig.pending == ["m105"])
    rig.receiver = .absent
    #expect(try rig.store(rig.mail("m106")).waiting == ["m106"])
  }

  @Test("the notice ends with its four weeks")
  func noticeExpires() throws {
    var rig = MailboxRig()
    for number in 1...101 { try rig.store(rig.mail("m\(number)", seconds: 60)) }
    rig.pass(.seconds(2_419_199))
    #expect(try rig.send(.expiryDue()).isEmpty)
    rig.pass(.seconds(1))
    #expect(try rig.send(.expiryDue()).endings == [.expired: ["m101"]])
    #expect(rig.queue.mail.isEmpty)
  }

  @Test("a message ends when its time is over, counted from its acceptance")
  func timeToLive() throws {
    var rig = MailboxRig()
    try rig.store(rig.mail("short", seconds: 3))
    try rig.store(rig.mail("long"))
    #expect(rig.queue.outstandingEffects == [.startTimer(.expiry, at: rig.now.advanced(by: .seconds(3)))])
    rig.pass(.seconds(3))
    #expect(try rig.send(.expiryDue()).endings == [.expired: ["short"]])
    rig.pass(.seconds(2_419_197))
    #expect(try rig.send(.expiryDue()).endings == [.expired: ["long"]])
  }

  @Test("what is over goes also without the timer, when the next one comes")
  func expiredMakesRoom() throws {
    var rig = MailboxRig()
    for number in 1...100 { try rig.store(rig.mail("m\(number)", seconds: 3)) }
    rig.pass(.seconds(4))
    let effects = try rig.store(rig.mail("m101"))
    #expect(effects.endings[.expired]?.count == 100 && effects.waiting == ["m101"])
  }

  @Test("the same message again, by id and registration, is none")
  func twice() throws {
    var rig = MailboxRig()
    try rig.store(rig.mail("m1"))
    #expect(try rig.store(rig.mail("m1")).isEmpty)
  }

  @Test("two registrations may use one id: the second is given another")
  func sameID() throws {
    var rig = MailboxRig()
    try rig.store(rig.mail("1"))
    try rig.store(rig.mail("1", scope: "88/1"))
    #expect(rig.pending == ["1", "1%88/1"])
    #expect(try rig.store(rig.mail("1", scope: "88/1")).isEmpty)
    #expect(rig.queue.mail.hasTaken(rig.mail("1", scope: "88/1"), now: rig.now))
  }

  @Test("the end of a registration ends what waits for it, its notice too")
  func unregistered() throws {
    var rig = MailboxRig()
    for number in 1...101 { try rig.store(rig.mail("m\(number)")) }
    try rig.store(rig.mail("other", scope: "77/2"))
    try rig.store(rig.mail("gone", scope: "77/3"))
    #expect(try rig.send(.endScope("77/3")).endings == [.unregistered: ["gone"]])
    #expect(try rig.send(.endScope("77/1")).endings == [.unregistered: ["m101"]])
    #expect(rig.pending == ["other"])
  }

  @Test("there is a bound of bytes: beyond it the heaviest flow is dropped as if it had too many")
  func bytes() throws {
    var rig = MailboxRig()
    rig.limits.contentBytesMaximum = 10_000
    for number in 1...9 { try rig.store(rig.mail("m\(number)", bytes: 1_000)) }
    #expect(rig.pending.count == 9)
    try rig.store(rig.mail("m10", bytes: 1_000))
    #expect(rig.queue.mail.pending.map { $0.pairs.last?.value } == ["10"])
  }

  @Test("the flood of one sender costs another one of the same app nothing")
  func oneSendersFlood() throws {
    var rig = MailboxRig()
    for number in 1...3 { try rig.store(rig.mail("b\(number)", sender: "456")) }
    for number in 1...150 { try rig.store(rig.mail("a\(number)")) }
    #expect(rig.pending == ["a150", "b1", "b2", "b3"])
    #expect(rig.queue.mail.pending.first?.pairs.last == MailPair("total_deleted", "150"))
    // What comes of the other one is stored, notice or not.
    #expect(try rig.store(rig.mail("b4", sender: "456")).waiting == ["b4"])
    try rig.restart()
  }

  @Test("the flood of one app by weight costs another one nothing: the heaviest pays")
  func heaviestPays() throws {
    var rig = MailboxRig()
    rig.limits.contentBytesMaximum = 20_000
    for number in 1...15 { try rig.store(rig.mail("a\(number)", bytes: 1_000)) }
    try rig.store(rig.mail("b1", scope: "77/2", bytes: 1_000))
    let effects = try rig.store(rig.mail("b2", scope: "77/2", bytes: 4_000))
    #expect(effects.waiting == ["b2"] && effects.endings[.dropped] == (1...15).map { "a\($0)" })
    #expect(rig.pending == ["a15%deleted", "b1", "b2"])
    #expect(rig.queue.mail.pending.first?.pairs.last == MailPair("total_deleted", "15"))
    try rig.restart()
  }

  @Test("floods of many senders leave few notices for an app, and no message uncounted")
  func fewNotices() throws {
    var rig = MailboxRig()
    for sender in 1...9 {
      for number in 1...101 { try rig.store(rig.mail("\(sender)/\(number)", sender: "s\(sender)")) }
    }
    #expect(rig.queue.mail.messages.isEmpty)
    #expect(rig.queue.mail.notices.count == rig.limits.noticesOfScopeMaximum)
    #expect(rig.told == 9 * 101)
    try rig.restart()
  }

  @Test("collapse keys are compared byte for byte")
  func exactKeys() throws {
    var rig = MailboxRig()
    try rig.store(rig.mail("m1", key: "\u{E9}"))
    try rig.store(rig.mail("m2", key: "e\u{301}"))
    #expect(rig.pending == ["m1", "m2"])
  }

  @Test("an app server's mailbox refuses what it has no room for, and keeps what it has")
  func refuses() throws {
    var rig = MailboxRig()
    rig.limits = .upstream
    rig.limits.messagesOfFlowMaximum = 2
    for number in 1...3 { try rig.store(rig.mail("m\(number)")) }
    #expect(rig.pending == ["m1", "m2"])
    #expect(!rig.queue.mail.hasTaken(rig.mail("m3"), now: rig.now))
  }
}

@Suite("A mailbox whose receiver is connected")
struct MailboxConnectedTests {
  @Test("a client that never acknowledges is served on: what it was sent long ago makes room, one by one")
  func neverAcknowledges() throws {
    var rig = MailboxRig()
    rig.receiver = .active
    for number in 1...100 { try rig.store(rig.mail("m\(number)")) }
    let effects = try rig.store(rig.mail("m101"))
    #expect(effects.endings == [.unconfirmed: ["m1"]] && effects.waiting == ["m101"])
    #expect(rig.queue.mail.messages.count == 100)
  }

  @Test("a client that never acknowledges is told how many it was not waited for, at its next connection")
  func unconfirmedAreCounted() throws {
    var rig = MailboxRig()
    rig.receiver = .active
    for number in 1...150 { try rig.store(rig.mail("m\(number)")) }
    #expect(rig.queue.mail.messages.map(\.id) == (51...150).map { "m\($0)" })
    #expect(rig.pending.first == "m50%deleted" && rig.told == 50)
    try rig.restart()
    // What an earlier connection had is no word over this one: the client goes on being let go of.
    try rig.send(.acknowledge(["m51"]))
    #expect(!rig.queue.mail.confirms)
    // Nothing was dropped, so what comes while it is away is stored, and not only counted.
    try rig.send(.acknowledge((52...150).map { "m\($0)" }))
    rig.receiver = .absent
    #expect(try rig.store(rig.mail("m151")).waiting == ["m151"])
    #expect(try rig.send(.acknowledge(["m50%deleted"])).endings == [.acknowledged: ["m50%deleted"]])
  }

  @Test("a receiver that has acknowledged and then stalls loses nothing: all of it comes with its next connection")
  func stalls() throws {
    var rig = MailboxRig()
    rig.receiver = .active
    try rig.store(rig.mail("m0"))
    #expect(try rig.send(.confirm(["m0"])).endings == [.acknowledged: ["m0"]])
    #expect(rig.queue.mail.confirms)
    for number in 1...150 { #expect(try rig.store(rig.mail("m\(number)")).endings.isEmpty) }
    rig.receiver = .absent
    try rig.restart()
    #expect(rig.pending == (1...150).map { "m\($0)" })
  }

  @Test("a receiver that has acknowledged and stalls for long is told of every message", arguments: [true, false])
  func stallsForLong(isHeavy: Bool) throws {
    var rig = MailboxRig()
    rig.receiver = .active
    try rig.store(rig.mail("m0"))
    try rig.send(.confirm(["m0"]))
    var ended: [MailEnding: Int] = [:]
    for number in 1...2_500 {
      let effects = try rig.store(rig.mail("m\(number)", bytes: isHeavy ? 2_000 : 0))
      for (ending, ids) in effects.endings { ended[ending, default: 0] += ids.count }
      #expect(rig.queue.mail.contentBytes <= rig.limits.contentBytesMaximum)
    }
    #expect(ended.keys.allSatisfy { $0 == .dropped })
    #expect(rig.queue.mail.messages.count + rig.told == 2_500)
    try rig.restart()
  }

  @Test("of a receiver that never acknowledges the flood of one app is let go of, and nothing of another's")
  func floodWhileConnected() throws {
    var rig = MailboxRig()
    rig.receiver = .active
    rig.limits.contentBytesMaximum = 30_000
    try rig.store(rig.mail("b1", scope: "77/2", bytes: 1_000))
    for number in 1...60 { #expect(try rig.store(rig.mail("a\(number)", bytes: 1_000)).waiting == ["a\(number)"]) }
    #expect(rig.pending.contains("b1") && rig.pending.contains("a60"))
    #expect(rig.queue.mail.messages.count + rig.told == 61)
  }

  @Test("a collapsible message that is on its way gives way in the store: a new connection gets the newest only")
  func collapseUnacknowledged() throws {
    var rig = MailboxRig()
    rig.receiver = .active
    #expect(try rig.store(rig.mail("m1", key: "score")).waiting == ["m1"])
    #expect(try rig.store(rig.mail("m2", key: "score")).waiting == ["m2"])
    #expect(rig.pending == ["m2"])
    #expect(try rig.send(.acknowledge(["m1"])).isEmpty)
  }

  @Test(
    "an idle device takes what is urgent, and what is now or never; the rest waits",
    arguments: [
      (PushPriority.normal, false, 60, false), (.high, false, 60, true), (.high, true, 60, false),
      (.normal, false, 0, true), (.normal, true, 0, true),
    ])
  func idle(priority: PushPriority, waits: Bool, seconds: Int, isTaken: Bool) {
    let mail = MailboxRig().mail("m", priority: priority, waits: waits, seconds: seconds)
    #expect(MailReceiver.idle.takes(mail) == isTaken)
    #expect(MailReceiver.active.takes(mail))
    #expect(!MailReceiver.absent.takes(mail))
  }
}

@Suite("Mail in the journal")
struct MailCodecTests {
  static let full = Mail(
    id: "0:1%ä", scope: "1/2", origin: "/topics/x", category: "org.example", collapseKey: "k", sender: "123",
    priority: .high, waitsWhileIdle: true, acceptedAt: Timestamp(milliseconds: 7), timeToLive: 60,
    pairs: [MailPair("a", "б"), MailPair("", "")], rawData: [0, 255], receiptFor: "m")
  static let events: [PushEvent] = [
    .mailStored(full), .mailStored(MailboxRig().mail("m")), .mailEnded([], .collapsed), .mailDropped(full, count: 102),
    .mailNoticed(full, count: 3, isOpen: true), .mailNoticed(full, count: 3, isOpen: false), .receiverConfirms,
  ]

  @Test("every event comes back as it went in", arguments: events)
  func roundTrip(event: PushEvent) throws {
    #expect(try StoredEvent(event).decoded(as: PushEvent.self) == event)
  }

  @Test("the tags are frozen")
  func tags() { #expect(Self.events.map(\.tag) == [14, 14, 15, 16, 24, 24, 25]) }

  @Test("the endings are frozen")
  func endings() { #expect(MailEnding.allCases.map(\.rawValue) == [1, 2, 3, 4, 5, 6, 7]) }

  @Test("a message that was written by the first version is read for ever")
  func frozen() throws {
    let event = PushEvent.mailStored(
      Mail(
        id: "i", scope: "s", origin: "o", category: "c", sender: "o", acceptedAt: Timestamp(milliseconds: 1),
        timeToLive: 2, pairs: [MailPair("k", "v")]))
    let bytes: [UInt8] = [
      0x0A, 1, 0x69, 0x12, 1, 0x73, 0x1A, 1, 0x6F, 0x22, 1, 0x63, 0x38, 1, 0x48, 2, 0x50, 4, 0x5A, 6, 0x0A, 1, 0x6B,
      0x12,
      1, 0x76,
    ]
    #expect(StoredEvent(event).payload == bytes)
  }

  @Test(
    "a drop as the first version recorded it means what it meant: all of the registration, one notice, its first id")
  func firstVersionsDrop() throws {
    var queue = PushQueue()
    let rig = MailboxRig()
    func happens(_ event: PushEvent) { queue.evolve(event, at: rig.now) }
    happens(.mailStored(rig.mail("m1")))
    happens(.mailStored(rig.mail("o1", sender: "456")))
    happens(.mailDropped(rig.mail("m2"), count: 3))
    happens(.mailDropped(rig.mail("o2", sender: "456"), count: 1))
    #expect(queue.mail.pending.map(\.id) == ["m2"])
    #expect(queue.mail.pending.first?.pairs.last == MailPair("total_deleted", "4"))
    // Its end names no sender but the notice's own.
    for event in queue.decide(.acknowledge(["m2"]), now: rig.now) { happens(event) }
    #expect(queue.mail.isEmpty)
  }

  @Test("a payload that was cut fails and never traps", arguments: events)
  func cut(event: PushEvent) {
    var stored = StoredEvent(event)
    let whole = stored.payload
    for length in 0..<whole.count {
      stored.payload = Array(whole.prefix(length))
      _ = try? stored.decoded(as: PushEvent.self)
    }
  }

  @Test("a time to live beyond reason is refused, as nothing could be counted from it")
  func hostileTimeToLive() {
    var writer = PayloadWriter()
    for field in 1...4 { writer.text(field, "x") }
    writer.unsigned(7, 1)
    writer.time(9, Timestamp(milliseconds: 0))
    writer.integer(10, Int.max)
    let stored = StoredEvent(tag: 14, payload: writer.bytes)
    #expect(throws: PayloadError.outOfRange(field: 10)) { try stored.decoded(as: PushEvent.self) }
  }

  @Test("the state keeps messages and notices, and erasing a registration takes them out")
  func state() throws {
    var rig = MailboxRig()
    for number in 1...101 { try rig.store(rig.mail("m\(number)")) }
    try rig.store(rig.mail("o", scope: "88/1"))
    try rig.restart()
    try rig.send(.erase(producers: ["77/1"]))
    #expect(rig.pending == ["o"])
    try rig.restart()
  }
}
