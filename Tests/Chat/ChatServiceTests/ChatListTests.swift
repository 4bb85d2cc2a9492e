import ChatDomain
import EntityRuntime
import EventSourcing
import PushDomain
import ScriptedClients
import Testing

@testable import Engine
@testable import EngineKit
@testable import EngineRigs

@Suite("Lists of chats", .timeLimit(.minutes(2)))
struct ChatListTests {
  private static let sections = ["service.sales": ["_type": "builtin"], "service.help": ["_type": "builtin"]]
  private static let anna = AgentViewer(id: "anna", services: ["sales"])

  private func start(_ rig: EngineRig, _ service: String = "sales", firstMessage: String? = nil) async throws -> String
  {
    let id = try await rig.engine.chats.create(service: service, data: [])
    _ = try await rig.engine.chats.start(
      id, ChatStartRequest(userKey: "u", nickname: "Guest", firstMessage: firstMessage))
    return try await rig.chatID(id)
  }

  private func page(_ rig: EngineRig, _ query: AgentListQuery, _ viewer: AgentViewer) async throws -> [String] {
    try await rig.engine.agents.list(query, for: viewer).elements.map(\.chatID)
  }

  @Test("in each order a list has all of them once, page by page; a cursor leads nowhere in another order")
  func orders() async throws {
    let time = ManualTime(start: DeviceRig.start)
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory(), sections: Self.sections, time: time)
    var chats: [String] = []
    for number in 0..<9 {
      chats.append(try await start(rig, number % 2 == 0 ? "sales" : "help"))
      time.advance(by: .seconds(1))
    }
    let agents = rig.engine.agents
    for (order, expected) in [
      (ChatOrder.oldest, chats), (.newest, chats.reversed()), (.waiting, chats),
    ] {
      var query = AgentListQuery(limit: 2)
      query.order = order
      var seen: [String] = []
      repeat {
        let page = try await agents.list(query, for: .overseer)
        seen += page.elements.map(\.chatID)
        query.after = page.next
        if let cursor = page.next {
          for other in ChatOrder.allCases where other != order {
            var astray = AgentListQuery(after: cursor)
            astray.order = other
            await #expect(throws: EngineError.self) { try await agents.list(astray, for: .overseer) }
          }
        }
      } while query.after != nil
      #expect(seen == expected, "\(order)")
    }
    await rig.stop()
  }

  @Test("who waits longest comes first, whoever has the chat; also after a restart, with a snapshot and without")
  func waits() async throws {
    let time = ManualTime(start: DeviceRig.start)
    let directory = try EngineRig.temporaryDirectory()
    var rig = try await EngineRig(directory: directory, sections: Self.sections, time: time)
    var chats: [String] = []
    for _ in 0..<5 {
      chats.append(try await start(rig))
      time.advance(by: .seconds(1))
    }
    let agents = rig.engine.agents
    for chat in chats[1...3] { _ = try await agents.join(chat, nickname: "Anna", role: .agent, for: Self.anna) }
    func customer(_ chat: String) async throws {
      time.advance(by: .seconds(1))
      let service = try #require(rig.engine.chats.index.service(ofSession: chat))
      _ = try await rig.engine.chats.send(service, text: "Hello?", by: .customer(userKey: "u"))
    }
    // 3 asks before 1, 2 is answered; 4 has waited before them, and 0 from the first.
    for chat in [chats[3], chats[2], chats[1]] { try await customer(chat) }
    _ = try await agents.send(chats[2], agentID: "anna", text: "Here")
    var query = AgentListQuery()
    query.order = .waiting
    var own = AgentListQuery(.own)
    own.order = .waiting
    for restart in 0...2 {
      if restart == 1 { _ = try await rig.engine.snapshotNow() }
      if restart > 0 {
        await rig.stop()
        rig = try await EngineRig(directory: directory, sections: Self.sections, time: time)
      }
      #expect(try await page(rig, query, .overseer) == [chats[0], chats[4], chats[3], chats[1]])
      #expect(try await page(rig, query, Self.anna) == [chats[0], chats[4], chats[3], chats[1]])
      #expect(try await page(rig, own, Self.anna) == [chats[3], chats[1]])
      #expect(try await page(rig, own, .overseer).isEmpty)
      let summary = try await rig.engine.agents.summary(chats[3], for: Self.anna)
      #expect(summary.unread == 1 && summary.waitingSince != nil && !summary.waiting)
    }
    // One that is left alone waits since then, and is again everybody's.
    time.advance(by: .seconds(1))
    _ = try await rig.engine.agents.leave(chats[2], agentID: "anna")
    #expect(try await page(rig, query, AgentViewer(id: "cleo")) == [chats[0], chats[4], chats[2]])
    _ = try await rig.engine.agents.close(chats[3], agentID: "anna")
    #expect(try await page(rig, query, Self.anna) == [chats[0], chats[4], chats[1], chats[2]])
    await rig.stop()
  }

  @Test("a phase finds the chats whose customers are there")
  func phases() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory())
    var chats: [String] = []
    for user in ["a", "b", "c"] { chats.append(try await rig.chatID(rig.startChat(user: user))) }
    let client = ScriptedClient(rig, user: "b")
    _ = try await client.comeOnline()
    _ = try await client.disconnect(position: 1)
    _ = try await rig.engine.agents.join(chats[0], agentID: "k", nickname: "K", role: .agent)
    func found(_ phase: CustomerPhase, _ filter: AgentService.Filter = .all) async throws -> [String] {
      var query = AgentListQuery(filter)
      query.phase = phase
      return try await page(rig, query, .overseer)
    }
    #expect(try await found(.background) == [chats[1]])
    #expect(try await found(.lost).isEmpty)
    #expect(try await Set(found(.foreground)) == [chats[0], chats[2]])
    #expect(try await found(.foreground, .waiting) == [chats[2]])
    let summary = try await rig.engine.agents.summary(chats[1], for: .overseer)
    #expect(summary.phase == .background && summary.phaseSince != nil)
    _ = try await ScriptedClient(rig, user: "b").comeOnline()
    #expect(try await found(.background).isEmpty)
    await rig.stop()
  }

  @Test("how many there are in all is said where it need not be counted")
  func totals() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory(), sections: Self.sections)
    var chats: [String] = []
    for number in 0..<7 { chats.append(try await start(rig, number < 3 ? "sales" : "help")) }
    _ = try await rig.engine.agents.join(chats[0], nickname: "Anna", role: .agent, for: Self.anna)
    _ = try await rig.engine.agents.close(chats[0], agentID: "anna")
    func total(_ query: AgentListQuery, _ viewer: AgentViewer) async throws -> Int? {
      try await rig.engine.agents.list(query, for: viewer).total
    }
    #expect(try await total(AgentListQuery(limit: 2), .overseer) == 7)
    #expect(try await total(AgentListQuery(.waiting, limit: 2), .overseer) == 6)
    _ = try await rig.engine.agents.join(chats[6], nickname: "O", role: .supervisor, for: .overseer)
    #expect(try await total(AgentListQuery(), .overseer) == 7)
    _ = try await rig.engine.agents.leave(chats[6], agentID: "overseer")
    #expect(try await total(AgentListQuery(.waiting, service: "help"), .overseer) == 4)
    #expect(try await total(AgentListQuery(), Self.anna) == 3)
    #expect(try await total(AgentListQuery(.own), Self.anna) == 0)
    var away = AgentListQuery()
    away.phase = .foreground
    #expect(try await total(away, .overseer) == nil)
    await rig.stop()
  }

  @Test("who is invited, and whose a chat is, outlive a restart, with a snapshot and without")
  func passedOn() async throws {
    let directory = try EngineRig.temporaryDirectory()
    var rig = try await EngineRig(directory: directory, sections: Self.sections)
    let (invited, moved) = (try await start(rig), try await start(rig))
    let bert = AgentViewer(id: "bert", services: ["help"])
    for chat in [invited, moved] {
      _ = try await rig.engine.agents.join(chat, nickname: "Anna", role: .agent, for: Self.anna)
    }
    try await rig.engine.agents.invite("bert", to: invited, by: Self.anna)
    _ = try await rig.engine.agents.transfer(moved, agentID: "anna", to: .service("help"))
    await #expect(throws: EngineError.self) {
      try await rig.engine.agents.transfer(invited, agentID: "anna", to: .service("nowhere"))
    }
    for restart in 0...2 {
      if restart == 1 { _ = try await rig.engine.snapshotNow() }
      if restart > 0 {
        await rig.stop()
        rig = try await EngineRig(directory: directory, sections: Self.sections)
      }
      // Both may have begun in the same millisecond.
      #expect(try await page(rig, AgentListQuery(), bert).sorted() == [invited, moved].sorted())
      #expect(try await page(rig, AgentListQuery(.waiting), bert).sorted() == [invited, moved].sorted())
      #expect(try await page(rig, AgentListQuery(.own), bert).isEmpty)
      #expect(try await page(rig, AgentListQuery(), Self.anna) == [invited])
      #expect(try await page(rig, AgentListQuery(service: "help"), .overseer) == [moved])
    }
    _ = try await rig.engine.agents.close(invited, agentID: "anna")
    #expect(try await page(rig, AgentListQuery(), bert) == [moved])
    await rig.stop()
  }

  @Test("who has read what is told to their own streams, and to no supervisor's")
  func reading() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory(), sections: Self.sections)
    let agents = rig.engine.agents
    let chat = try await start(rig)
    var (own, others) = (
      agents.events(after: nil, for: Self.anna).makeAsyncIterator(),
      agents.events(after: nil, for: .overseer).makeAsyncIterator()
    )
    #expect(try await agents.read(chat, upTo: 99, for: Self.anna) == 1)
    _ = try await agents.join(chat, nickname: "Anna", role: .agent, for: Self.anna)
    #expect(await own.next()?.kind == .chat(.read(agentID: "anna", position: 1)))
    guard case .chat(.line)? = await others.next()?.kind else { return #expect(Bool(false), "a read mark of others") }
    await rig.stop()
  }

  @Test("an agent is there while a stream is open and half a minute longer")
  func presence() async throws {
    let rig = try await DeviceRig()
    let agents = rig.engine.agents
    #expect(agents.presence("anna") == .away)
    do {
      let stream = agents.events(after: nil, for: Self.anna)
      try await rig.advance(by: .seconds(100))
      #expect(agents.presence("anna") == .online && agents.presence("bert") == .away)
      withExtendedLifetime(stream) {}
    }
    // The stream's end is noticed with the last reference to it, a moment later.
    while !Task.isCancelled, agents.streamCount > 0 { await Task.yield() }
    #expect(agents.presence("anna") == .online)
    try await rig.advance(by: .milliseconds(29_999))
    #expect(agents.presence("anna") == .online)
    try await rig.advance(by: .milliseconds(1))
    #expect(agents.presence("anna") == .away)
    try await rig.stop()
  }

  @Test("what became of a push is seen in the chat, and the last line is cut between characters")
  func summary() async throws {
    let rig = try await DeviceRig()
    let service = try await rig.engine.chats.create(service: "request-chat", data: [])
    _ = try await rig.engine.chats.start(
      service,
      ChatStartRequest(
        userKey: "alice", notifiesByComet: true, nickname: "Guest",
        pushTarget: PushTarget(type: "httpcb", deviceID: "https://hooks.example.test/in/17")))
    let client = ScriptedClient(rig.rig, user: "alice")
    _ = try await client.comeOnline()
    let chatID = try await rig.rig.chatID(service)
    _ = try await rig.engine.agents.join(chatID, agentID: "k", nickname: "Agent K", role: .agent)
    _ = try await client.disconnect(position: 2)
    try await rig.settle()
    try await rig.say(String(repeating: "👩‍👩‍👧", count: 40), in: DeviceRig.BackgroundChat(service: service, chatID: chatID))
    let summary = try await rig.engine.agents.summary(chatID, for: .overseer)
    #expect(summary.owedPushes == 0 && summary.lastPush?.outcome == .delivered && summary.lastPush?.position == 3)
    let line = try #require(summary.lastLine)
    #expect(line.position == 3 && line.content.text == String(repeating: "👩‍👩‍👧", count: 14))
    try await rig.stop()
  }
}
