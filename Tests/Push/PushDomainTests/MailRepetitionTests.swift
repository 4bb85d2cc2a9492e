import EventSourcing
import PushDomain
import Testing

@Suite("A mailbox, and a message that comes again")
struct MailRepetitionTests {
  var rig = MailboxRig()

  /// How the first one has left.
  struct Row: Sendable, CustomTestStringConvertible {
    let way: String
    /// What comes meanwhile, if the way begins with it.
    var follower: (id: String, key: String?)?
    var command: PushCommand?
    /// What the first one's time to live is, and what passes of it.
    var seconds = 3_600
    var passing = 0
    let isKnown: Bool

    var testDescription: String { way }
  }

  private static let rows = [
    Row(way: "acknowledged", command: .acknowledge(["m"]), isKnown: true),
    Row(way: "confirmed", command: .confirm(["m"]), isKnown: true),
    Row(way: "collapsed", follower: ("n", "k"), isKnown: true),
    Row(way: "its registration ended", command: .endScope("77/1"), isKnown: true),
    Row(way: "acknowledged, nearly ten minutes ago", command: .acknowledge(["m"]), passing: 599, isKnown: true),
    Row(way: "acknowledged, ten minutes ago", command: .acknowledge(["m"]), passing: 600, isKnown: false),
    // It is sent anew, and has its time before it again.
    Row(way: "expired", command: .expiryDue(), seconds: 0, isKnown: false),
    Row(way: "erased", command: .erase(producers: ["77/1"]), isKnown: false),
  ]

  @Test("is known by its id and registration, until ten minutes after the first has left", arguments: rows)
  mutating func left(row: Row) throws {
    try rig.store(rig.mail("m", key: "k", seconds: max(1, row.seconds)))
    if row.seconds == 0 { rig.pass(.seconds(1)) }
    if let follower = row.follower { try rig.store(rig.mail(follower.id, key: follower.key)) }
    if let command = row.command { try rig.send(command) }
    #expect(!rig.queue.mail.contains("m"))
    try rig.restart()
    rig.pass(.seconds(row.passing))
    let again = rig.mail("m", key: "k")
    #expect(rig.queue.mail.hasTaken(again, now: rig.now) == row.isKnown)
    let effects = try rig.store(again)
    #expect(effects.waiting == (row.isKnown ? [] : ["m"]))
    if row.isKnown { #expect(effects.isEmpty) }
    // Another registration's is another message.
    #expect(try rig.store(rig.mail("m", scope: "88/1")).waiting == [row.isKnown ? "m" : "m%88/1"])
  }

  @Test("is known also where the first had another id, beside one of another registration")
  mutating func besideTwin() throws {
    try rig.store(rig.mail("m", scope: "88/1"))
    #expect(try rig.store(rig.mail("m")).waiting == ["m%77/1"])
    try rig.send(.acknowledge(["m%77/1"]))
    #expect(try rig.store(rig.mail("m")).isEmpty)
    try rig.send(.acknowledge(["m"]))
    for scope in ["77/1", "88/1"] { #expect(try rig.store(rig.mail("m", scope: scope)).isEmpty) }
  }

  @Test("says something else under the id of one that has left: it is another message")
  mutating func otherContent() throws {
    try rig.store(rig.mail("1", bytes: 3))
    try rig.send(.acknowledge(["1"]))
    let other = rig.mail("1", bytes: 4)
    #expect(!rig.queue.mail.hasTaken(other, now: rig.now))
    #expect(try rig.store(other).waiting == ["1"])
    try rig.restart()
    #expect(try rig.store(other).isEmpty)
  }

  @Test("says something else under an id of ours: it is the same")
  mutating func ourName() throws {
    let (receipt, page) = (rig.mail("dr2:m", bytes: 3, receiptFor: "m"), rig.mail("0:1%p", rawData: [1]))
    for mail in [receipt, page] { try rig.store(mail) }
    try rig.send(.acknowledge(["dr2:m", "0:1%p"]))
    try rig.restart()
    #expect(try rig.store(rig.mail("dr2:m", bytes: 4, receiptFor: "m")).isEmpty)
    #expect(try rig.store(rig.mail("0:1%p", rawData: [2])).isEmpty)
  }

  @Test("is counted once in the notice that stands for it")
  mutating func counted() throws {
    for number in 1...101 { try rig.store(rig.mail("m\(number)")) }
    #expect(rig.told == 101)
    for number in [101, 1, 50] { #expect(try rig.store(rig.mail("m\(number)")).isEmpty) }
    try rig.store(rig.mail("m102"))
    #expect(try rig.store(rig.mail("m102")).isEmpty)
    #expect(rig.told == 102)
    try rig.restart()
  }

  @Test("what was refused for want of room is taken when there is some")
  mutating func refused() throws {
    rig.limits = .upstream
    rig.limits.messagesOfFlowMaximum = 1
    try rig.store(rig.mail("m1"))
    let second = rig.mail("m2")
    #expect(try rig.store(second).isEmpty)
    #expect(!rig.queue.mail.hasTaken(second, now: rig.now))
    try rig.send(.acknowledge(["m1"]))
    #expect(try rig.store(second).waiting == ["m2"])
    #expect(rig.queue.mail.hasTaken(second, now: rig.now))
  }

  @Test("the last thousand that have left are remembered")
  mutating func bounded() throws {
    for number in 0...RecentIDs.countMaximum {
      try rig.store(rig.mail("m\(number)"))
      try rig.send(.acknowledge(["m\(number)"]))
    }
    #expect(try rig.store(rig.mail("m1")).isEmpty)
    #expect(try rig.store(rig.mail("m0")).waiting == ["m0"])
  }

  @Test("a state of before remembers nothing, and its bytes are what they were")
  func oldState() throws {
    var state = PayloadWriter()
    state.integer(1, 0)
    state.nested(12) { $0.bool(3, true) }
    let queue = try PushQueue(stateBytes: state.bytes)
    #expect(queue.mail.confirms && queue.stateBytes == state.bytes)
    #expect(!queue.mail.hasTaken(rig.mail("m"), now: rig.now))
  }
}
