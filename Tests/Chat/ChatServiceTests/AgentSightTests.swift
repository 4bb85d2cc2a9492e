import CallbackDomain
import ChatDomain
import EntityRuntime
import EventSourcing
import Journal
import Synchronization
import SystemPackage
import Testing

@testable import Engine
@testable import EngineKit
@testable import EngineRigs

@Suite("Whose business a chat is", .timeLimit(.minutes(2)))
struct AgentSightTests {
  private static let sections = ["service.sales": ["_type": "builtin"], "service.help": ["_type": "builtin"]]
  private static let anna = AgentViewer(id: "anna", services: ["sales"])
  private static let bert = AgentViewer(id: "bert", services: ["help"])
  private static let cleo = AgentViewer(id: "cleo")

  private func start(_ rig: EngineRig, _ service: String) async throws -> String {
    let id = try await rig.engine.chats.create(service: service, data: [])
    _ = try await rig.engine.chats.start(id, ChatStartRequest(userKey: "u", nickname: "Guest"))
    return try await rig.chatID(id)
  }

  private func list(
    _ rig: EngineRig, _ filter: AgentService.Filter, _ viewer: AgentViewer, service: String? = nil
  ) async throws -> Set<String> {
    Set(try await rig.engine.agents.list(AgentListQuery(filter, service: service), for: viewer).elements.map(\.chatID))
  }

  @Test("whoever may act goes on at once, whatever waits for the disk; who may not is told once it is there")
  func admission() async throws {
    let isHeld = Atomic(false)
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory(), sections: Self.sections) {
      $0.journal.isStepped = true
    }
    let pump = Task {
      while !Task.isCancelled {
        if !isHeld.load(ordering: .relaxed), rig.engine.journalNeedsStep { rig.engine.stepJournal() }
        await Task.yield()
      }
    }
    let agents = rig.engine.agents
    let chat = try await start(rig, "sales")
    isHeld.store(true, ordering: .relaxed)
    let joining = Task { try await agents.join(chat, nickname: "Anna", role: .agent, for: Self.anna) }
    let service = try #require(rig.engine.chats.index.service(ofSession: chat))
    while !Task.isCancelled, await rig.engine.chats.directory[service]?.peek({ $0.hasAgent("anna") }) != true {
      await Task.yield()
    }
    // Her join is not durable, and neither is it for anybody else to know.
    try await agents.admit(Self.anna, to: chat)
    let isTold = Atomic(false)
    let stranger = Task {
      defer { isTold.store(true, ordering: .relaxed) }
      try await agents.admit(Self.cleo, to: chat)
    }
    for _ in 0..<1_000 { await Task.yield() }
    let wasTold = isTold.load(ordering: .relaxed)
    #expect(!wasTold)
    isHeld.store(false, ordering: .relaxed)
    await #expect(throws: EngineError.chat(.unknownService)) { try await stranger.value }
    #expect(try await joining.value != nil)
    await rig.stop()
    pump.cancel()
    await pump.value
  }

  @Test("waiting ones of their services and their own: an agent's; all: a supervisor's; also after a restart")
  func sight() async throws {
    let directory = try EngineRig.temporaryDirectory()
    var rig = try await EngineRig(directory: directory, sections: Self.sections)
    let (sale, help, taken) = (
      try await start(rig, "sales"), try await start(rig, "help"), try await start(rig, "sales")
    )
    let agents = rig.engine.agents
    _ = try await agents.join(taken, nickname: "Anna", role: .agent, for: Self.anna)
    for isRestarted in [false, true] {
      if isRestarted {
        if rig.engine.isReady { _ = try await rig.engine.snapshotNow() }
        await rig.stop()
        rig = try await EngineRig(directory: directory, sections: Self.sections)
      }
      let agents = rig.engine.agents
      #expect(try await list(rig, .waiting, Self.anna) == [sale])
      #expect(try await list(rig, .own, Self.anna) == [taken])
      #expect(try await list(rig, .all, Self.anna) == [sale, taken])
      #expect(try await list(rig, .all, Self.bert) == [help])
      #expect(try await list(rig, .all, Self.cleo) == [sale, help])
      #expect(try await list(rig, .all, Self.cleo, service: "help") == [help])
      #expect(try await list(rig, .all, Self.bert, service: "sales").isEmpty)
      #expect(try await list(rig, .all, .overseer) == [sale, help, taken])
      let half = AgentViewer(id: "s", services: ["help"], isSupervisor: true)
      #expect(try await list(rig, .all, half) == [help])
      for (viewer, seen) in [(Self.anna, [sale, taken]), (Self.bert, [help]), (Self.cleo, [sale, help])] {
        for chat in [sale, help, taken] {
          let isSeen = (try? await agents.summary(chat, for: viewer)) != nil
          #expect(isSeen == seen.contains(chat))
          #expect(((try? await agents.transcript(chat, after: 0, for: viewer)) != nil) == isSeen)
          #expect(((try? await agents.admit(viewer, to: chat)) != nil) == isSeen)
        }
      }
      await #expect(throws: EngineError.chat(.taken)) {
        try await agents.join(taken, nickname: "Cleo", role: .agent, for: Self.cleo)
      }
      await #expect(throws: EngineError.chat(.unknownService)) {
        try await agents.join(taken, nickname: "Bert", role: .agent, for: Self.bert)
      }
    }
    // What is over stays its agent's.
    _ = try await rig.engine.agents.close(taken, agentID: "anna")
    #expect(try await list(rig, .own, Self.anna).isEmpty)
    #expect(try await list(rig, .all, Self.anna) == [sale, taken])
    #expect(try await list(rig, .all, Self.cleo) == [sale, help])
    await rig.stop()
  }

  @Test("a list goes on where it ended, says so, and misses nobody who was there all the time")
  func pages() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory(), sections: Self.sections)
    var chats: [String] = []
    for number in 0..<25 { chats.append(try await start(rig, number % 3 == 0 ? "help" : "sales")) }
    var (seen, after, pages) = ([String](), String?.none, 0)
    repeat {
      let page = try await rig.engine.agents.list(
        AgentListQuery(.waiting, after: after, limit: 4), for: Self.cleo)
      #expect(page.elements.count <= 4)
      seen += page.elements.map(\.chatID)
      (after, pages) = (page.next, pages + 1)
      if pages == 2 {
        // The one that the cursor names goes away.
        _ = try await rig.engine.agents.join(seen[7], agentID: "x", nickname: "X", role: .agent)
      }
    } while after != nil
    #expect(pages == 7)
    #expect(Set(seen) == Set(chats) && seen.count == 25)
    let starts = try await rig.engine.agents.list(AgentListQuery(.waiting), for: Self.cleo).elements
    #expect(starts.map(\.startedAt) == starts.map(\.startedAt).sorted() && starts.count == 24)
    await #expect(throws: EngineError.invalid(field: "after", reason: ListPage<CallbackView>.noCursor)) {
      try await rig.engine.agents.list(AgentListQuery(.waiting, after: "x"), for: Self.cleo)
    }
    await rig.stop()
  }

  @Test("a stream tells what concerns its agent, and that something was taken, and nothing else")
  func streams() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory(), sections: Self.sections)
    let agents = rig.engine.agents
    var streams = [Self.anna, Self.bert, Self.cleo, .overseer].map {
      ($0.id, agents.events(after: nil, for: $0))
    }
    let sale = try await start(rig, "sales")
    _ = try await agents.join(sale, nickname: "Anna", role: .agent, for: Self.anna)
    _ = try await agents.send(sale, agentID: "anna", text: "between us")
    _ = try await agents.leave(sale, agentID: "anna")
    let last = try await start(rig, "help")
    _ = try await agents.join(last, agentID: "nobody", nickname: "N", role: .agent)
    // Ends the streams: what they have is all that they get.
    await rig.engine.drain()
    var heard: [String: [String]] = [:]
    for (id, stream) in streams {
      for await event in stream {
        switch event.kind {
        case .chat(.line(let line)):
          heard[id, default: []].append("\(event.chatID == sale ? "sale" : "help") \(line.content.text)")
        case .chat(.waiting): heard[id, default: []].append("\(event.chatID == sale ? "sale" : "help") waits")
        default: break
        }
      }
    }
    streams = []
    let joined = "has joined the session"
    let whole = [
      "sale waits", "sale \(joined)", "sale \(joined)", "sale between us", "sale has left the session", "sale waits",
    ]
    #expect(heard["anna"] == whole)
    #expect(heard["bert"] == ["help waits", "help \(joined)", "help \(joined)"])
    #expect(heard["cleo"] == whole.filter { $0 != "sale between us" } + (heard["bert"] ?? []))
    #expect(heard["overseer"] == whole + (heard["bert"] ?? []))
    await rig.stop()
  }

  @Test("a stream that comes back is told of what it missed, of what concerns it")
  func streamAgain() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory(), sections: Self.sections)
    var live = rig.engine.agents.events(after: nil, for: .overseer).makeAsyncIterator()
    let sale = try await start(rig, "sales")
    let first = try #require(await live.next())
    _ = try await start(rig, "help")
    var missed: [String] = []
    // A browser names it again as a number of its own, which is exact up to here.
    #expect(first.number < 1 << 53)
    for await event in rig.engine.agents.events(after: first.number - 1, for: Self.bert) {
      missed.append(event.chatID)
      if case .chat(.line) = event.kind { break }
    }
    #expect(!missed.isEmpty && !missed.contains(sale))
    await rig.stop()
  }
}

@Suite("Callbacks and the services of agents", .timeLimit(.minutes(2)))
struct CallbackSightTests {
  private static let other = "callback-help"
  private static let sections = ["service.callback-help": ["_service": "callback"]]

  @Test("a ready agent is offered those of their services only, also after a restart")
  func offers() async throws {
    var rig = try await CallbackRig(sections: Self.sections)
    try await rig.engine.agents.setReady(AgentViewer(id: "Kim", services: [Self.other]), true)
    let (voice, help) = (try await rig.order(), try await rig.order(service: Self.other))
    try await rig.settle()
    #expect(try await rig.work(.own, of: "Kim") == [help])
    #expect(try await rig.status(voice).contains("Kim") == false)
    rig = try await rig.restarted(sections: Self.sections)
    let next = try await rig.order(service: Self.other)
    try await rig.settle()
    // Busy: one at a time.
    #expect(try await rig.status(next) != "ROUTING Kim")
    _ = try await rig.callbacks.report(.connected, of: help, by: "Kim")
    _ = try await rig.callbacks.report(.ended, of: help, by: "Kim")
    try await rig.settle()
    #expect(try await rig.work(.own, of: "Kim") == [next])
    // Who serves all takes what nobody else serves.
    try await rig.ready("Lee")
    #expect(try await rig.work(.own, of: "Lee") == [voice])
    try await rig.stop()
  }

  @Test("waiting ones of their services and their own are an agent's to see and to report on")
  func sight() async throws {
    let rig = try await CallbackRig(sections: Self.sections)
    let (voice, help) = (try await rig.order(), try await rig.order(service: Self.other))
    let (kim, lee) = (AgentViewer(id: "Kim", services: [Self.other]), AgentViewer(id: "Lee"))
    #expect(try await rig.work(.all, for: kim) == [help])
    #expect(try await rig.work(.waiting, for: kim) == [help])
    #expect(try await Set(rig.work(.all, for: lee)) == [voice, help])
    await #expect(throws: EngineError.callback(.unknown)) { try await rig.callbacks.view(voice, for: kim) }
    await #expect(throws: EngineError.callback(.unknown)) {
      try await rig.callbacks.report(.available, of: voice, for: kim)
    }
    _ = try await rig.callbacks.report(.available, of: voice, for: lee)
    #expect(try await rig.work(.own, for: lee) == [voice])
    #expect(try await rig.work(.all, for: AgentViewer(id: "Max")) == [help])
    #expect(try await Set(rig.work(.all, for: .overseer)) == [voice, help])
    await #expect(throws: EngineError.callback(.unknown)) {
      try await rig.callbacks.report(.ended, of: voice, for: AgentViewer(id: "Max"))
    }
    try await rig.stop()
  }

  @Test("lists of them go on where they ended", arguments: [AgentService.Filter.waiting, .all])
  func pages(filter: AgentService.Filter) async throws {
    let rig = try await CallbackRig(options: ["_overwritable_options": "_priority"], sections: Self.sections)
    var ids: [String] = []
    for number in 0..<9 {
      ids.append(
        try await rig.order(["_priority": "\(number % 3)"], service: number % 2 == 0 ? CallbackRig.service : Self.other)
      )
      try await rig.advance(by: .seconds(1))
    }
    let whole = try await rig.callbacks.list(AgentListQuery(filter), for: .overseer)
    #expect(whole.next == nil && Set(whole.elements.map(\.id)) == Set(ids))
    var (seen, after) = ([String](), String?.none)
    repeat {
      let page = try await rig.callbacks.list(AgentListQuery(filter, after: after, limit: 2), for: .overseer)
      #expect(page.elements.count <= 2)
      seen += page.elements.map(\.id)
      after = page.next
    } while after != nil
    #expect(seen == whole.elements.map(\.id))
    await #expect(throws: EngineError.invalid(field: "after", reason: ListPage<CallbackView>.noCursor)) {
      try await rig.callbacks.list(AgentListQuery(filter, after: "x"), for: .overseer)
    }
    try await rig.stop()
  }
}

@Suite("A sorted set in pieces")
struct SortedPiecesTests {
  @Test("holds what a sorted set holds, whatever is put in and taken out", arguments: [1, 2, 3] as [UInt64])
  func model(seed: UInt64) {
    var (pieces, model, bits) = (SortedPieces<Int>(), Set<Int>(), seed)
    func next(_ bound: Int) -> Int {
      bits = bits &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(bits >> 33) % bound
    }
    for step in 0..<6_000 {
      let element = step < 2_000 ? step : next(3_000)
      let (isDone, isExpected) =
        step >= 2_000 && next(2) == 0
        ? (pieces.remove(element), model.remove(element) != nil)
        : (pieces.insert(element), model.insert(element).inserted)
      #expect(isDone == isExpected)
      guard step % 97 == 0 else { continue }
      let sorted = model.sorted()
      #expect(pieces.count == sorted.count && pieces.elements() == sorted && pieces.first == sorted.first)
      let after = next(3_000)
      let even = pieces.elements(after: after, limit: 5, where: { $0 % 2 == 0 })
      #expect(even == Array(sorted.filter { $0 > after && $0 % 2 == 0 }.prefix(5)))
      let odd = pieces.elements(before: after, limit: 5, where: { $0 % 2 == 1 })
      #expect(odd == Array(sorted.reversed().filter { $0 < after && $0 % 2 == 1 }.prefix(5)))
      #expect(pieces.elements(before: nil, limit: 3) == Array(sorted.reversed().prefix(3)))
      let less = sorted.filter { $0 < after }.count
      #expect(pieces.rank(of: after) == less)
    }
    for element in model { pieces.remove(element) }
    #expect(pieces.isEmpty && pieces.elements(limit: 1).isEmpty && pieces.first == nil)
  }
}
