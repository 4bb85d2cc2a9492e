import ConsoleEngine
import EdgeSecurity
package import HTTPKit
import HTTPTypes
import JSONEnvelope

extension OpenIDRoutes {
  /// Stands with the other ways to sign in.
  package static let surface = RoutedSurface<OpenIDRoutes>(
    "console", "",
    [
      Operation(
        .get, "/console/1/sign-in-ways", "listSignInWays", "How one can sign in, beside tokens and links",
        access: .open, answers: [.json(200, "Those ways.", .named("SignInWays"))], failures: [400]
      ) { routes, request, _ in try routes.ways(request) },
      Operation(
        .get, OpenIDPath.start, "beginOpenIDSignIn", "Sign in by the OpenID provider",
        about: """
          For a browser, which is sent to the provider: authorization code with PKCE, state and nonce. 404 unless \
          `console.openid.issuer` is set.
          """, access: .open, budget: .signIns,
        answers: [
          APIAnswer(
            302, "To the provider; to the first page with `#error=` and a word if that cannot be.",
            headers: [.required("Location"), .optional("Set-Cookie", .text, "Binds the sign-in to this browser.")])
        ], failures: [400, 404]
      ) { routes, request, context in try await routes.start(request, context) },
      Operation(
        .get, OpenIDPath.callback, "endOpenIDSignIn", "Come back from the OpenID provider",
        about: """
          Where the provider sends a browser. What the provider has signed is judged (OpenID Connect Core 1.0, 3.1.3.7), \
          and its claims say who somebody is, and as what. Other parameters are ignored.
          """, access: .open,
        parameters: [
          .requiredQuery("state", "As it was sent to the provider, by this browser; good once.", .text(1...128)),
          .query("code", "One of `code` and `error` has to be there.", .text(1...4_096)),
          .query("error", "As the provider says it; `access_denied` if somebody has said no."),
          .query("iss", "The provider that answers."),
        ],
        answers: [
          APIAnswer(
            302,
            """
            To the first page: signed in; or with `#error=` and one of \
            \(OpenIDRefusal.Code.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")).
            """,
            headers: [.required("Location"), .optional("Set-Cookie", .text, "The session's cookie.")])
        ], failures: [400, 404]
      ) { routes, request, context in try await routes.callBack(request, context) },
    ],
    schemas: [
      (
        "SignInWays",
        .object([
          .optional(
            "openid",
            .object([
              .required("title", .text, "What the provider is called."),
              .required(
                "url", .text, "Where a browser begins: `/console/1/openid` at the address that it comes back to."),
            ]), "Absent unless there is a provider.")
        ])
      )
    ])
}
