import EdgeSecurity
package import HTTPKit
import HTTPTypes
import JSONEnvelope
import NotificationEngine

/// Spec: GMS 10.
extension NotificationRoutes {
  package static let surface = RoutedSurface<NotificationRoutes>(
    "notifications", "Apps subscribe to events by their tags; back ends publish them. JSON only.",
    [
      Operation(
        .post, "/genesys/1/notification/subscription", "subscribe", "Subscribe to events",
        about: "An event goes to every subscription whose filter its tag matches.", access: .customer,
        budget: .subscriptions,
        parameters: [.ownerKey], body: .json(.named("Subscription")),
        answers: [
          .json(
            200, "The subscription's id.", .object([.required("id")]),
            links: [
              APILink(to: "getSubscription", "id", from: "/id"), APILink(to: "unsubscribe", "id", from: "/id"),
            ])
        ],
        failures: [400, 415]
      ) { routes, request, _ in try await routes.subscribe(request) },
      Operation(
        .get, "/genesys/1/notification/subscription/{id}", "getSubscription", "One subscription", access: .customer,
        parameters: [subscriptionID, .ownerKey], answers: [.json(200, "The subscription.", .named("SubscriptionView"))],
        failures: [404]
      ) { try await $0.show($1, $2) },
      Operation(
        .delete, "/genesys/1/notification/subscription/{id}", "unsubscribe", "End a subscription", access: .customer,
        parameters: [subscriptionID, .ownerKey], answers: [.json(200, "It has ended.", APISchema(["type": "object"]))],
        failures: [404]
      ) { try await $0.unsubscribe($1, $2) },
      Operation(
        .post, "/genesys/1/notification/publish", "publish", "Publish an event", access: .publisher,
        body: .json(publication),
        answers: [
          .json(
            200, "To how many subscriptions it goes.", .object([.required("delivered", .integer)]))
        ], failures: [400, 415]
      ) { routes, _, request, _ in try await routes.publish(request) },
    ],
    schemas: [("Subscription", subscription), ("SubscriptionView", view)])

  private static let subscriptionID: APIParameter = .path("id", "The subscription's id.")

  private static let publication = APISchema.object([
    .required("tag", .text(1...256), "What filters are compared with: `orders.shipped`."),
    .required(
      "message", .either(.text(1...1_024), APISchema(["type": "object"])),
      "Handed to each provider as it is; an object as its JSON text."),
    .optional("subscriberId", .text(1...256), "To this subscriber only."),
    .optional("id", .text(1...256), "Published again under it, it goes to those that have not had it."),
  ])

  private static let subscription = APISchema.object([
    .required("subscriberId", .text(1...256), "Who subscribes."),
    .required("filter", .text(1...256), "A tag; `*` stands for any run of characters."),
    .required(
      "notificationDetails",
      .object([
        .required("type", .oneOf(SubscriptionOrder.types)),
        .required("deviceId", .text(1...2_048), "A token, a URL, an id of one's own, or (comet) a `gms_user`."),
        .optional("properties", .map(of: .text), "`debug`, and pairs for the provider."),
      ])),
    .optional("providerName", .text(0...128), "The name of the credentials."),
    .optional("authorization", .text(0...1_024), "For `customhttp`."),
    .optional("expire", .integer(0...31_536_000), "Seconds; at least 30."),
  ])

  private static let view = APISchema.object([
    .required("id"), .required("subscriberId"), .required("filter"),
    .required(
      "notificationDetails",
      .object([
        .required("deviceId", .text, "The beginning of a hash: whoever has the id can push to it."), .required("type"),
        .required("properties", .map(of: .text)),
      ])),
    .optional("providerName"), .required("createdAt", .time), .required("expiresAt", .time),
  ])
}
