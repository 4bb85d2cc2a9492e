import EngineKit
import EventSourcing

/// Who is offered which chat that waits: the machine.
///
/// ```
///   a chat waits ──────────────────────────┐
///                                          ├──> offer ──> the chat says itself that it is offered, or to nobody
///   an agent is ready, there, has room, ───┘                │
///   and is offered nothing                                  ├──> they join: it waits no more
///                                                           ├──> it ends otherwise: the next one
///                                                           └──> they are gone or not ready: withdraw
/// ```
/// The oldest wait comes first. Whoever was invited to a chat comes before all others, whatever they serve; then those
/// who serve its service, of these whoever has the fewest chats, and of these whoever has had nothing come or go for
/// longest. An agent is offered one chat at a time: of one who is not there only one waits. It knows what it has been
/// told of; the truth about an offer is the chat's.
struct ChatDistribution {
  /// A chat that waits.
  struct Waiting: Equatable {
    /// Whose agents it is for.
    var service: String
    var since: Timestamp
    /// Who may have it first.
    var invited: [String] = []
    /// To whom it is offered.
    var offeredTo: String?
  }

  enum Input: Equatable {
    /// A chat waits, or does so otherwise than before.
    case waiting(String, Waiting)
    /// It does not, or it is not for the machine to give.
    case gone(String)
    /// An agent says whether they take chats; they have so many.
    case readiness(String, AgentReadiness, chats: Int)
    /// They have not taken what they were offered, or have sent it away: they are not ready any more.
    case missed(String, by: String)
    case chats(of: String, Int)
    /// Somebody looks at what the agent is told, or nobody does any more.
    case presence(String, Bool)
    /// Agents may have so many.
    case capacity(Int)
    /// All chats and agents that there were are known.
    case opened
    /// Whoever was there before the start had the time to come back.
    case settled
    /// What came of `offer` is known, and the chat has told it before.
    case answered(String, by: String)
  }

  enum Action: Equatable {
    case offer(String, to: String)
    case withdraw(String, from: String)
  }

  /// The first to be given is the smallest.
  private struct Ticket: Comparable {
    let since: Timestamp
    let id: String

    static func < (left: Ticket, right: Ticket) -> Bool { (left.since, left.id) < (right.since, right.id) }
  }

  private struct Agent {
    var readiness = AgentReadiness.away
    var isPresent = false
    var chats = 0
    /// Rises with each that something has come to or gone from: the smallest has been idle longest.
    var order: UInt64 = 0
    /// Chats that are offered to them.
    var offers: Set<String> = []
    /// A chat that is just being offered to them.
    var asked: String?

    func serves(_ service: String) -> Bool {
      switch readiness {
      case .away: false
      case .ready(nil): true
      case .ready(let services?): services.contains(service)
      }
    }
  }

  private var waiting: [String: Waiting] = [:]
  /// Those that nobody is offered, each service's in their order; and those of them that an agent is invited to.
  private var queues: [String: SortedPieces<Ticket>] = [:]
  private var invitations: [String: SortedPieces<Ticket>] = [:]
  /// Chats that are just being offered, and to whom.
  private var asking: [String: String] = [:]
  private var agents: [String: Agent] = [:]
  private var capacity = 0
  private var lastOrder: UInt64 = 0
  private var isOpen = false
  private var isSettled = false

  /// The chats that it knows of.
  var chats: some Collection<String> { waiting.keys }

  /// The agents that it knows of.
  var agentIDs: some Collection<String> { agents.keys }

  /// What it was told last that they are ready for.
  func readiness(of agentID: String) -> AgentReadiness { agents[agentID]?.readiness ?? .away }

  /// An agent's load matters.
  func knows(_ agentID: String) -> Bool { agents[agentID] != nil }

  mutating func received(_ input: Input) -> [Action] {
    var withdrawn: [Action] = []
    switch input {
    case .waiting(let id, let chat): withdrawn = set(id, chat)
    case .gone(let id): withdrawn = set(id, nil)
    case .readiness(let id, let readiness, let chats):
      withdrawn = change(id) { agent in
        agent.readiness = readiness
        agent.chats = chats
      }
    case .missed(let chat, let id): withdrawn = miss(chat, by: id)
    case .chats(let id, let count): if knows(id) { withdrawn = change(id) { $0.chats = count } }
    case .presence(let id, let isPresent): withdrawn = change(id) { $0.isPresent = isPresent }
    case .capacity(let count): capacity = count
    case .opened:
      isOpen = true
      withdrawn = lostOffers()
    case .settled:
      isSettled = true
      withdrawn = lostOffers()
    case .answered(let chat, let agent):
      if asking[chat] == agent { asking[chat] = nil }
      if agents[agent]?.asked == chat { agents[agent]?.asked = nil }
      queue(chat)
      forgetIfIdle(agent)
    }
    return isOpen ? withdrawn + offers() : []
  }

  // MARK: Chats

  private mutating func set(_ id: String, _ chat: Waiting?) -> [Action] {
    let before = waiting[id]
    guard before != chat else { return [] }
    unqueue(id)
    if let agent = before?.offeredTo, agent != chat?.offeredTo {
      agents[agent]?.offers.remove(id)
      forgetIfIdle(agent)
    }
    waiting[id] = chat
    queue(id)
    guard let agent = chat?.offeredTo else { return [] }
    agents[agent, default: Agent()].offers.insert(id)
    return isLost(agent) ? [.withdraw(id, from: agent)] : []
  }

  /// Nothing if it is offered, or just being so.
  private mutating func queue(_ id: String) {
    guard let chat = waiting[id], chat.offeredTo == nil, asking[id] == nil else { return }
    let ticket = Ticket(since: chat.since, id: id)
    queues[chat.service, default: SortedPieces()].insert(ticket)
    for agent in chat.invited { invitations[agent, default: SortedPieces()].insert(ticket) }
  }

  private mutating func unqueue(_ id: String) {
    guard let chat = waiting[id] else { return }
    let ticket = Ticket(since: chat.since, id: id)
    queues[chat.service]?.remove(ticket)
    if queues[chat.service]?.isEmpty == true { queues[chat.service] = nil }
    for agent in chat.invited {
      invitations[agent]?.remove(ticket)
      if invitations[agent]?.isEmpty == true { invitations[agent] = nil }
    }
  }

  // MARK: Agents

  private mutating func change(_ id: String, _ body: (inout Agent) -> Void) -> [Action] {
    var agent = agents[id] ?? Agent()
    let before = agent
    body(&agent)
    // Other services are no work.
    if before.readiness.isReady != agent.readiness.isReady || before.isPresent != agent.isPresent
      || before.chats != agent.chats
    {
      lastOrder += 1
      agent.order = lastOrder
    }
    agents[id] = agent
    let hasGone = !agent.readiness.isReady || (before.isPresent && !agent.isPresent)
    defer { forgetIfIdle(id) }
    return hasGone ? agent.offers.sorted().map { .withdraw($0, from: id) } : []
  }

  private mutating func miss(_ chat: String, by id: String) -> [Action] {
    agents[id]?.offers.remove(chat)
    let withdrawn = change(id) { $0.readiness = .away }
    guard var missed = waiting[chat], missed.offeredTo == id else { return withdrawn }
    missed.offeredTo = nil
    return withdrawn + set(chat, missed)
  }

  /// Nothing is kept of those who are away in every way.
  private mutating func forgetIfIdle(_ id: String) {
    guard let agent = agents[id], !agent.readiness.isReady, !agent.isPresent, agent.offers.isEmpty, agent.asked == nil
    else { return }
    agents[id] = nil
  }

  /// What is offered to them is to go on to the next one.
  private func isLost(_ id: String) -> Bool {
    guard let agent = agents[id], agent.readiness.isReady else { return true }
    return isSettled && !agent.isPresent
  }

  private func lostOffers() -> [Action] {
    agents.keys.sorted().filter(isLost).flatMap { id in
      (agents[id]?.offers ?? []).sorted().map { .withdraw($0, from: id) }
    }
  }

  private func isFree(_ agent: Agent) -> Bool {
    agent.readiness.isReady && agent.isPresent && agent.offers.isEmpty && agent.asked == nil && agent.chats < capacity
  }

  // MARK: Pairs

  private mutating func offers() -> [Action] {
    var actions: [Action] = []
    guard !queues.isEmpty else { return actions }
    var free = agents.filter { isFree($0.value) }
    while let (chat, agent) = nextPair(free) {
      unqueue(chat)
      asking[chat] = agent
      agents[agent]?.asked = chat
      free[agent] = nil
      actions.append(.offer(chat, to: agent))
    }
    return actions
  }

  /// The chat that has waited longest of those that one of these may have, and who is to have it.
  private func nextPair(_ free: [String: Agent]) -> (chat: String, agent: String)? {
    var first: Ticket?
    func consider(_ ticket: Ticket?) {
      if let ticket, first.map({ ticket < $0 }) ?? true { first = ticket }
    }
    for (service, queue) in queues where free.values.contains(where: { $0.serves(service) }) {
      consider(queue.first { _ in true })
    }
    for agent in free.keys { consider(invitations[agent]?.first { _ in true }) }
    guard let first, let chat = waiting[first.id] else { return nil }
    if let invited = chat.invited.first(where: { free[$0] != nil }) { return (first.id, invited) }
    let able = free.filter { $0.value.serves(chat.service) }
    let best = able.min { ($0.value.chats, $0.value.order) < ($1.value.chats, $1.value.order) }
    return best.map { (first.id, $0.key) }
  }
}
