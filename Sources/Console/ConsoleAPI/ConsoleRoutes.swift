package import ConsoleEngine
package import EdgeSecurity
import EngineKit
import EventSourcing
package import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// Signing in to the console and out of it, and the sessions that are open.
///
/// Whoever shows a token, or the code of a one-time link, gets a cookie that a browser sends by itself and no script can
/// read. It opens what the token opens, for pages of this server alone.
package struct ConsoleRoutes: TokenRoutes {
  let sessions: ConsoleService
  package let tokens: TokenStore
  /// Hears of tokens and codes that open nothing.
  let guesses: GuessGuard
  /// How much one list may hold.
  let listMaximum: Int

  /// What is posted to sign in is a token and little else.
  static let bodyBytesMaximum = 4_096

  package init(sessions: ConsoleService, tokens: TokenStore, guesses: GuessGuard, listMaximum: Int) {
    self.sessions = sessions
    self.tokens = tokens
    self.guesses = guesses
    self.listMaximum = listMaximum
  }

  // MARK: Signing in

  func signIn(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    try Self.checkPage(request)
    let shown = try Credential(try JSONBody(try await request.bytes(upTo: Self.bodyBytesMaximum)))
    guard let (token, code) = try await holder(of: shown) else { throw refusal(of: shown, context) }
    let holder = try token.admittedToConsole()
    let secret = SessionSecret()
    let view = try await sessions.open(
      secret.key, tokenID: holder.id, name: holder.name, role: holder.role.rawValue, code: code)
    // The browser forgets the former one at this very answer.
    if let former = ShownSession(request) { try await sessions.end(former.secret.key, .signedOut) }
    let cookie = SessionCookie.field(secret, seconds: view.cookieSeconds, isSecure: context.isSecure)
    return Self.answer(view, holder, secret, adding: [.setCookie: cookie])
  }

  /// A form of a page of another origin could sign somebody in as somebody else: it can post no JSON, and says where it
  /// is from.
  private static func checkPage(_ request: Request) throws {
    try request.refuseTokenInURL()
    _ = try ListQuery.known(request, [])
    guard request.isOfOwnPage else { throw EdgeFailure.forbidden("Signing in is for pages of this server") }
    let type = MediaType(request.headers[.contentType])
    guard let type, type.isJSON else { throw ParameterFailure.unsupportedContentType(type?.name ?? "none") }
  }

  /// What is shown to sign in.
  enum Credential: Equatable {
    case token(String)
    case code(String)

    init(_ body: JSONBody) throws(EdgeFailure) {
      switch (try body.optionalText("token"), try body.optionalText("code")) {
      case (nil, nil): throw .missingParameter("token")
      case (.some, .some): throw .badParameter("code", "stands beside token: show one of them")
      case (let token?, nil):
        guard !token.isEmpty else { throw .badParameter("token", "is empty") }
        self = .token(token)
      case (nil, let code?):
        guard !code.isEmpty else { throw .badParameter("code", "is empty") }
        self = .code(code)
      }
    }
  }

  /// The token that is shown, or whose link it is, with the hash of the link's code; nil for what opens nothing.
  private func holder(of shown: Credential) async throws -> (AccessToken, code: String?)? {
    switch shown {
    case .token(let secret): return tokens.token(for: secret).map { ($0, nil) }
    case .code(let code):
      do {
        return try await sessions.onThread { [tokens] in try tokens.redeem(code) }.map { ($0.token, $0.hash) }
      } catch is TokenStoreError {
        throw EdgeFailure.unavailable("The file of the tokens cannot be read or written")
      }
    }
  }

  private func refusal(of shown: Credential, _ context: EdgeRequestContext) -> EdgeFailure {
    if let refusal = guesses.wrongCredential(from: context.clientAddress) { return EdgeFailure(refusal) }
    guard case .code = shown else { return .tokenRequired }
    var failure = EdgeFailure.tokenRequired
    failure.message = "This link has been used already, or has come too late: make another with `carillon token link`"
    return failure
  }

  // MARK: One's own session

  func session(_ token: AccessToken, _ request: Request) throws -> Response {
    _ = try ListQuery.known(request, [])
    guard let key = token.session, let shown = ShownSession(request), let view = sessions.view(key) else {
      throw EdgeFailure.sessionRequired
    }
    return Self.answer(view, token, shown.secret)
  }

  func signOut(_ token: AccessToken, _ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    _ = try ListQuery.known(request, [])
    guard let key = token.session, try await sessions.end(key, .signedOut) else { throw EdgeFailure.sessionRequired }
    return Response(
      status: .noContent, headers: [.setCookie: SessionCookie.cleared(isSecure: context.isSecure)])
  }

  private static func answer(
    _ view: ConsoleSessionView, _ token: AccessToken, _ secret: SessionSecret, adding fields: HTTPFields = [:]
  ) -> Response {
    .object(adding: fields) { session in
      session.member("name", token.name)
      session.member("role", token.role.rawValue)
      session.member("services", ifPresent: token.services)
      session.member("csrf", secret.antiForgeryToken)
      session.member("idleSeconds", view.terms.idleSeconds)
      session.member("expiresAt", view.terms.expiresAt.iso8601)
    }
  }

  // MARK: All sessions

  /// One's own; an operator's: everybody's.
  func list(_ token: AccessToken, _ request: Request) throws -> Response {
    let query = try ListQuery(request, limitMaximum: listMaximum)
    let usable = try usableTokens()
    let roles = Dictionary(usable.map { ($0.id, $0.role) }) { first, _ in first }
    let names = Set(usable.map(\.name))
    let open = sessions.open().filter { view in
      guard Self.role(of: view, roles) != nil else {
        sessions.orphaned(view.id)
        return false
      }
      guard view.terms.person == nil || !names.contains(view.terms.name) else {
        sessions.superseded(session: view.id)
        return false
      }
      return token.role == .admin || view.terms.tokenID == token.id
    }
    let page = try query.page(of: open) { $0.id }
    return .json(adding: page.link) { list in
      list.objects(page.elements) { view, object in
        Self.write(view, Self.role(of: view, roles), isCurrent: view.id == token.session, into: &object)
      }
    }
  }

  func revoke(_ token: AccessToken, _ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    _ = try ListQuery.known(request, [])
    let id = try context.parameters.require("id")
    guard let view = sessions.view(id), token.role == .admin || view.terms.tokenID == token.id,
      try await sessions.end(id, id == token.session ? .signedOut : .revoked(by: token.name))
    else { throw EdgeFailure.notFound }
    return Response(status: .noContent)
  }

  private func usableTokens() throws(EdgeFailure) -> [AccessToken] {
    guard let all = try? tokens.list() else { throw .unavailable("The file of the tokens cannot be read") }
    return all.filter(\.isUsable)
  }

  /// - Parameter roles: by the ids of the usable tokens. - Returns: nil if what it acts as opens nothing any more.
  private static func role(of view: ConsoleSessionView, _ roles: [String: TokenRole]) -> TokenRole? {
    view.terms.person == nil ? roles[view.terms.tokenID] : view.person?.role
  }

  private static func write(
    _ view: ConsoleSessionView, _ role: TokenRole?, isCurrent: Bool, into object: inout JSONObjectWriter
  ) {
    object.member("id", view.id)
    object.member("name", view.terms.name)
    object.member("role", role?.rawValue ?? view.terms.role)
    object.member("issuer", ifPresent: view.terms.person?.issuer)
    object.member("subject", ifPresent: view.terms.person?.subject)
    object.member("openedAt", view.openedAt.iso8601)
    object.member("seenAt", view.seenAt.iso8601)
    object.member("expiresAt", view.terms.expiresAt.iso8601)
    object.member("addresses", view.addresses)
    object.member("userAgent", ifPresent: view.userAgent)
    object.member("current", isCurrent)
  }
}

extension EdgeFailure {
  fileprivate static let sessionRequired: EdgeFailure = {
    var failure = EdgeFailure.tokenRequired
    failure.message = "Nobody is signed in here"
    return failure
  }()
}
