import EngineKit
import EntityRuntime
import EventSourcing
import Synchronization

/// Whoever gives work to agents.
package protocol DeskFollower: Sendable {
  func readinessChanged(_ agentID: String, _ readiness: AgentReadiness) async
  /// A start has found the agent's desk.
  func deskRestored(_ agentID: String, _ readiness: AgentReadiness)
}

/// What agents' desks want done: whoever gives them work, and their colleagues, are told.
package final class AgentHost: EntityHost {
  let directory: EntityDirectory<AgentDesk>
  private let feed: AgentFeed
  private let followers = Mutex<[any DeskFollower]>([])

  init(_ directory: EntityDirectory<AgentDesk>, feed: AgentFeed) {
    self.directory = directory
    self.feed = feed
  }

  package func add(_ follower: any DeskFollower) { followers.withLock { $0.append(follower) } }

  var rearming: RearmPhase? { nil }

  func perform(_ effects: [AgentDesk.Effect], of desk: Entity<AgentDesk>) async {
    let agentID = desk.id.key
    for case .readinessChanged(let readiness) in effects {
      if feed.hasListeners {
        // Colleagues, not customers: whoever serves all services sees who is there.
        feed.publish(
          chatID: "", serviceID: "", .agent(id: agentID, isReady: readiness.isReady),
          to: AgentAudience(service: nil, isOpen: true, agents: [agentID]))
      }
      for follower in followers.withLock({ $0 }) { await follower.readinessChanged(agentID, readiness) }
    }
  }

  func note(of desk: borrowing AgentDesk) -> [UInt8] { AgentDesk.note(desk) }

  func restored(_ key: String, _ desk: borrowing AgentDesk) { restored(key, desk.readiness) }

  func restored(_ key: String, note: [UInt8]) throws(PayloadError) -> Bool {
    restored(key, try AgentDesk.readiness(note: note))
    return true
  }

  private func restored(_ key: String, _ readiness: AgentReadiness) {
    for follower in followers.withLock({ $0 }) { follower.deskRestored(key, readiness) }
  }
}
