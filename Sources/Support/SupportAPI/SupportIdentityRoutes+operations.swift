import EdgeSecurity
import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// Spec: support requests 2, 8.
extension SupportIdentityRoutes {
  static let operations: [Operation<SupportIdentityRoutes>] = [
    signIn(
      "anonymous", "signInAnonymously", "Sign in as whoever holds this device",
      [.required("sdk_guid", .text(1...EdgeLimits.supportGUIDBytesMaximum)), .optional("name"), .optional("email")]
    ) { try await $0.signInAnonymously($1) },
    signIn(
      "jwt", "signInByToken", "Sign in as whoever the app's back end says",
      [.required("token", .text(1...EdgeLimits.supportUserTokenBytesMaximum), "What the back end knows its user by.")]
    ) { try await $0.signIn($1) },
    .support(
      .get, "/api/private/mobile_sdk/settings/{appId}", "getMobileSettings", "What is switched on for an app",
      access: .open,
      parameters: [
        .path("appId", "The id that the app was configured with."), .clientIdentifier,
        .header("Accept-Language", "The first one is told again."),
      ],
      answers: [.tagged("That.", APISchema(["type": "object"])), .unchanged], failures: [403, 404]
    ) { routes, _, request, context in try routes.settings(request, context) },
    .support(
      .get, "/api/v2/users/me", "getSupportUser", "Who the bearer is", access: .supportAnyone,
      answers: [.tagged("An end user or an agent.", .object([.required("user", .named("SupportUser"))])), .unchanged],
      failures: [404]
    ) { routes, actor, request, _ in try await routes.whoOneIs(actor, request) },
  ]

  private static func signIn(
    _ kind: String, _ id: String, _ summary: String, _ members: [APIMember],
    _ handler: @escaping @Sendable (SupportIdentityRoutes, Request) async throws -> Response
  ) -> Operation<SupportIdentityRoutes> {
    .support(
      .post, "/access/sdk/\(kind)", id, summary,
      about: "401 is never said here: an app would forget its user.", access: .open, budget: .signIns,
      parameters: [.requiredHeader("Client-Identifier", "The client id of the SDK's app.")],
      body: .json(.object([.required("user", .object(members))])),
      answers: [
        .json(
          200, "The secret that each further call bears.",
          .object([.required("authentication", .object([.required("access_token")]))]))
      ], failures: [403, 422]
    ) { routes, _, request, _ in try await handler(routes, request) }
  }
}
