import EdgeSecurity
package import HTTPKit
import HTTPTypes
import JSONEnvelope

/// Spec: GMS 3.2.
extension ServiceRoutes {
  package static let surface = RoutedSurface<ServiceRoutes>(
    "services", "What an app asks for: each request makes an instance of a configured service.",
    [
      Operation(
        .post, "/genesys/1/service/{service}", "createService", "Ask for a service",
        about: """
          Makes an instance of the configured service of this name, for example `request-chat`. Every field whose name \
          does not begin with `_` is attached to it. An instance that is not used ends after the service's `_ttl`.
          """,
        access: .customer, budget: .chats,
        parameters: [
          .path("service", "The name of a service, as the configuration has it.").example("request-chat"), .ownerKey,
        ],
        body: .parameters([
          .optional("_verbose", .oneOf("true", "false"), "Accepted, and makes no difference here."),
          .optional("subject", .text, "Or any other field of one's own."),
        ]),
        answers: [
          .json(
            200, "The instance.", .named("ServiceInstance"),
            links: [
              APILink(to: "startChat", "service", from: "/_id"), APILink(to: "refreshChat", "service", from: "/_id"),
            ])
        ],
        failures: [400, 404, 415]
      ) { try await $0.create($1, $2) }
    ],
    schemas: [
      (
        "ServiceInstance",
        .object([
          .required("_id", .text, "The instance's id: part of the paths of all that follows."),
          .required("_chatIxnAPI-CREATE-URL", .text, "The path that starts a chat."),
        ])
      )
    ])
}
