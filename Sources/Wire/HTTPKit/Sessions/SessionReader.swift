package import NetworkAddress

/// Who knows which sessions are open. Any thread.
package protocol SessionReader: Sendable {
  /// Whom an open session acts as; nil if there is no such session, or none any more.
  /// - Parameter key: `SessionSecret.key`.
  func holder(ofSession key: String) -> SessionHolder?
  /// Those who are signed in without a token of the file, each once by each name.
  var people: [AccessToken] { get }
  /// It has been used just now, which puts its end off.
  func used(session key: String)
  /// A request of it has come from there.
  func visited(session key: String, from visit: SessionVisit)
  /// The token that it acted as opens nothing any more.
  func orphaned(session key: String)
  /// A usable token has the name of whoever it acted as without one.
  func superseded(session key: String)
  /// Whoever follows is told when a session has been opened or is over.
  func onChange(_ follower: @escaping @Sendable () -> Void)
}

/// Whom a session acts as.
package enum SessionHolder: Sendable, Equatable {
  /// The token with this id, as it is now.
  case token(id: String)
  /// Somebody whom an identity provider has vouched for, as they were then.
  case person(AccessToken)
}

/// Where a request of a session has come from.
package struct SessionVisit: Sendable, Equatable {
  /// Nil if it is not known.
  package let address: IPAddress?
  /// As the browser calls itself, as much of it as is kept.
  package let userAgent: String?

  package init(address: IPAddress?, userAgent: String?) {
    self.address = address
    self.userAgent = userAgent.map { String($0.prefix(Self.userAgentCharactersMaximum)) }
  }

  package static let userAgentCharactersMaximum = 256
}
