import StandbyWire
import Testing

@testable import StandbyEngine

@Suite("Who follows a primary")
struct StandbyRegistryTests {
  private static func name(_ number: Int) throws -> StandbyName { try #require(StandbyName("standby-\(number)")) }

  private static func acknowledgement(_ name: StandbyName, _ offset: Int, _ position: UInt64) -> StandbyAcknowledgement
  {
    StandbyAcknowledgement(name: name, place: StandbyPlace(segment: 1, offset: offset), position: position)
  }

  @Test("the same standby takes its own place, and its older stream ends")
  func again() throws {
    let (registry, news) = (StandbyRegistry(), StreamNews())
    let (first, second) = (StreamOutlet(news: news), StreamOutlet(news: news))
    let name = try Self.name(1)
    let older = try registry.enter(name, first, at: 0)
    #expect(first.take() == [])
    _ = try registry.enter(name, second, at: 5)
    #expect(first.take() == nil)
    // The end of the older one says nothing of the newer one.
    registry.leave(name, older, at: 6)
    #expect(registry.connectedCount == 1)
    #expect(second.take() == [])
  }

  @Test("there is a bound, and who has left makes room")
  func bound() throws {
    let (registry, news) = (StandbyRegistry(), StreamNews())
    var tickets: [UInt64] = []
    for number in 0..<StandbyLimits.standbyCountMaximum {
      tickets.append(try registry.enter(try Self.name(number), StreamOutlet(news: news), at: Int64(number)))
    }
    let another = try Self.name(99)
    #expect(throws: StandbyRefusal.tooMany) { try registry.enter(another, StreamOutlet(news: news), at: 100) }
    registry.leave(try Self.name(3), tickets[3], at: 101)
    _ = try registry.enter(another, StreamOutlet(news: news), at: 102)
    #expect(registry.connectedCount == StandbyLimits.standbyCountMaximum)
    #expect(!registry.standings(at: 103, durable: 0).map(\.name).contains(try Self.name(3)))
  }

  @Test("nobody acknowledges what was not sent over an open stream")
  func acknowledgements() throws {
    let registry = StandbyRegistry()
    let outlet = StreamOutlet(news: StreamNews())
    let name = try Self.name(1)
    #expect(throws: StandbyRefusal.notFollowing) { try registry.acknowledged(Self.acknowledgement(name, 0, 0)) }
    let ticket = try registry.enter(name, outlet, at: 0)
    #expect(throws: StandbyRefusal.notFollowing) { try registry.acknowledged(Self.acknowledgement(name, 0, 0)) }
    outlet.sent(StandbyPlace(segment: 1, offset: 5000), 7)
    try registry.acknowledged(Self.acknowledgement(name, 5000, 7))
    for (offset, position) in [(5001, 7), (5000, 8)] as [(Int, UInt64)] {
      #expect(throws: StandbyRefusal.notFollowing) {
        try registry.acknowledged(Self.acknowledgement(name, offset, position))
      }
    }
    // One that was overtaken takes nothing back.
    try registry.acknowledged(Self.acknowledgement(name, 4096, 0))
    #expect(registry.standings(at: 0, durable: 9).first?.acknowledged == 7)
    registry.leave(name, ticket, at: 1)
    #expect(throws: StandbyRefusal.notFollowing) { try registry.acknowledged(Self.acknowledgement(name, 5000, 7)) }
  }

  @Test("how far each is behind, in records and in time, also when it has left")
  func lag() throws {
    let registry = StandbyRegistry()
    let outlet = StreamOutlet(news: StreamNews())
    let name = try Self.name(1)
    // Before anybody follows, nothing is kept.
    registry.note(3, at: 50)
    let ticket = try registry.enter(name, outlet, at: 100)
    registry.note(10, at: 200)
    registry.note(20, at: 400)
    outlet.sent(StandbyPlace(segment: 1, offset: 9000), 20)
    let silent = try #require(registry.standings(at: 1_000, durable: 20).first)
    #expect(silent.recordsBehind == nil)
    #expect(silent.millisecondsBehind == 800)
    try registry.acknowledged(Self.acknowledgement(name, 8000, 10))
    let behind = try #require(registry.standings(at: 1_000, durable: 20).first)
    #expect(behind.recordsBehind == 10)
    #expect(behind.millisecondsBehind == 600)
    try registry.acknowledged(Self.acknowledgement(name, 9000, 20))
    registry.leave(name, ticket, at: 1_500)
    registry.note(21, at: 2_000)
    let left = try #require(registry.standings(at: 5_000, durable: 21).first)
    #expect(!left.isConnected)
    #expect(left.recordsBehind == 1)
    #expect(left.millisecondsBehind == 3_000)
  }

  @Test("what is announced comes in its order, and more than a bound becomes a word about all of it")
  func announcements() throws {
    let outlet = StreamOutlet(news: StreamNews())
    let registry = StandbyRegistry()
    _ = try registry.enter(try Self.name(1), outlet, at: 0)
    let files = (0...StreamOutlet.countMaximum).map { number in
      StandbyMessage.file(StandbyFile(.checkpoint(size: UInt64(number)), byteCount: 1, version: "v"))
    }
    for file in files.prefix(3) { registry.announce(file) }
    registry.announce(.changed)
    registry.announce(.changed)
    #expect(outlet.take() == files.prefix(3) + [.changed])
    for file in files { registry.announce(file) }
    #expect(outlet.take() == [.changed])
    #expect(outlet.take() == [])
  }

  @Test("a closed registry lets nobody in, and its streams go on until they are ended")
  func closed() throws {
    let (registry, news) = (StandbyRegistry(), StreamNews())
    let outlet = StreamOutlet(news: news)
    #expect(registry.isEmpty)
    _ = try registry.enter(try Self.name(1), outlet, at: 0)
    registry.close()
    #expect(!registry.isEmpty && outlet.take() == [])
    let another = try Self.name(2)
    #expect(throws: StandbyRefusal.notReady) { try registry.enter(another, StreamOutlet(news: news), at: 0) }
    registry.end()
    #expect(outlet.take() == nil)
  }

  @Test("only who has acknowledged something owes the rest, and only over its newest stream")
  func owing() throws {
    let registry = StandbyRegistry()
    let outlet = StreamOutlet(news: StreamNews())
    let name = try Self.name(1)
    let ticket = try registry.enter(name, outlet, at: 0)
    outlet.sent(StandbyPlace(segment: 1, offset: 9000), 20)
    #expect(!registry.owes(name, ticket, 20))
    try registry.acknowledged(Self.acknowledgement(name, 8000, 10))
    #expect(registry.owes(name, ticket, 20) && !registry.owes(name, ticket, 10))
    let next = try registry.enter(name, StreamOutlet(news: StreamNews()), at: 1)
    #expect(!registry.owes(name, ticket, 20) && registry.owes(name, next, 20))
  }
}
