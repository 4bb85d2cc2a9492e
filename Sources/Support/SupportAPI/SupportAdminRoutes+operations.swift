import EngineKit
import HTTPKit
import HTTPTypes
import JSONEnvelope

/// Spec: support requests 3.4, 5.2.
extension SupportAdminRoutes {
  static let operations: [Operation<SupportAdminRoutes>] = [
    Operation(
      .get, "/admin/1/support/apps", "listSupportApps", "Apps, with how many devices they have", access: .admin,
      parameters: APIParameter.listed(upTo: EngineLimits().listMaximum),
      answers: [.page("URLs are masked.", of: .named("SupportApp"))], failures: [400]
    ) { routes, _, request, _ in try await routes.list(request) },
    Operation(
      .put, "/admin/1/support/apps/{client}/webhook", "setSupportWebhook", "Where notifications are posted",
      access: .admin, parameters: [client],
      body: .json(
        .object([
          .required("url", .text(8...1_900)),
          .optional("random", .bool, "A path component that nobody can guess is appended."), overlap,
        ])), answers: [whole], failures: [400, 404, 415, 422]
    ) { try await $0.setWebhook($2, $3, by: $1) },
    Operation(
      .post, "/admin/1/support/apps/{client}/webhook/rotate", "rotateSupportWebhook", "A new random component",
      access: .admin, parameters: [client], body: .json(.object([overlap]), isRequired: false), answers: [whole],
      failures: [400, 404, 415, 422]
    ) { try await $0.rotateWebhook($2, $3, by: $1) },
    Operation(
      .delete, "/admin/1/support/apps/{client}/webhook", "clearSupportWebhook", "Back to the configured URL",
      access: .admin, parameters: [client], answers: [.json(200, "The app.", .named("SupportApp"))], failures: [404]
    ) { routes, token, _, context in try await routes.clearWebhook(context, by: token) },
    Operation(
      .get, "/admin/1/support/users/{id}/devices", "listSupportDevices",
      "A user's devices, ended ones too",
      access: .admin,
      parameters: APIParameter.listed(
        [.path("id", "The user's number.", .text(pattern: "^[0-9]{1,18}$"))], upTo: EngineLimits().listMaximum),
      answers: [
        .json(
          200, "In the order of their ids. If there is more, the header `Link` says where it is (`rel=\"next\"`).",
          .list(
            of: .object(
              .named("SupportDevice"),
              and: [
                .required("client_id"),
                .required("stale", .bool, "Registered for another integration than the app's present one."),
                .optional("ended_reason"), .optional("ended_at", .time),
              ])))
      ], failures: [400, 404]
    ) { routes, _, request, context in try await routes.devices(request, context) },
  ]

  private static let client = APIParameter.path("client", "The app's client id.")

  private static let overlap = APIMember.optional(
    "overlap_seconds",
    .integer(0...EdgeLimits.webhookOverlap.maximum).byDefault(.integer(Int64(EdgeLimits.webhookOverlap.standard))),
    "How long the receiver is to take the URL before it.")

  private static let whole = APIAnswer.json(200, "Here, and here only, the URLs are whole.", .named("SupportApp"))
}
