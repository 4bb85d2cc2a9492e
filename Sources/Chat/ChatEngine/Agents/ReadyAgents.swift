import EntityRuntime
import Synchronization

/// The agents who are ready, held against those who may come in.
///
/// What a desk remembers was true when its agent said so. Their token may have been made anew for fewer services since,
/// or their sign-in be over: whoever is ready for more than they may serve now is not ready any more, until they say so
/// again. That is looked at before anything is offered, and when tokens or sessions are others.
package final class ReadyAgents: Sendable {
  private struct State {
    var ready: [String: AgentReadiness] = [:]
    var roster: (any AgentRoster)?
    /// All agents and sessions that there were are known.
    var isOpen = false
    /// They are looked at in a moment.
    var isDue = false
  }

  private let desks: EntityDirectory<AgentDesk>
  private let context: RuntimeContext
  private let state = Mutex(State())

  init(desks: EntityDirectory<AgentDesk>, context: RuntimeContext) {
    self.desks = desks
    self.context = context
  }

  /// From here on only those whom it names may be ready. Until then everybody may.
  package func follow(_ roster: any AgentRoster) {
    state.withLock { $0.roster = roster }
    recheck()
  }

  /// From here on desks are set away.
  func open() {
    state.withLock { $0.isOpen = true }
    recheck()
  }

  /// Tokens or sessions are others: whoever is ready for too much is set away in a moment. Any thread; never blocks.
  package func recheck() {
    let isFirst = state.withLock { state in
      guard state.isOpen, state.roster != nil, !state.isDue else { return false }
      state.isDue = true
      return true
    }
    if isFirst { context.lanes[0].enqueue { [self] in await setAway() } }
  }

  private func setAway() async {
    let (ready, roster) = state.withLock { state in
      state.isDue = false
      return (state.ready, state.roster)
    }
    guard !ready.isEmpty, let viewers = roster?.viewers else { return }
    let byAgent = Dictionary(grouping: viewers, by: \.id)
    for (agentID, readiness) in ready.sorted(by: { $0.key < $1.key })
    where !readiness.isCovered(by: byAgent[agentID] ?? []) { _ = await counted(agentID, byAgent[agentID] ?? []) }
  }

  /// What the desk says, if these may say so; else it is set away.
  private func counted(_ agentID: String, _ viewers: [AgentViewer]) async -> AgentReadiness {
    guard let desk = desks[agentID] else { return .away }
    let readiness = await desk.peek { $0.readiness }
    if readiness.isCovered(by: viewers) { return readiness }
    await desk.post(.away)
    return .away
  }
}

extension ReadyAgents: ReadinessSource {
  package func readiness(of agentID: String) async -> AgentReadiness? {
    guard let roster = state.withLock({ $0.roster }) else {
      return await desks[agentID]?.peek { $0.readiness } ?? .away
    }
    guard let viewers = roster.viewers else { return nil }
    return await counted(agentID, viewers.filter { $0.id == agentID })
  }
}

extension ReadyAgents: DeskFollower {
  package func readinessChanged(_ agentID: String, _ readiness: AgentReadiness) async {
    deskRestored(agentID, readiness)
  }

  package func deskRestored(_ agentID: String, _ readiness: AgentReadiness) {
    state.withLock { $0.ready[agentID] = readiness.isReady ? readiness : nil }
  }
}
