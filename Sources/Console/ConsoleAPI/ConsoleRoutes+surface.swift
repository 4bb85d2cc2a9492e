import EdgeSecurity
import EngineKit
package import HTTPKit
import HTTPTypes
import JSONEnvelope

extension ConsoleRoutes {
  package static let surface = RoutedSurface<ConsoleRoutes>(
    "console",
    """
    Signing in with a browser. The session that comes of it acts as the token: what that opens, the cookie opens too, \
    for pages of this server alone. All of this is 404 where `console.enabled` is false.
    """,
    [
      Operation(
        .post, "/console/1/session", "signIn", "Sign in",
        about: """
          With a token, or with the code of a one-time link (`carillon token link`), which is good once and for five \
          minutes. One or the other has to be there.
          """, access: .open, budget: .signIns,
        body: .json(
          .object([
            .optional("token", .text(1...128), "Of the role agent, supervisor, bot or admin."),
            .optional("code", .text(1...128), "What stands behind `#code=` in the link."),
          ])),
        answers: [
          .json(
            200, "Signed in.", .named("ConsoleSession"),
            headers: [.required("Set-Cookie", .text, "The session's cookie, which no script can read.")])
        ], failures: [400, 401, 403, 413, 415]
      ) { routes, request, context in try await routes.signIn(request, context) },
      Operation(
        .get, "/console/1/session", "getSession", "Who is signed in here", access: .staff,
        answers: [.json(200, "The session.", .named("ConsoleSession"))], failures: [400]
      ) { routes, token, request, _ in try routes.session(token, request) },
      Operation(
        .delete, "/console/1/session", "signOut", "Sign out", access: .staff,
        answers: [
          APIAnswer(204, "Signed out.", headers: [.required("Set-Cookie", .text, "Takes the cookie away.")])
        ], failures: [400]
      ) { routes, token, request, context in try await routes.signOut(token, request, context) },
      Operation(
        .get, "/console/1/sessions", "listSessions", "The open sessions, in the order of their ids",
        about: "One's own; an operator sees everybody's.", access: .staff,
        parameters: APIParameter.listed(upTo: EngineLimits().listMaximum),
        answers: [.page("Those sessions.", of: .named("ListedConsoleSession"))], failures: [400]
      ) { routes, token, request, _ in try routes.list(token, request) },
      Operation(
        .delete, "/console/1/sessions/{id}", "revokeSession", "End a session",
        about:
          "One's own; an operator ends anybody's. Its sockets end within a second, and its streams say nothing more.",
        access: .staff,
        parameters: [.path("id", "The session's id.")], answers: [.done("It has ended.")], failures: [400, 404]
      ) { routes, token, request, context in try await routes.revoke(token, request, context) },
    ], schemas: [("ConsoleSession", session), ("ListedConsoleSession", listed)])

  private static let roles = TokenRole.allCases.filter(\.mayUseConsole).map(\.rawValue)

  private static let session = APISchema.object([
    .required("name", .text, "Of the token; an agent's id."), .required("role", .oneOf(roles)),
    .optional("services", .list(of: .text), "That the token names; all if absent."),
    .required("csrf", .text, "Goes into the header `X-CSRF-Token` of every request that is not GET or HEAD."),
    .required("idleSeconds", .integer, "It ends when nobody has used it for so long."),
    .required("expiresAt", .time, "Then it ends however much it is used."),
  ])

  private static let listed = APISchema.object([
    .required("id", .text, "Opens nothing."), .required("name"), .required("role", .oneOf(roles)),
    .optional("issuer", .text, "The OpenID provider that has signed them in; absent for whoever has a token."),
    .optional("subject", .text, "Who they are there."),
    .required("openedAt", .time), .required("seenAt", .time, "When it was used last."), .required("expiresAt", .time),
    .required("addresses", .list(of: .text), "Where its requests came from since the server's start, the latest last."),
    .optional("userAgent", .text, "As its browser called itself last."),
    .required("current", .bool, "Whether it is the one that asks."),
  ])
}
