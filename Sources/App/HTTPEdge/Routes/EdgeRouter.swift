import EdgeSecurity
import Engine
import HTTPTypes
import Hummingbird
import Logging

/// Puts all routes together: one line for each resource.
struct EdgeRouter {
  let engine: Engine
  let tokens: TokenStore
  let limits: EdgeLimits
  let messaging: MessagingEdgeSettings
  /// Whether every user key that reaches a route is proven.
  let provesUsers: Bool
  /// Asks apps' back ends who their users are.
  let verifyIdentity: SupportIdentityVerifier
  /// Hears of wrong credentials that routes do not answer with 401.
  let guesses: GuessGuard
  /// The server's version.
  let version: String
  /// The text of `/metrics`.
  let exposition: @Sendable () -> String
  let logger: Logger

  func responder() -> RouterResponder<EdgeRequestContext> { router().buildResponder() }

  /// All routes, each described in `OpenAPI`.
  func router() -> EdgeRoutes {
    let router = Router(context: EdgeRequestContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: FailureMiddleware())
    OperationRoutes(engine: engine, exposition: exposition).add(to: router)
    OpenAPIRoutes(version: version).add(to: router)
    ServiceRoutes(engine: engine, limits: limits).add(to: router)
    ChatRoutes(engine: engine, limits: limits).add(to: router)
    CallbackRoutes(engine: engine, tokens: tokens, limits: limits, settings: messaging).add(to: router)
    CallbackActionRoutes(engine: engine, limits: limits, settings: messaging).add(to: router)
    CallbackAdminRoutes(engine: engine, tokens: tokens, limits: limits, settings: messaging).add(to: router)
    NotificationRoutes(engine: engine, tokens: tokens, limits: limits, provesUsers: provesUsers).add(to: router)
    StorageRoutes(engine: engine, limits: limits, settings: messaging).add(to: router)
    AgentRoutes(engine: engine, tokens: tokens, limits: limits, settings: messaging).add(to: router)
    AgentCallbackRoutes(engine: engine, tokens: tokens, limits: limits).add(to: router)
    AdminRoutes(engine: engine, tokens: tokens, limits: limits).add(to: router)
    AdminPushRoutes(engine: engine, tokens: tokens, limits: limits).add(to: router)
    DeviceRoutes(engine: engine, limits: limits).add(to: router)
    SupportRoutes(engine: engine, tokens: tokens, limits: limits, settings: messaging, verifyIdentity: verifyIdentity)
      .add(to: router)
    MessagingRoutes(
      engine: engine, tokens: tokens, limits: limits, settings: messaging, guesses: guesses, logger: logger
    ).add(to: router)
    return router
  }
}

typealias EdgeRoutes = Router<EdgeRequestContext>
typealias EdgeRoute = @Sendable (Request, EdgeRequestContext) async throws -> Response

extension Router<EdgeRequestContext> {
  /// A resource with these methods; each other one is answered with 405.
  func resource(_ path: RouterPath, _ routes: [HTTPRequest.Method: EdgeRoute]) {
    for (method, route) in routes { on(path, method: method, use: route) }
    let offered = Set(routes.keys).union(routes[.get] == nil ? [] : [.head])
    let allow = (offered.map(\.rawValue) + ["OPTIONS"]).sorted().joined(separator: ", ")
    for method in [.get, .head, .post, .put, .patch, .delete, .trace] as [HTTPRequest.Method]
    where !offered.contains(method) {
      on(path, method: method) { (_, _) -> Response in throw EdgeFailure.methodNotAllowed(allow: allow) }
    }
  }
}

extension Request {
  /// The whole body; the connection has bounded it already.
  func bytes(limits: EdgeLimits) async throws -> [UInt8] {
    let buffer = try await body.collect(upTo: limits.bodyBytesMaximum)
    return Array(buffer.readableBytesView)
  }

  /// The parameters of query string and body together. Spec: GMS 2.3.
  func parameters(limits: EdgeLimits) async throws -> RequestParameters {
    try RequestParameters(
      query: uri.query, contentType: headers[.contentType], body: try await bytes(limits: limits), limits: limits)
  }

  /// The usable token of the header `Authorization: Bearer …`.
  func accessToken(in tokens: TokenStore) throws(EdgeFailure) -> AccessToken {
    guard let header = headers[.authorization], let blank = header.firstIndex(of: " "),
      header[..<blank].lowercased() == "bearer",
      let token = tokens.token(for: String(header[header.index(after: blank)...].drop { $0 == " " }))
    else { throw .tokenRequired }
    return token
  }

  /// Whose the request is. The connection has put the user whom `UserIdentity` found in the place of the header that
  /// the client sent, so this is the only thing that a route may go by.
  func userKey(limits: EdgeLimits) throws(EdgeFailure) -> String? {
    try UserKey.read(headers[values: .gmsUser], limits: limits).get()
  }
}

extension HTTPField.Name {
  static let gmsUser = HTTPField.Name(UserKey.headerName)!
}
