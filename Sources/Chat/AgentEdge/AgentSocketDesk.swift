import ChatAPI
import HTTPKit
import Logging

/// What all agents' sockets of one server work with.
struct AgentSocketDesk: Sendable {
  let routes: AgentRoutes
  let limits: AgentSocketLimits
  /// By their words.
  private let acts: [String: BoundAgentAct]
  /// What a login is answered as.
  private static let introduction = "me"

  init(routes: AgentRoutes, acts: [BoundAgentAct], limits: AgentSocketLimits) {
    self.routes = routes
    self.limits = limits
    self.acts = Dictionary(uniqueKeysWithValues: acts.map { ($0.word, $0) })
  }

  /// For each word whether a chat has to be named.
  var words: [String: Bool] { acts.mapValues(\.isInChat) }

  /// Does what is asked for, and says what the route would.
  func perform(
    _ request: AgentSocketRequest, by token: AccessToken, _ address: RequestedAddress, _ logger: Logger
  ) async -> Result<[UInt8], EdgeFailure> {
    guard routes.tokens.mayAct(token) else { return .failure(.tokenRequired) }
    guard let act = acts[request.word] ?? acts[Self.introduction] else { return .failure(.notFound) }
    do {
      return .success(
        try await act.perform(AgentCall(token: token, chat: request.chat, body: request.body, address: address)))
    } catch {
      return .failure(EdgeFailure(describing: error, logger: logger))
    }
  }
}
