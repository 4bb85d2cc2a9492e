import EngineKit
import EventSourcing
import TestSupport
import Testing

@testable import ChatEngine

@Suite("Who is offered which chat")
struct ChatDistributionTests {
  typealias Action = ChatDistribution.Action
  typealias Input = ChatDistribution.Input

  /// Given, when, then.
  private struct Floor {
    var machine = ChatDistribution()

    /// - Parameter agents: ready for all services and there, in this order.
    init(capacity: Int = 2, agents: [String] = [], isSettled: Bool = true) {
      #expect(take(.capacity(capacity), .opened).isEmpty)
      if isSettled { #expect(take(.settled).isEmpty) }
      for agent in agents { #expect(take(.readiness(agent, .ready(for: nil), chats: 0), .presence(agent, true)) == []) }
    }

    mutating func take(_ inputs: Input...) -> [Action] { inputs.flatMap { machine.received($0) } }

    /// It begins to wait, and has been offered to this agent: the chat has said so.
    mutating func wait(_ chat: String, offeredTo agent: String, since: Int64 = 0) {
      #expect(take(ChatDistributionTests.wait(chat, since)) == [.offer(chat, to: agent)])
      #expect(take(ChatDistributionTests.wait(chat, since, to: agent), .answered(chat, by: agent)) == [])
    }

    /// They join it.
    mutating func accept(_ chat: String, by agent: String, chats: Int = 1) -> [Action] {
      take(.chats(of: agent, chats), .gone(chat))
    }
  }

  private static func wait(
    _ chat: String, _ since: Int64 = 0, at service: String = "sales", invited: [String] = [], to agent: String? = nil
  ) -> Input {
    .waiting(
      chat,
      ChatDistribution.Waiting(
        service: service, since: Timestamp(milliseconds: since), invited: invited, offeredTo: agent))
  }

  // MARK: Who gets it

  @Test("whoever has been idle longest gets the oldest; then the next gets the next")
  func idle() {
    var floor = Floor(agents: ["a", "b"])
    floor.wait("1", offeredTo: "a")
    floor.wait("2", offeredTo: "b")
    #expect(floor.accept("2", by: "b") == [] && floor.accept("1", by: "a") == [])
    // Each has one; b has had theirs for longer.
    floor.wait("3", offeredTo: "b")
    #expect(floor.take(.chats(of: "a", 0)) == [])
    #expect(floor.accept("3", by: "b", chats: 2) == [])
    floor.wait("4", offeredTo: "a")
  }

  @Test("of what has waited meanwhile the oldest goes first, whoever comes")
  func oldest() {
    var floor = Floor()
    #expect(floor.take(Self.wait("young", 9), Self.wait("old", 1), Self.wait("middle", 5)) == [])
    #expect(floor.take(.readiness("a", .ready(for: nil), chats: 0)) == [])
    #expect(floor.take(.presence("a", true)) == [.offer("old", to: "a")])
    #expect(
      floor.take(.presence("b", true), .readiness("b", .ready(for: nil), chats: 0)) == [.offer("middle", to: "b")])
  }

  @Test("who has fewer chats comes before who has been idle longer")
  func load() {
    var floor = Floor(capacity: 9, agents: ["a", "b"])
    #expect(floor.take(.chats(of: "a", 2), .chats(of: "b", 1)) == [])
    floor.wait("1", offeredTo: "b")
  }

  @Test(
    "only who serves the service",
    arguments: [
      (AgentReadiness.ready(for: ["help"]), "help"), (.ready(for: ["sales"]), "sales"), (.ready(for: []), nil),
      (.away, nil),
    ] as [(AgentReadiness, String?)])
  func skill(readiness: AgentReadiness, offered: String?) {
    var floor = Floor()
    #expect(floor.take(Self.wait("sales", 1), Self.wait("help", 2, at: "help")) == [])
    let actions = floor.take(.presence("a", true), .readiness("a", readiness, chats: 0))
    #expect(actions == (offered.map { [.offer($0, to: "a")] } ?? []))
  }

  @Test("not who has as many as they may, until one of these is gone; or they may have more")
  func capacity() {
    var floor = Floor(capacity: 1, agents: ["a"])
    floor.wait("1", offeredTo: "a")
    #expect(floor.accept("1", by: "a") == [])
    #expect(floor.take(Self.wait("2", 2), Self.wait("3", 3)) == [])
    #expect(floor.take(.capacity(2)) == [.offer("2", to: "a")])
    #expect(floor.take(Self.wait("2", 2, to: "a"), .answered("2", by: "a")) == [])
    #expect(floor.accept("2", by: "a", chats: 2) == [])
    #expect(floor.take(.chats(of: "a", 1)) == [.offer("3", to: "a")])
  }

  @Test("one at a time, whatever they may have")
  func oneAtATime() {
    var floor = Floor(capacity: 9, agents: ["a"])
    floor.wait("1", offeredTo: "a")
    #expect(floor.take(Self.wait("2")) == [])
    #expect(floor.accept("1", by: "a") == [.offer("2", to: "a")])
    // Nor while the chat has not said yet whether it is offered.
    #expect(floor.take(Self.wait("3")) == [])
  }

  @Test("whoever is invited comes first, whatever they serve; if they cannot, the others")
  func invited() {
    var floor = Floor(capacity: 1, agents: ["a"])
    #expect(floor.take(.presence("h", true), .readiness("h", .ready(for: ["help"]), chats: 0)) == [])
    #expect(floor.take(Self.wait("1", invited: ["x", "h"])) == [.offer("1", to: "h")])
    #expect(floor.take(Self.wait("1", invited: ["x", "h"], to: "h"), .answered("1", by: "h")) == [])
    #expect(floor.take(Self.wait("2", invited: ["h"])) == [.offer("2", to: "a")])
    // They have been invited meanwhile.
    #expect(floor.take(Self.wait("3", at: "other")) == [])
    #expect(floor.accept("1", by: "h", chats: 0) == [])
    #expect(floor.take(Self.wait("3", at: "other", invited: ["h"])) == [.offer("3", to: "h")])
  }

  // MARK: How it ends

  @Test("who lets it pass is not ready, and it goes on")
  func passed() {
    var floor = Floor(agents: ["a", "b"])
    floor.wait("1", offeredTo: "a")
    #expect(floor.take(Self.wait("2", 2)) == [.offer("2", to: "b")])
    #expect(floor.take(.gone("2"), .answered("2", by: "b")) == [])
    // Nor is anything else offered to them.
    #expect(floor.take(Self.wait("3", 3)) == [.offer("3", to: "b")])
    #expect(floor.take(.missed("1", by: "a")) == [])
    #expect(floor.take(.gone("3"), .answered("3", by: "b")) == [.offer("1", to: "b")])
    #expect(floor.take(Self.wait("1", to: "b"), .answered("1", by: "b"), Self.wait("4", 4)) == [])
    #expect(floor.take(.missed("1", by: "b"), .gone("4"), Self.wait("1")) == [])
    // Nobody is left; it is not forgotten.
    #expect(floor.take(.readiness("a", .ready(for: nil), chats: 0)) == [.offer("1", to: "a")])
  }

  @Test(
    "who goes loses it, whether they say so or not",
    arguments: [Input.readiness("a", .away, chats: 0), .presence("a", false)])
  func gone(input: Input) {
    var floor = Floor(agents: ["a", "b"])
    floor.wait("1", offeredTo: "a")
    #expect(floor.take(input) == [.withdraw("1", from: "a")])
    #expect(floor.take(Self.wait("1")) == [.offer("1", to: "b")])
    // The other one says at once what came of it, and nobody is asked again.
    #expect(floor.take(Self.wait("1", to: "b"), .answered("1", by: "b")) == [])
  }

  @Test("who goes while the chat is asked loses it as soon as it has said yes")
  func goneMeanwhile() {
    var floor = Floor(agents: ["a"])
    #expect(floor.take(Self.wait("1")) == [.offer("1", to: "a")])
    #expect(floor.take(.readiness("a", .away, chats: 0)) == [])
    #expect(floor.take(Self.wait("1", to: "a")) == [.withdraw("1", from: "a")])
    #expect(floor.take(.answered("1", by: "a"), Self.wait("1")) == [])
  }

  @Test("a chat that says no is asked once more when that is known, not before")
  func refused() {
    var floor = Floor(agents: ["a", "b"])
    #expect(floor.take(Self.wait("1")) == [.offer("1", to: "a")])
    #expect(floor.take(Self.wait("1", invited: ["b"])) == [])
    #expect(floor.take(.answered("1", by: "a")) == [.offer("1", to: "b")])
    #expect(floor.take(.gone("1"), .answered("1", by: "b")) == [])
    #expect(floor.machine.chats.isEmpty)
  }

  @Test("services that change while one is ready make nobody wait longer")
  func services() {
    var floor = Floor(agents: ["a", "b"])
    #expect(floor.take(.readiness("a", .ready(for: ["sales"]), chats: 0)) == [])
    floor.wait("1", offeredTo: "a")
  }

  // MARK: Restart

  @Test("nothing is offered before all is known, and what was offered stays so while its agent may come back")
  func restart() {
    var machine = ChatDistribution()
    func take(_ inputs: Input...) -> [Action] { inputs.flatMap { machine.received($0) } }
    #expect(take(.capacity(2), .readiness("a", .ready(for: nil), chats: 0), .presence("a", true)) == [])
    #expect(take(.readiness("b", .ready(for: nil), chats: 0), .readiness("c", .away, chats: 0)) == [])
    #expect(take(Self.wait("1", 1, to: "b"), Self.wait("2", 2), Self.wait("3", 3, to: "c")) == [])
    // Who is not ready any more does not come back to it.
    #expect(take(.opened) == [.withdraw("3", from: "c"), .offer("2", to: "a")])
    #expect(take(Self.wait("3", 3)) == [] && take(.settled) == [.withdraw("1", from: "b")])
  }

  @Test("who has come back keeps it")
  func returned() {
    var floor = Floor(isSettled: false)
    #expect(floor.take(.readiness("b", .ready(for: nil), chats: 0), Self.wait("1", 1, to: "b")) == [])
    #expect(floor.take(.presence("b", true), .settled) == [])
    #expect(floor.accept("1", by: "b") == [])
  }

  // MARK: Anything in any order

  @Test(
    "nobody is offered more than they may have, and nothing waits that somebody may have", arguments: UInt64(1)...40)
  func random(seed: UInt64) {
    var world = RandomFloor(seed: seed)
    for _ in 0..<600 { world.step() }
    #expect(world.broken.isEmpty, "seed \(seed): \(world.broken.prefix(3))")
    #expect(world.offerCount > 20, "seed \(seed) did nothing")
  }
}

/// Chats and agents that do anything, as the machine is told of it.
private struct RandomFloor {
  private struct Chat {
    var service: String
    var since: Int64
    var invited: [String] = []
    var offeredTo: String?
    var agent: String?
  }

  private static let services = ["sales", "help"]
  private static let agentIDs = ["a", "b", "c", "d"]

  private var machine = ChatDistribution()
  private var generator: SeededGenerator
  private var chats: [String: Chat] = [:]
  private var ready: [String: [String]?] = [:]
  private var present: Set<String> = []
  /// What the machine wants, and what has not been done yet.
  private var wanted: [ChatDistribution.Action] = []
  private var capacity = 2
  private var time: Int64 = 0
  private(set) var offerCount = 0
  private(set) var broken: [String] = []

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    tell(.capacity(capacity))
    tell(.opened)
    tell(.settled)
  }

  private func load(_ agent: String) -> Int { chats.values.count { $0.agent == agent } }

  private mutating func tell(_ input: ChatDistribution.Input) {
    for action in machine.received(input) {
      if case .offer(let chat, let agent) = action {
        offerCount += 1
        if !mayHave(agent, chats[chat]) { broken.append("\(agent) is offered \(chat), and may not have it") }
      }
      wanted.append(action)
    }
  }

  private mutating func tell(of id: String) {
    guard let chat = chats[id], chat.agent == nil else { return tell(.gone(id)) }
    tell(
      .waiting(
        id,
        ChatDistribution.Waiting(
          service: chat.service, since: Timestamp(milliseconds: chat.since), invited: chat.invited,
          offeredTo: chat.offeredTo)))
  }

  private func mayHave(_ agent: String, _ chat: Chat?) -> Bool {
    guard let chat, let services = ready[agent], present.contains(agent), load(agent) < capacity else { return false }
    return chat.invited.contains(agent) || services?.contains(chat.service) ?? true
  }

  mutating func step() {
    time += 1
    switch Int.random(in: 0..<16, using: &generator) {
    case 0..<3 where chats.count < 12:
      let id = "\(time)"
      chats[id] = Chat(service: Self.services.randomElement(using: &generator) ?? "", since: time)
      tell(of: id)
    case 3..<8: perform()
    case 8, 9: endOffer()
    case 10: leave()
    case 11: chats.keys.sorted().randomElement(using: &generator).map { end($0) }
    case 12: invite()
    case 13: capacityChanges()
    default: agentChanges()
    }
    check()
  }

  /// The oldest of what is wanted is done; a chat says no if that does not fit any more.
  private mutating func perform() {
    guard !wanted.isEmpty else { return }
    switch wanted.removeFirst() {
    case .offer(let id, let agent):
      if let chat = chats[id], chat.agent == nil, chat.offeredTo == nil {
        chats[id]?.offeredTo = agent
        tell(of: id)
      }
      tell(.answered(id, by: agent))
    case .withdraw(let id, let agent):
      guard chats[id]?.offeredTo == agent else { return }
      chats[id]?.offeredTo = nil
      tell(of: id)
    }
  }

  private mutating func endOffer() {
    guard let id = chats.keys.sorted().filter({ chats[$0]?.offeredTo != nil }).randomElement(using: &generator),
      let agent = chats[id]?.offeredTo
    else { return }
    chats[id]?.offeredTo = nil
    if Bool.random(using: &generator) {
      chats[id]?.agent = agent
      tell(.chats(of: agent, load(agent)))
      tell(of: id)
    } else {
      ready[agent] = nil
      tell(.missed(id, by: agent))
      tell(of: id)
    }
  }

  private mutating func leave() {
    guard let id = chats.keys.sorted().filter({ chats[$0]?.agent != nil }).randomElement(using: &generator),
      let agent = chats[id]?.agent
    else { return }
    chats[id]?.agent = nil
    chats[id]?.since = time
    tell(.chats(of: agent, load(agent)))
    tell(of: id)
  }

  private mutating func end(_ id: String) {
    let agent = chats.removeValue(forKey: id)?.agent
    if let agent { tell(.chats(of: agent, load(agent))) }
    tell(.gone(id))
  }

  private mutating func invite() {
    guard let id = chats.keys.sorted().randomElement(using: &generator),
      let agent = Self.agentIDs.randomElement(using: &generator), chats[id]?.invited.contains(agent) == false
    else { return }
    chats[id]?.invited.append(agent)
    tell(of: id)
  }

  private mutating func capacityChanges() {
    capacity = Int.random(in: 1...3, using: &generator)
    tell(.capacity(capacity))
  }

  private mutating func agentChanges() {
    guard let agent = Self.agentIDs.randomElement(using: &generator) else { return }
    switch Int.random(in: 0..<6, using: &generator) {
    case 0:
      ready[agent] = nil
      tell(.readiness(agent, .away, chats: load(agent)))
    case 1, 2:
      let services = Bool.random(using: &generator) ? nil : Self.services.shuffled(using: &generator).prefix(1)
      ready.updateValue(services.map(Array.init), forKey: agent)
      tell(.readiness(agent, .ready(for: services.map(Array.init)), chats: load(agent)))
    case 3:
      present.remove(agent)
      tell(.presence(agent, false))
    default:
      present.insert(agent)
      tell(.presence(agent, true))
    }
  }

  private mutating func check() {
    var asked: [String: Int] = [:]
    for case .offer(let id, let agent) in wanted {
      asked[agent, default: 0] += 1
      if chats[id]?.offeredTo == agent { broken.append("\(id) is offered to \(agent), and asked for again") }
    }
    for chat in chats.values { if let agent = chat.offeredTo { asked[agent, default: 0] += 1 } }
    for (agent, count) in asked where count > 1 { broken.append("\(agent) is offered \(count) at once") }
    let underWay = Set(
      wanted.map { action in
        switch action {
        case .offer(let id, _), .withdraw(let id, _): id
        }
      })
    for (id, chat) in chats where chat.agent == nil && chat.offeredTo == nil && !underWay.contains(id) {
      for agent in Self.agentIDs where asked[agent] == nil && mayHave(agent, chat) {
        broken.append("\(id) waits, and \(agent) may have it")
      }
    }
    for (id, chat) in chats where !underWay.contains(id) {
      if let agent = chat.offeredTo, ready[agent] == nil || !present.contains(agent) {
        broken.append("\(id) is offered to \(agent), who is gone")
      }
    }
  }
}
