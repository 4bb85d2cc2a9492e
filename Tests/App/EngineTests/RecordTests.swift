import ChatDomain
import Engine
import EventSourcing
import Testing

@testable import EngineRigs

@Suite("The records of Comet sessions and agents")
struct RecordTests {
  /// Stored bytes never change their meaning: a change here is a new tag instead.
  @Test(
    "are stored in frozen bytes, and read back",
    arguments: [
      (
        .opened(userKey: "u", serviceID: "s", acknowledges: true, browserID: "b"), 1,
        [10, 1, 0x75, 18, 1, 0x73, 24, 1, 34, 1, 0x62]
      ),
      (.opened(userKey: nil, serviceID: nil, acknowledges: false, browserID: nil), 1, []),
      (.subscribed(channels: ["/a", "/b"]), 2, [10, 2, 0x2F, 0x61, 10, 2, 0x2F, 0x62]),
      (.unsubscribed(channels: ["/a"]), 3, [10, 2, 0x2F, 0x61]),
      (.delivered(source: "s", position: 300), 4, [10, 1, 0x73, 16, 0xD8, 4]),
      (.delivered(source: "s", position: 300, confirmed: 2), 4, [10, 1, 0x73, 16, 0xD8, 4, 24, 4]),
      (.closed(reason: "x"), 5, [10, 1, 0x78]),
      (.missed(source: "s", after: 300), 6, [10, 1, 0x73, 16, 0xD8, 4]),
    ] as [(CometRecord.Event, EventTag, [UInt8])])
  func comet(event: CometRecord.Event, tag: EventTag, bytes: [UInt8]) throws {
    let stored = StoredEvent(event)
    #expect(stored == StoredEvent(tag: tag, payload: bytes))
    #expect(try stored.decoded(as: CometRecord.Event.self) == event)
  }

  @Test("a field that this version does not know is skipped; one that is missing is named")
  func unknownFields() throws {
    let known = StoredEvent(tag: 4, payload: [10, 1, 0x73, 58, 2, 1, 2, 64, 1, 16, 2])
    #expect(try known.decoded(as: CometRecord.Event.self) == .delivered(source: "s", position: 1))
    #expect(throws: PayloadError.missingField(2)) {
      try StoredEvent(tag: 4, payload: [10, 1, 0x73]).decoded(as: CometRecord.Event.self)
    }
    #expect(throws: PayloadError.missingField(2)) {
      try StoredEvent(tag: 6, payload: [10, 1, 0x73]).decoded(as: CometRecord.Event.self)
    }
    #expect(throws: PayloadError.unknownTag(9)) {
      try StoredEvent(tag: 9, payload: []).decoded(as: CometRecord.Event.self)
    }
  }

  @Test("delivery progress never goes back, and a closed session takes nothing more")
  func progress() {
    var record = CometRecord()
    record.evolve(.opened(userKey: "u", serviceID: nil, acknowledges: false, browserID: nil), at: .epoch)
    record.evolve(.delivered(source: "s", position: 7), at: .epoch)
    record.evolve(.delivered(source: "s", position: 5), at: .epoch)
    #expect(record.delivered == ["s": 7])
    record.evolve(.closed(reason: "expired"), at: .epoch)
    #expect(record.isFinished)
    #expect(record.decide(.subscribed(channels: ["/a"]), now: .epoch).isEmpty)
  }

  @Test("a count of redactions that could not be counted up is refused", arguments: [Int.max, -1])
  func redactionCount(count: Int) {
    var state = PayloadWriter()
    state.integer(1, count)
    #expect(throws: PayloadError.outOfRange(field: 1)) { try RedactionLog(stateBytes: state.bytes) }
  }

  @Test("an agent's readiness is journalled when it changes", arguments: [true, false])
  func desk(isReady: Bool) throws {
    var desk = AgentDesk()
    #expect(desk.decide(.away, now: .epoch).isEmpty)
    desk.evolve(.readinessChanged(isReady), at: .epoch)
    #expect(desk.readiness == (isReady ? .ready(for: nil) : .away))
    #expect(try AgentDesk.readiness(note: AgentDesk.note(desk)) == desk.readiness)
    #expect(StoredEvent(AgentDesk.Event.readinessChanged(isReady)).payload == [8, isReady ? 1 : 0])
    #expect(desk.stateBytes == (isReady ? [8, 1] : []))
    #expect(try AgentDesk(stateBytes: desk.stateBytes) == desk)
    #expect(desk.rest == .asleep(until: nil))
  }

  @Test("the services that a ready agent has to do with are kept", arguments: [["a", "b"], ["a"], []])
  func deskServices(services: [String]) throws {
    var desk = AgentDesk()
    desk.evolve(.readinessChanged(true), at: .epoch)
    let changes = desk.decide(.ready(for: services), now: .epoch)
    #expect(changes == [.readinessChanged(true, services: services)])
    for change in changes {
      let stored = StoredEvent(change)
      #expect(try stored.decoded(as: AgentDesk.Event.self) == change)
      desk.evolve(change, at: .epoch)
    }
    #expect(desk.decide(.ready(for: services), now: .epoch).isEmpty)
    #expect(try AgentDesk(stateBytes: desk.stateBytes) == desk)
    #expect(try AgentDesk.readiness(note: AgentDesk.note(desk)) == .ready(for: services))
  }

  /// As the bytes of events: snapshots hold them.
  @Test("the bytes of a record's and of a desk's state are frozen")
  func frozenStates() {
    var record = CometRecord()
    record.evolve(.opened(userKey: "u", serviceID: "s", acknowledges: true, browserID: "b"), at: .epoch)
    record.evolve(.subscribed(channels: ["/c"]), at: .epoch)
    record.evolve(.delivered(source: "y", position: 1), at: .epoch)
    record.evolve(.delivered(source: "x", position: 3, confirmed: 2), at: .epoch)
    record.evolve(.closed(reason: "r"), at: .epoch)
    #expect(
      record.stateBytes == [
        8, 1, 16, 1, 26, 1, 0x75, 34, 1, 0x73, 42, 1, 0x62, 48, 1, 58, 2, 0x2F, 0x63,
        66, 7, 10, 1, 0x78, 16, 6, 24, 4, 66, 5, 10, 1, 0x79, 16, 2,
      ])
    for (services, bytes) in [(["a", "b"], [18, 1, 0x61, 18, 1, 0x62]), ([], [24, 1])] as [([String], [UInt8])] {
      let ready = AgentDesk.Event.readinessChanged(true, services: services)
      #expect(StoredEvent(ready).payload == [8, 1] + bytes)
      var desk = AgentDesk()
      desk.evolve(ready, at: .epoch)
      #expect(desk.stateBytes == [8, 1] + bytes)
    }
  }

  @Test("a record comes back from the bytes of its state, at each of its steps, and goes on alike")
  func state() throws {
    var record = CometRecord()
    var sleeper = record
    let steps: [CometRecord.Event] = [
      .opened(userKey: "u", serviceID: "s", acknowledges: true, browserID: "b"),
      .subscribed(channels: ["/b", "/a", "/c"]), .delivered(source: "t", position: 5, confirmed: 4),
      .delivered(source: "t", position: 9, confirmed: 5), .missed(source: "t", after: 5),
      .delivered(source: "t", position: 7), .missed(source: "t", after: 8), .delivered(source: "s", position: 300),
      .unsubscribed(channels: ["/c"]), .closed(reason: "expired"),
    ]
    for step in steps {
      #expect(sleeper.decide(step, now: .epoch) == record.decide(step, now: .epoch))
      record.evolve(step, at: .epoch)
      sleeper.evolve(step, at: .epoch)
      sleeper = try CometRecord(stateBytes: sleeper.stateBytes)
      #expect(sleeper == record && sleeper.stateBytes == record.stateBytes)
      #expect(record.rest == .wakeful)
    }
    #expect(
      record.stateBytes == [
        8, 1, 16, 1, 26, 1, 0x75, 34, 1, 0x73, 42, 1, 0x62, 48, 1, 58, 2, 0x2F, 0x62, 58, 2, 0x2F, 0x61, 66, 6, 10, 1,
        0x73, 16, 0xD8, 4, 66, 5, 10, 1, 0x74, 16, 14,
      ])
    #expect(CometRecord().stateBytes.isEmpty)
    #expect(throws: PayloadError.missingField(2)) { try CometRecord(stateBytes: [66, 3, 10, 1, 0x73]) }
    #expect(try CometRecord(stateBytes: record.stateBytes + [58 | 0x80, 7, 1, 1]) == record)
  }
}

@Suite("The agents' event stream", .timeLimit(.minutes(1)))
struct AgentStreamTests {
  @Test("tells of a new chat, its lines and its end; a stream that comes back gets what it missed")
  func stream() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory())
    var live = rig.engine.agents.events(after: nil, for: .overseer).makeAsyncIterator()
    let service = try await rig.startChat(user: "u1")
    let chat = try await rig.chatID(service)
    _ = try await rig.engine.agents.join(chat, agentID: "k", nickname: "K", role: .agent)
    _ = try await rig.engine.agents.close(chat, agentID: "k")
    var seen: [AgentEvent] = []
    while let event = await live.next() {
      seen.append(event)
      if event.kind == .chat(.ended) { break }
    }
    #expect(seen.contains { $0.kind == .chat(.waiting) })
    let texts = seen.compactMap { event -> String? in
      if case .chat(.line(let line)) = event.kind { return line.content.text }
      return nil
    }
    #expect(texts == ["has joined the session", "has joined the session", "has left the session"])
    #expect(seen.map(\.number) == (0..<UInt64(seen.count)).map { seen[0].number + $0 })
    #expect(seen.allSatisfy { $0.chatID == chat && $0.serviceID == service })

    var again = rig.engine.agents.events(after: seen[1].number, for: .overseer).makeAsyncIterator()
    for event in seen.dropFirst(2) { #expect(await again.next() == event) }
    await rig.stop()
    #expect(await again.next() == nil)
  }

  @Test("a number from before the restart is answered with a reset")
  func reset() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory())
    var stream = rig.engine.agents.events(after: 3, for: .overseer).makeAsyncIterator()
    #expect(await stream.next()?.kind == .reset)
    await rig.stop()
  }
}
