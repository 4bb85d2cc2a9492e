package import ChatDomain

/// Who looks at chats, callbacks and requests: an agent, a bot or a supervisor. Spec: GMS 12.3.
///
/// Whoever serves a service sees what waits there, and what is their own. A supervisor sees also what others have.
public struct AgentViewer: Sendable, Equatable {
  /// The agent's id: the name of the token.
  public let id: String
  /// The services, and apps of support requests, that the token names; nil for all.
  public let services: Set<String>?
  public let isSupervisor: Bool

  public init(id: String, services: Set<String>? = nil, isSupervisor: Bool = false) {
    self.id = id
    self.services = services
    self.isSupervisor = isSupervisor
  }

  /// - Parameter service: nil for what belongs to none: only who serves all has to do with it.
  public func serves(_ service: String?) -> Bool {
    guard let services else { return true }
    return service.map { services.contains($0) } ?? false
  }

  package func sees(_ audience: AgentAudience) -> Bool {
    audience.agents.contains(id)
      || (!audience.isPrivate && (audience.isOpen || isSupervisor) && serves(audience.service))
  }
}

/// Whom something concerns.
package struct AgentAudience: Sendable, Equatable {
  /// Nil if it belongs to none.
  var service: String?
  /// Nobody has it: all who serve the service are concerned.
  var isOpen: Bool
  /// Whose own it is.
  package var agents: [String]
  /// Nobody oversees it.
  var isPrivate: Bool

  package init(service: String?, isOpen: Bool, agents: [String] = [], isPrivate: Bool = false) {
    self.service = service
    self.isOpen = isOpen
    self.agents = agents
    self.isPrivate = isPrivate
  }

  package init(_ chat: borrowing ChatSession) {
    self.init(
      service: chat.deskService, isOpen: chat.isWaiting, agents: chat.agents.map(\.id) + chat.invitations)
  }

  /// Those whom it concerns, and those whom it concerned before: they are to learn that it does so no longer.
  package func union(_ before: AgentAudience?) -> AgentAudience {
    guard let before else { return self }
    return AgentAudience(
      service: service, isOpen: isOpen || before.isOpen, agents: agents + before.agents.filter { !agents.contains($0) })
  }
}
