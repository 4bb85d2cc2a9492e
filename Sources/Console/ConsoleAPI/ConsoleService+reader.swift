package import ConsoleEngine
import EventSourcing
package import HTTPKit
import NetworkAddress

/// What the edge knows sessions by.
extension ConsoleService: SessionReader {
  package func holder(ofSession key: String) -> SessionHolder? {
    guard let view = view(key) else { return nil }
    guard view.terms.person != nil else { return .token(id: view.terms.tokenID) }
    return view.person.map { .person($0) }
  }

  package var people: [AccessToken] { openOfPeople().compactMap(\.person) }
  package func used(session key: String) { used(key) }
  package func orphaned(session key: String) { orphaned(key) }
  package func superseded(session key: String) { orphaned(key, .nameTaken) }

  package func visited(session key: String, from visit: SessionVisit) {
    visited(key, from: visit.address?.description, userAgent: visit.userAgent)
  }
}

extension ConsoleSessionView {
  /// As what somebody acts who was signed in by a provider; nil for whoever has a token.
  var person: AccessToken? {
    guard let person = terms.person, let role = TokenRole(rawValue: terms.role) else { return nil }
    return AccessToken(
      person: terms.tokenID, name: terms.name, role: role, services: person.services, createdAt: openedAt.iso8601)
  }
}
