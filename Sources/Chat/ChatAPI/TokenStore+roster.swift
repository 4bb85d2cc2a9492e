package import ChatEngine
package import HTTPKit

/// Usable tokens and open sessions say who may be given work.
extension TokenStore: AgentRoster {
  package var viewers: [AgentViewer]? { (try? holders())?.filter(\.isAgent).map(\.viewer) }
}

extension AgentService {
  /// From here on nobody is ready for more than a usable token or an open session allows.
  package func follow(_ tokens: TokenStore) {
    ready.follow(tokens)
    tokens.onChange { [ready] in ready.recheck() }
  }
}
