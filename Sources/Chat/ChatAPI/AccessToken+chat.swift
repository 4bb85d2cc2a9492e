package import ChatDomain
package import ChatEngine
import EngineKit
import HTTPKit

extension TokenRole {
  /// The side that a holder of this role stands on in a chat.
  package var partyRole: PartyRole {
    switch self {
    case .agent: .agent
    case .supervisor: .supervisor
    case .bot, .admin, .sender, .publisher, .channels, .standby: .external
    }
  }

  /// Whether the holder may join as `role`: a supervisor as anyone but the customer, the others as themselves.
  package func permits(_ role: PartyRole) -> Bool { role == partyRole || (self == .supervisor && role != .client) }
}

extension AccessToken {
  /// Who looks, where its holder does.
  package var viewer: AgentViewer {
    AgentViewer(id: name, services: services.map { Set($0) }, isSupervisor: role == .supervisor)
  }
}
