/// Who may come in as which agent: whoever knows the tokens and the sessions.
package protocol AgentRoster: Sendable {
  /// Those who may come in now, in no order; nil if it cannot be known at the moment.
  var viewers: [AgentViewer]? { get }
}

/// What agents may be offered now, whatever they said when another token or sign-in of theirs counted.
package protocol ReadinessSource: Sendable {
  /// What the agent is ready for, as it counts now; nil if it cannot be known at the moment.
  func readiness(of agentID: String) async -> AgentReadiness?
}

extension AgentReadiness {
  /// Whether nothing of it goes beyond what these serve, who are all who may come in as the agent: nobody is ready
  /// without one of them, and of several the one who serves least counts.
  package func isCovered(by viewers: [AgentViewer]) -> Bool {
    switch self {
    case .away: true
    case .ready(nil): !viewers.isEmpty && viewers.allSatisfy { $0.services == nil }
    case .ready(let services?): !viewers.isEmpty && viewers.allSatisfy { services.allSatisfy($0.serves) }
    }
  }
}
