import EdgeSecurity
import HTTPKit
import HTTPTypes
import JSONEnvelope

/// Spec: support requests 3, 7.1.
extension SupportDeviceRoutes {
  static let operations: [Operation<SupportDeviceRoutes>] = [
    .support(
      .post, "/api/mobile/push_notification_devices", "registerSupportDevice", "Register a device",
      access: .supportUser, budget: .devices,
      body: .json(.object([.required("push_notification_device", SupportSchema.registration)])),
      answers: [
        .json(200, "It was known.", .object([.required("push_notification_device", .named("SupportDevice"))])),
        .json(201, "It is new.", .object([.required("push_notification_device", .named("SupportDevice"))])),
      ], failures: [422]
    ) { routes, actor, request, _ in try await routes.register(request, for: actor) },
    .support(
      .delete, "/api/mobile/push_notification_devices/{identifier}", "unregisterSupportDevice", "Unregister a device",
      access: .supportUser, parameters: [.path("identifier", "As it was registered.", .text(1...4_096))],
      answers: [APIAnswer(200, "Nothing more is sent to it.")], failures: [404, 422]
    ) { routes, actor, _, context in try await routes.unregister(context, of: actor) },
    .support(
      .post, "/api/v2/push_notification_devices/destroy_many", "unregisterSupportDevices",
      "Unregister devices of whomever",
      about: "Unknown ones are no error. With "
        + "`Accept: application/vnd.carillon+json` the answer says how many there were.", access: .supportOperator,
      body: .json(.object([.required("push_notification_devices", .list(of: .text))])),
      answers: [
        APIAnswer(
          200, "It is done, durably.",
          [
            (MediaType.json, .text),
            (
              "application/vnd.carillon+json",
              .object([.required("removed", .integer), .required("unknown", .integer)])
            ),
          ])
      ], failures: [422, 429]
    ) { routes, _, request, _ in try await routes.unregister(request) },
  ]
}
