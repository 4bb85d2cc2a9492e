import ChatDomain
import EngineKit
import EntityRuntime
import OptionKit
import Synchronization

/// Gives chats that wait to agents, where the options of their services say so: does what `ChatDistribution` decides.
///
/// It is told what durable events have brought about, and looks the rest up itself: an offer is a command like any other,
/// which the chat may refuse.
package final class ChatDistributor: Sendable {
  private struct Terms: Sendable {
    let isDistributed: Bool
    let offerTime: Duration
  }

  private let machine = Mutex(ChatDistribution())
  private let chats: ChatService
  private let desks: EntityDirectory<AgentDesk>
  private let ready: ReadyAgents
  private let feed: AgentFeed
  private let context: RuntimeContext
  private let tasks: TaskPool
  private let terms: OptionCache<String, Terms>
  private let exceptions = Mutex<[@Sendable (_ serviceID: String) -> Bool]>([])

  private var index: ChatIndex { chats.index }

  init(
    chats: ChatService, desks: EntityDirectory<AgentDesk>, ready: ReadyAgents, feed: AgentFeed,
    context: RuntimeContext, tasks: TaskPool
  ) {
    self.chats = chats
    self.desks = desks
    self.ready = ready
    self.feed = feed
    self.context = context
    self.tasks = tasks
    terms = OptionCache(chats.options) { options, service in
      // Not what a request says: it is about agents.
      let (own, keys) = (options.service(service, request: []), ChatOptions.keys)
      return Terms(isDistributed: own[keys.distribution] == .longestIdle, offerTime: own[keys.offerTime])
    }
    feed.watch { [weak self] agentID, hasLeft in self?.streamsChanged(of: agentID, hasLeft) }
  }

  /// Somebody else gives agents to the chats that this says.
  package func except(_ isElsewhere: @escaping @Sendable (_ serviceID: String) -> Bool) {
    exceptions.withLock { $0.append(isElsewhere) }
  }

  // MARK: What has happened

  /// From here on chats are offered: all chats and agents that there were are known.
  func open() {
    ready.open()
    chats.options.onReplace { [weak self] in self?.fill() }
    fill()
    take { _ in [.opened] }
    later(AgentPresence.graceSeconds * 1_000) { $0.take { _ in [.settled] } }
  }

  /// A chat waits, or does no longer, or does so otherwise; the index knows. Agents may have another load.
  /// - Parameter before: whom it concerned until then.
  func changed(_ serviceID: String, from before: AgentAudience? = nil) {
    take { machine in
      let concerned = Set((before?.agents ?? []) + (index.audience(of: serviceID)?.agents ?? []))
      return loads(of: concerned.filter(machine.knows)) + [standing(of: serviceID)]
    }
  }

  /// An agent has let the offer of this chat pass, or sent it away.
  func missed(_ serviceID: String, by agentID: String) async {
    // In one: who has not taken it must not be the next to whom it is offered.
    take { _ in [.missed(serviceID, by: agentID)] }
    await desks[agentID]?.post(.away)
  }

  private func streamsChanged(of agentID: String, _ hasLeft: Bool) {
    @Sendable func look(_ distributor: ChatDistributor) {
      distributor.take { _ in [.presence(agentID, distributor.feed.presence(agentID) == .online)] }
    }
    look(self)
    if hasLeft { later(AgentPresence.graceSeconds * 1_000, look) }
  }

  /// Everything anew: after a start, and when the options are others.
  private func fill() {
    take { machine in
      let found = index.waiting { terms[$0].isDistributed }
      let others = Set(machine.chats).subtracting(found)
      return loads(of: machine.agentIDs) + others.sorted().map { .gone($0) } + found.map { standing(of: $0) }
    }
  }

  private func loads(of agents: some Sequence<String>) -> [ChatDistribution.Input] {
    agents.sorted().map { .chats(of: $0, index.count(of: $0)) }
  }

  private func standing(of serviceID: String) -> ChatDistribution.Input {
    guard let chat = index.waiting(serviceID), terms[chat.service].isDistributed,
      !exceptions.withLock({ $0 }).contains(where: { $0(serviceID) })
    else { return .gone(serviceID) }
    return .waiting(serviceID, chat)
  }

  // MARK: What follows

  /// Inputs are looked up behind the lock: of two about the same thing the later one is the truth.
  private func take(_ inputs: (borrowing ChatDistribution) -> [ChatDistribution.Input]) {
    let capacity = chats.options.agentCapacity
    let actions = machine.withLock { machine in
      ([.capacity(capacity)] + inputs(machine)).flatMap { machine.received($0) }
    }
    for action in actions {
      switch action {
      case .offer(let chat, let agent): offer(chat, to: agent)
      case .withdraw(let chat, let agent): withdraw(chat, from: agent)
      }
    }
  }

  private func offer(_ chat: String, to agent: String) {
    let retry = context.limits.storageRetryMilliseconds
    let isStarted = tasks.spawn { [self] in
      let readiness = await ready.readiness(of: agent)
      if let readiness, machine.withLock({ $0.readiness(of: agent) }) != readiness {
        // Another token counts now, or none: who is offered it is to be decided anew.
        return take { _ in
          [.readiness(agent, readiness, chats: index.count(of: agent)), .answered(chat, by: agent)]
        }
      }
      // What cannot be known, or the journal had no room for, is tried again, not at once.
      let isAsked = readiness == nil ? false : await isDecided(chat, agent)
      if !isAsked { await context.timers.sleep(milliseconds: retry) }
      take { _ in [.answered(chat, by: agent)] }
    }
    if !isStarted { later(Int(retry)) { $0.take { _ in [.answered(chat, by: agent)] } } }
  }

  /// Asks the chat whether it is still to be offered. - Returns: false if the journal had no room.
  private func isDecided(_ chat: String, _ agent: String) async -> Bool {
    guard let entity = chats.directory[chat], let service = index[chat]?.deskService else { return true }
    do throws(EngineError) {
      return try await chats.perform(.offer(to: agent, lasting: terms[service].offerTime), on: entity) { _ in true }
    } catch {
      switch error {
      case .limitReached, .storageFull, .unavailable: return false
      default: return true
      }
    }
  }

  private func withdraw(_ chat: String, from agent: String) {
    context.lanes[chat.hashValue].enqueue { [chats] in
      await chats.directory[chat]?.post(ChatCommand(.withdrawOffer(from: agent), policy: chats.policy(of: chat)))
    }
  }

  private func later(_ milliseconds: Int, _ body: @escaping @Sendable (ChatDistributor) -> Void) {
    _ = context.timers.schedule(afterMilliseconds: Int64(milliseconds)) { [weak self] in
      if let self { body(self) }
    }
  }
}

extension ChatDistributor: DeskFollower {
  package func readinessChanged(_ agentID: String, _ readiness: AgentReadiness) async {
    deskRestored(agentID, readiness)
  }

  package func deskRestored(_ agentID: String, _ readiness: AgentReadiness) {
    take { _ in [.readiness(agentID, readiness, chats: index.count(of: agentID))] }
  }
}
