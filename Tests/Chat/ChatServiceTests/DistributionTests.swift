import ChatDomain
import EngineKit
import EntityRuntime
import EventSourcing
import Synchronization
import Testing

@testable import Engine
@testable import EngineRigs

/// Agents at their desks, and customers who come.
private struct Floor {
  static let sections = [
    "service.sales": ["chat.distribution": "longest-idle"],
    "service.help": ["chat.distribution": "longest-idle", "chat.offer_seconds": "300"],
    "service.open": ["_type": "builtin"],
    "chat": ["chat.agent_capacity": "2"],
  ]

  let rig: CallbackRig

  init(_ sections: [String: [String: String]] = [:]) async throws {
    rig = try await CallbackRig(sections: Self.sections.merging(sections) { $1 })
  }

  private init(_ rig: CallbackRig) { self.rig = rig }

  /// The process ends without a word, and another one begins, `later`.
  func restarted(after later: Duration = .zero) async throws -> Floor {
    Floor(try await rig.restarted(after: later, sections: Self.sections))
  }

  var agents: AgentService { rig.engine.agents }

  /// An agent who looks at what they are told, and is ready.
  func agent(_ id: String, services: Set<String>? = nil, isReady: Bool = true) async throws -> SeatedAgent {
    let agent = SeatedAgent(AgentViewer(id: id, services: services), self)
    agent.sitDown()
    if isReady { try await agent.ready() }
    return agent
  }

  /// A chat that waits, longer than those after it: its id.
  func chat(of service: String = "sales") async throws -> String {
    try await rig.advance(by: .milliseconds(1))
    let id = try await rig.engine.chats.create(service: service, data: [])
    let reply = try await rig.engine.chats.start(id, ChatStartRequest(userKey: "u", nickname: "Guest"))
    try await rig.settle()
    return reply.chatSessionID
  }

  func offered(_ chat: String) async throws -> ChatOffer? {
    try await agents.summary(chat, for: .overseer).offer
  }

  func advance(_ duration: Duration) async throws {
    // Timers that are started meanwhile fire too.
    for _ in 0..<4 { try await rig.advance(by: duration / 4) }
  }

  func stop() async throws { try await rig.stop() }
}

private final class SeatedAgent: Sendable {
  let viewer: AgentViewer
  private let floor: Floor
  private let heard = Mutex<[String]>([])
  private let reading = Mutex<Task<Void, Never>?>(nil)

  init(_ viewer: AgentViewer, _ floor: Floor) {
    self.viewer = viewer
    self.floor = floor
  }

  /// Opens a stream.
  func sitDown() {
    let events = floor.agents.events(after: nil, for: viewer)
    reading.withLock {
      $0 = Task { for await event in events { hear(event) } }
    }
  }

  /// The stream breaks.
  func goAway() async throws {
    let task = reading.withLock { task in
      defer { task = nil }
      return task
    }
    let rest = floor.agents.streamCount - 1
    task?.cancel()
    await task?.value
    // Its end is noticed a moment later.
    while !Task.isCancelled, floor.agents.streamCount > rest { await Task.yield() }
    try await floor.rig.settle()
  }

  private func hear(_ event: AgentEvent) {
    let text: String? =
      switch event.kind {
      case .chat(.offered(let offer)): "offered to \(offer.agentID)"
      case .chat(.offerEnded(let offer, let end)): "\(end.rawValue) by \(offer.agentID)"
      default: nil
      }
    if let text { heard.withLock { $0.append(text) } }
  }

  /// What they have been told of offers since they were asked last. Streams have a task of their own.
  func told(_ count: Int = 1) async -> [String] {
    for _ in 0..<10_000 where heard.withLock({ $0.count }) < count { await Task.yield() }
    return heard.withLock { heard in
      defer { heard = [] }
      return heard
    }
  }

  func ready(_ isReady: Bool = true) async throws {
    try await floor.agents.setReady(viewer, isReady)
    try await floor.rig.settle()
  }

  var isReady: Bool { get async { await floor.agents.isReady(viewer.id) } }

  func join(_ chat: String) async throws {
    _ = try await floor.agents.join(chat, nickname: viewer.id, role: .agent, for: viewer)
    try await floor.rig.settle()
  }

  func release(_ chat: String) async throws {
    try await floor.agents.release(chat, agentID: viewer.id)
    try await floor.rig.settle()
  }

  func leave(_ chat: String) async throws {
    _ = try await floor.agents.leave(chat, agentID: viewer.id)
    try await floor.rig.settle()
  }

  func close(_ chat: String) async throws {
    _ = try await floor.agents.close(chat, agentID: viewer.id)
    try await floor.rig.settle()
  }

  func waiting() async throws -> [String] {
    try await floor.agents.list(AgentListQuery(.waiting), for: viewer).elements.map(\.chatID)
  }
}

@Suite("Chats that are given to agents", .timeLimit(.minutes(2)))
struct DistributionTests {
  @Test("whoever has been idle longest is offered it, alone hears of it, and takes it by joining; then the next one")
  func longestIdle() async throws {
    let floor = try await Floor()
    let (anna, bert) = (try await floor.agent("anna"), try await floor.agent("bert"))
    let first = try await floor.chat()
    let offer = try await floor.offered(first)
    #expect(offer == ChatOffer(agentID: "anna", until: floor.rig.now.advanced(by: .seconds(20))))
    #expect(await anna.told() == ["offered to anna"])
    // The other one sees it wait, and cannot take it.
    #expect(try await bert.waiting() == [first])
    await #expect(throws: EngineError.chat(.offered)) { try await bert.join(first) }
    try await anna.join(first)
    let second = try await floor.chat()
    #expect(try await floor.offered(second)?.agentID == "bert")
    try await bert.join(second)
    let third = try await floor.chat()
    #expect(try await floor.offered(third)?.agentID == "anna")
    #expect(await bert.told() == ["offered to bert"])
    #expect(await anna.told() == ["offered to anna"])
    #expect(await anna.isReady)
    try await floor.stop()
  }

  @Test("who says nothing in time is not ready any more, and the next one gets it; without one it waits on")
  func passed() async throws {
    let floor = try await Floor()
    let (anna, bert) = (try await floor.agent("anna"), try await floor.agent("bert"))
    let chat = try await floor.chat()
    try await floor.advance(.seconds(19))
    #expect(try await floor.offered(chat)?.agentID == "anna")
    try await floor.advance(.seconds(2))
    #expect(await !anna.isReady)
    #expect(await anna.told(2) == ["offered to anna", "passed by anna"])
    #expect(try await floor.offered(chat)?.agentID == "bert")
    try await floor.advance(.seconds(21))
    #expect(await !bert.isReady)
    #expect(try await floor.offered(chat) == nil)
    #expect(try await bert.waiting() == [chat])
    try await anna.ready()
    #expect(try await floor.offered(chat)?.agentID == "anna")
    try await anna.join(chat)
    try await floor.stop()
  }

  @Test("who sends it away is not ready any more, and nobody else does so for them")
  func released() async throws {
    let floor = try await Floor()
    let (anna, bert) = (try await floor.agent("anna"), try await floor.agent("bert"))
    let chat = try await floor.chat()
    await #expect(throws: EngineError.chat(.notOffered)) { try await bert.release(chat) }
    try await anna.release(chat)
    #expect(await !anna.isReady)
    #expect(await anna.told(2) == ["offered to anna", "released by anna"])
    #expect(try await floor.offered(chat)?.agentID == "bert")
    await #expect(throws: EngineError.chat(.notOffered)) { try await anna.release(chat) }
    try await bert.join(chat)
    await #expect(throws: EngineError.chat(.notOffered)) { try await bert.release(chat) }
    await #expect(throws: EngineError.chat(.unknownService)) { try await anna.release("0000000000000000") }
    try await floor.stop()
  }

  @Test("an agent has no more than they may, until one of them is over or left")
  func capacity() async throws {
    let floor = try await Floor()
    let anna = try await floor.agent("anna")
    var chats: [String] = []
    for _ in 0..<2 {
      chats.append(try await floor.chat())
      try await anna.join(chats.last ?? "")
    }
    let (third, fourth) = (try await floor.chat(), try await floor.chat())
    #expect(try await floor.offered(third) == nil)
    try await anna.close(chats[0])
    #expect(try await floor.offered(third)?.agentID == "anna")
    #expect(try await floor.offered(fourth) == nil)
    try await anna.join(third)
    #expect(try await floor.offered(fourth) == nil)
    // What they leave waits as well, behind what waits already.
    try await anna.leave(chats[1])
    #expect(try await floor.offered(fourth)?.agentID == "anna")
    #expect(try await floor.offered(chats[1]) == nil)
    #expect(floor.agents.capacity == 2 && floor.agents.chatCount(of: "anna") == 1)
    try await floor.stop()
  }

  @Test("only who serves the service; and what is for another service now, by that one's options")
  func skill() async throws {
    let floor = try await Floor()
    let anna = try await floor.agent("anna", services: ["help"])
    let chat = try await floor.chat()
    #expect(try await floor.offered(chat) == nil)
    let bert = try await floor.agent("bert", services: ["sales"])
    #expect(try await floor.offered(chat)?.agentID == "bert")
    try await bert.join(chat)
    _ = try await floor.agents.transfer(chat, agentID: "bert", to: .service("help"))
    try await floor.rig.settle()
    #expect(
      try await floor.offered(chat)
        == ChatOffer(agentID: "anna", until: floor.rig.now.advanced(by: .seconds(300))))
    try await anna.join(chat)
    _ = try await floor.agents.transfer(chat, agentID: "anna", to: .service("open"))
    try await floor.rig.settle()
    #expect(try await floor.offered(chat) == nil)
    try await floor.stop()
  }

  @Test("who is invited comes first, whatever they serve and whoever is idle")
  func invited() async throws {
    let floor = try await Floor()
    let (anna, _) = (try await floor.agent("anna"), try await floor.agent("bert"))
    let cleo = try await floor.agent("cleo", services: ["help"])
    let chat = try await floor.chat()
    try await anna.join(chat)
    _ = try await floor.agents.transfer(chat, agentID: "anna", to: .agent("cleo"))
    try await floor.rig.settle()
    #expect(try await floor.offered(chat)?.agentID == "cleo")
    try await cleo.release(chat)
    #expect(try await floor.offered(chat)?.agentID == "bert")
    // They may still come, as ever.
    try await cleo.join(chat)
    #expect(try await floor.agents.summary(chat, for: .overseer).agents.map(\.id) == ["cleo"])
    try await floor.stop()
  }

  @Test("a supervisor takes it from whom it is offered, who stays ready and is offered the next one")
  func takenOver() async throws {
    let floor = try await Floor()
    let anna = try await floor.agent("anna")
    let chat = try await floor.chat()
    _ = try await floor.agents.takeOver(chat, agentID: "boss", nickname: "Boss")
    try await floor.rig.settle()
    #expect(await anna.told(2) == ["offered to anna", "taken by anna"])
    #expect(await anna.isReady)
    let next = try await floor.chat()
    #expect(try await floor.offered(next)?.agentID == "anna")
    try await floor.stop()
  }

  @Test("whose last stream is gone is away after the grace, stays ready, and loses what they were offered")
  func streamGone() async throws {
    let floor = try await Floor()
    let (anna, bert) = (try await floor.agent("anna"), try await floor.agent("bert"))
    let chat = try await floor.chat(of: "help")
    #expect(try await floor.offered(chat)?.agentID == "anna")
    try await anna.goAway()
    try await floor.advance(.seconds(28))
    #expect(try await floor.offered(chat)?.agentID == "anna")
    try await floor.advance(.seconds(4))
    #expect(try await floor.offered(chat)?.agentID == "bert")
    #expect(await anna.isReady)
    try await bert.join(chat)
    try await bert.ready(false)
    let next = try await floor.chat()
    #expect(try await floor.offered(next) == nil, "nobody looks")
    anna.sitDown()
    try await floor.rig.settle()
    #expect(try await floor.offered(next)?.agentID == "anna")
    try await floor.stop()
  }

  @Test("a page that is loaded anew loses nothing")
  func streamBack() async throws {
    let floor = try await Floor()
    let (anna, _) = (try await floor.agent("anna"), try await floor.agent("bert"))
    let chat = try await floor.chat(of: "help")
    try await anna.goAway()
    try await floor.advance(.seconds(8))
    anna.sitDown()
    try await floor.advance(.seconds(60))
    #expect(try await floor.offered(chat)?.agentID == "anna")
    try await floor.stop()
  }

  @Test("who says that they are not ready loses what they were offered, and has let nothing pass")
  func notReady() async throws {
    let floor = try await Floor()
    let (anna, _) = (try await floor.agent("anna"), try await floor.agent("bert"))
    let chat = try await floor.chat()
    try await anna.ready(false)
    #expect(await anna.told(2) == ["offered to anna", "away by anna"])
    #expect(try await floor.offered(chat)?.agentID == "bert")
    try await floor.stop()
  }

  @Test("after a kill an offer lasts as long as it was to, no other agent gets it, and nothing that waits is forgotten")
  func restart() async throws {
    var floor = try await Floor()
    _ = try await floor.agent("anna")
    let (first, second) = (try await floor.chat(), try await floor.chat())
    let offer = try #require(try await floor.offered(first))
    floor = try await floor.restarted(after: .seconds(10))
    let bert = try await floor.agent("bert")
    #expect(try await floor.offered(first) == offer)
    #expect(try await floor.offered(second)?.agentID == "bert")
    await #expect(throws: EngineError.chat(.offered)) { try await bert.join(first) }
    try await bert.join(second)
    try await floor.advance(.seconds(12))
    #expect(try await floor.offered(first)?.agentID == "bert")
    #expect(await !floor.agents.isReady("anna"))
    // What passed while nobody was there has passed.
    floor = try await floor.restarted(after: .seconds(3_600))
    try await floor.advance(.seconds(1))
    #expect(try await floor.offered(first) == nil)
    #expect(await !floor.agents.isReady("bert"))
    let anna = try await floor.agent("anna")
    try await anna.join(first)
    try await floor.stop()
  }

  @Test("after a kill whoever comes back takes what they were offered; who does not, loses it after the grace")
  func restartReturned() async throws {
    var floor = try await Floor()
    _ = try await floor.agent("anna")
    let chat = try await floor.chat(of: "help")
    floor = try await floor.restarted()
    let (bert, anna) = (try await floor.agent("bert"), try await floor.agent("anna", isReady: false))
    try await floor.advance(.seconds(40))
    #expect(try await floor.offered(chat)?.agentID == "anna")
    try await anna.join(chat)
    let other = try await floor.chat(of: "help")
    #expect(try await floor.offered(other)?.agentID == "bert")
    try await bert.ready(false)
    #expect(try await floor.offered(other)?.agentID == "anna")
    floor = try await floor.restarted()
    _ = try await floor.agent("bert")
    try await floor.advance(.seconds(28))
    #expect(try await floor.offered(other)?.agentID == "anna")
    try await floor.advance(.seconds(8))
    #expect(try await floor.offered(other)?.agentID == "bert")
    #expect(await floor.agents.isReady("anna"))
    try await floor.stop()
  }

  @Test("nothing is offered unless a service says so; and it may say so later")
  func manual() async throws {
    let floor = try await Floor()
    let anna = try await floor.agent("anna")
    let chat = try await floor.chat(of: "open")
    #expect(try await floor.offered(chat) == nil)
    #expect(try await anna.waiting() == [chat])
    let before = floor.rig.engine.options.current
    var options = before
    options.sections["service.open"] = ["chat.distribution": "longest-idle"]
    floor.rig.engine.options.replace(options)
    try await floor.rig.settle()
    #expect(try await floor.offered(chat)?.agentID == "anna")
    floor.rig.engine.options.replace(before)
    try await floor.rig.settle()
    // What is promised is kept.
    #expect(try await floor.offered(chat)?.agentID == "anna")
    try await anna.join(chat)
    #expect(try await floor.offered(try await floor.chat(of: "open")) == nil)
    try await floor.stop()
  }

  @Test("what an offer waits for is over with the chat")
  func ended() async throws {
    let floor = try await Floor()
    let anna = try await floor.agent("anna")
    let chat = try await floor.chat()
    let service = try #require(floor.rig.engine.chats.index.service(ofSession: chat))
    _ = try await floor.rig.engine.chats.disconnect(service, by: .customer(userKey: "u"))
    try await floor.rig.settle()
    #expect(await anna.told(2) == ["offered to anna", "ended by anna"])
    #expect(try await floor.offered(chat) == nil)
    await #expect(throws: EngineError.chat(.ended)) { try await anna.release(chat) }
    #expect(try await floor.offered(try await floor.chat())?.agentID == "anna")
    try await floor.stop()
  }

  @Test("a callback's chat is for the agent who has the callback, whatever its service says of chats")
  func callback() async throws {
    let floor = try await Floor([
      "service.talk": ["_service": "callback", "_media_type": "chat", "chat.distribution": "longest-idle"]
    ])
    let (anna, bert) = (try await floor.agent("anna"), try await floor.agent("bert"))
    let id = try await floor.rig.order(service: "talk", user: "u")
    try await floor.rig.settle()
    let request = try await floor.rig.callbacks.prepareChat(id, ChatStartRequest(userKey: "u", nickname: "Guest"))
    let chat = try await floor.rig.engine.chats.start(id, request).chatSessionID
    try await floor.rig.settle()
    #expect(try await floor.offered(chat) == nil)
    #expect(await anna.told(0) == [])
    #expect(await bert.told(0) == [])
    try await floor.stop()
  }
}
