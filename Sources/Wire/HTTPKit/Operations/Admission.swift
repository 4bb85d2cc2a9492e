package import Hummingbird

/// Who may ask for an operation, and what its handler is told of them.
package struct Admission<Routes: Sendable, Caller>: Sendable {
  /// What the description says of it.
  package let described: APIAccess
  /// - Throws: what is answered to whoever may not.
  package let admit: @Sendable (Routes, Request, EdgeRequestContext) async throws -> Caller

  package init(
    _ described: APIAccess, _ admit: @escaping @Sendable (Routes, Request, EdgeRequestContext) async throws -> Caller
  ) {
    self.described = described
    self.admit = admit
  }
}

/// Routes whose callers show access tokens.
package protocol TokenRoutes: Sendable {
  var tokens: TokenStore { get }
}

extension Admission where Routes: TokenRoutes, Caller == AccessToken {
  /// A token that takes part in chats.
  package static var agent: Self { Self(.agent) { routes, request, _ in try request.agentToken(in: routes.tokens) } }

  /// An operator's token.
  package static var admin: Self { Self(.admin) { routes, request, _ in try request.requireOperator(routes.tokens) } }

  /// A token whose holder may sign in to the console.
  package static var staff: Self { Self(.staff) { routes, request, _ in try request.staffToken(in: routes.tokens) } }

  /// A token that may publish notifications.
  package static var publisher: Self {
    Self(.publisher) { routes, request, _ in try request.publisherToken(in: routes.tokens) }
  }

  /// A token that may use application channels as a back end.
  package static var channels: Self {
    Self(.channels) { routes, request, _ in try request.channelsToken(in: routes.tokens) }
  }

  /// A token that may follow the journal.
  package static var standby: Self {
    Self(.standby) { routes, request, _ in try request.standbyToken(in: routes.tokens) }
  }
}

extension Request {
  /// The usable token that the request shows, or that its session acts as: see `shownToken`.
  package func accessToken(in tokens: TokenStore) throws(EdgeFailure) -> AccessToken {
    guard let token = try shownToken(in: tokens) else {
      try refuseTokenInURL()
      throw .tokenRequired
    }
    return token
  }

  /// - Throws: unless the request bears a token of somebody who takes part in chats.
  package func agentToken(in tokens: TokenStore) throws(EdgeFailure) -> AccessToken {
    try accessToken(in: tokens).admittedToChats()
  }

  /// - Throws: unless the request bears an operator's token.
  @discardableResult
  package func requireOperator(_ tokens: TokenStore) throws(EdgeFailure) -> AccessToken {
    let token = try accessToken(in: tokens)
    guard token.role == .admin else { throw .forbidden("This needs an operator's token") }
    return token
  }

  /// - Throws: unless the request bears the token of somebody who may sign in to the console.
  package func staffToken(in tokens: TokenStore) throws(EdgeFailure) -> AccessToken {
    try accessToken(in: tokens).admittedToConsole()
  }

  /// - Throws: unless the request bears the token of somebody who may publish.
  package func publisherToken(in tokens: TokenStore) throws(EdgeFailure) -> AccessToken {
    let token = try accessToken(in: tokens)
    guard token.role.mayPublish else { throw .forbidden("This needs a publisher's token") }
    return token
  }

  /// - Throws: unless the request bears the token of somebody who may use application channels as a back end.
  package func channelsToken(in tokens: TokenStore) throws(EdgeFailure) -> AccessToken {
    let token = try accessToken(in: tokens)
    guard token.role.mayUseChannels else { throw .forbidden("This needs a token of the role channels") }
    return token
  }

  /// - Throws: unless the request bears the token of somebody who may follow the journal.
  package func standbyToken(in tokens: TokenStore) throws(EdgeFailure) -> AccessToken {
    let token = try accessToken(in: tokens)
    guard token.role.mayFollow else { throw .forbidden("This needs a standby's token") }
    return token
  }
}

extension TokenStore {
  /// The usable token of somebody who takes part in chats.
  /// - Parameter secret: nil if none was shown.
  /// - Throws: what is said to everybody else.
  package func agent(bearing secret: String?) throws(EdgeFailure) -> AccessToken {
    guard let token = secret.flatMap({ token(for: $0) }) else { throw .tokenRequired }
    return try token.admittedToChats()
  }
}

extension AccessToken {
  /// - Throws: if its role has no part in the console.
  package func admittedToConsole() throws(EdgeFailure) -> AccessToken {
    guard role.mayUseConsole else {
      throw .forbidden("A token of the role \(role.rawValue) has no part in the console")
    }
    return self
  }

  /// - Throws: if its role has no part in chats.
  package func admittedToChats() throws(EdgeFailure) -> AccessToken {
    guard role.takesPartInChats else { throw .forbidden("A token of this role has no part in chats") }
    return self
  }
}
