import ChatAPI
import ChatEngine
import EngineKit
import HTTPKit
import HTTPTypes
import Hummingbird
import OptionKit
import SupportEngine

/// Who asks. 401 makes an app forget its user: it is said to a bearer that opens nothing, to whoever shows none, and
/// never for a fault that passes. Spec: support requests 2, 2.1.
struct SupportAccess {
  let support: SupportService
  let tokens: TokenStore
  let options: OptionStore

  func actor(_ request: Request, at desk: SupportDesk) async throws -> SupportActor {
    try checkApp(request)
    let bearer = TokenStore.bearer(of: request.headers[.authorization])
    switch desk {
    case .endUsers:
      if let user = bearer.flatMap({ support.endUser(bearing: $0) }) {
        try support.admit(user)
        return user
      }
      guard try token(request) == nil else { throw EdgeFailure.forbidden("This is for end users") }
    case .agents:
      if let token = try token(request) { return try await agent(token) }
      guard bearer.flatMap({ support.endUser(bearing: $0) }) == nil else {
        throw EdgeFailure.forbidden("This is for agents")
      }
    }
    throw EdgeFailure.unknownSupportIdentity
  }

  /// An end user or an agent.
  func actor(_ request: Request) async throws -> SupportActor {
    if let token = try token(request) { return try await agent(token) }
    return try await actor(request, at: .endUsers)
  }

  /// - Throws: unless the request bears an operator's token. Spec: support requests 7.1.
  func requireOperator(_ request: Request) throws(EdgeFailure) {
    guard let token = try token(request) else {
      guard
        TokenStore.bearer(of: request.headers[.authorization]).flatMap({ support.endUser(bearing: $0) }) == nil
      else { throw .forbidden("This is for operators") }
      throw .unknownSupportIdentity
    }
    guard token.role == .admin else { throw .forbidden("This is for operators") }
  }

  private func agent(_ token: AccessToken) async throws -> SupportActor {
    guard token.role.takesPartInChats || token.role == .admin else {
      throw EdgeFailure.forbidden("A token of this role has no part in requests")
    }
    return try await support.agent(named: token.name, services: token.viewer.services)
  }

  /// `Bearer {token}`, or `Basic {email}/token:{token}` as Zendesk's API tokens are shown; or a session's.
  private func token(_ request: Request) throws(EdgeFailure) -> AccessToken? {
    guard let pair = BasicCredentials(authorization: request.headers[.authorization]) else {
      return try request.shownToken(in: tokens)
    }
    return pair.username.hasSuffix("/token") ? tokens.token(for: pair.password) : nil
  }

  // MARK: Apps

  /// An app that names itself is one that is known.
  func checkApp(_ request: Request) throws(SupportFailure) {
    if let client = request.headers[.clientIdentifier], support.app(client) == nil { throw .unknownApp }
  }

  /// The app that asks.
  func app(_ request: Request) throws(SupportFailure) -> SupportAppSettings {
    guard let client = request.headers[.clientIdentifier], !client.isEmpty else {
      throw .missing(field: HTTPField.Name.clientIdentifier.rawName)
    }
    guard let app = support.app(client) else { throw .unknownApp }
    return app
  }

  // MARK: Agents

  /// Whether it is an agent's, who is no end user: by the name of a token, or by the option `support.agent_emails`.
  func isAgent(email: String) throws(EdgeFailure) -> Bool {
    let email = email.trimmed.lowercased()
    let listed = options.current.support[SupportOptions.keys.agentEmails] ?? []
    if listed.contains(where: { $0.lowercased() == email }) { return true }
    guard let tokens = try? tokens.holders() else { throw .unavailable("The agents' tokens cannot be read") }
    return tokens.contains {
      ($0.role == .agent || $0.role == .supervisor) && $0.name.lowercased() == email
    }
  }
}

extension String {
  /// Without blanks at either side: they make no other address of an address.
  var trimmed: String { String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()) }
}

extension HTTPField.Name {
  /// The client id of the SDK's app.
  static let clientIdentifier = HTTPField.Name("Client-Identifier")!
}
