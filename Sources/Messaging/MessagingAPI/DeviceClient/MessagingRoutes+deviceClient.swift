import EdgeSecurity
package import HTTPKit
import HTTPTypes
import JSONEnvelope
import MessagingEngine

/// Check-in and registration for clients of our own.
extension MessagingRoutes {
  package static let deviceClient = RoutedSurface<MessagingRoutes>(
    "device client", "The same for clients that would rather speak JSON; numbers that JavaScript lacks are texts.",
    [
      Operation(
        .post, "/device/1/checkin", "checkInDevice", "Get an identity, or show it again", access: .open,
        budget: .checkIns,
        body: .json(.object([.optional("id", decimal), .optional("securityToken", decimal)]), isRequired: false),
        answers: [.json(200, "The identity, and where to connect.", .named("DeviceIdentity"))], failures: [400, 401]
      ) { routes, request, _ in try await routes.deviceForms.checkIn(request) },
      Operation(
        .post, "/device/1/register", "registerDeviceApp", "A token for an app", access: .device, budget: .devices,
        body: .json(
          .object([
            .required("app", .text(1...256)), .required("senders", .list(of: .text(1...256), 1...100)),
            .optional("subtype", .text(0...256)), .optional("instanceId", .text(0...256)),
            .optional("appVersion", .text(0...256)), .optional("platform", .oneOf("ANDROID", "IOS", "CHROME")),
          ])),
        answers: [.json(200, "The token.", .object([.required("token")]))], failures: [400, 429]
      ) { routes, device, request, _ in try await routes.deviceForms.register(device, request) },
      Operation(
        .delete, "/device/1/registrations", "unregisterDeviceApp", "End registrations of an app", access: .device,
        parameters: [
          .requiredQuery("app", "The app.", .text(1...256)), .query("subtype", "With this subtype."),
          .query("instanceId", "With this instance id."),
          .query("sender", "For this sender; without it for all.", .text(0...256)),
        ],
        answers: [.done("They have ended.")], failures: [400]
      ) { routes, device, request, _ in try await routes.deviceForms.unregister(device, request) },
      Operation(
        .post, "/device/1/topics", "subscribeDevice", "Subscribe to a topic", access: .device,
        body: .json(.object([.required("token", .text(1...512)), .required("topic", .text(1...512))])),
        answers: [.done("It is subscribed.")], failures: [400, 404, 429]
      ) { routes, device, request, _ in try await routes.deviceForms.subscribe(device, request) },
      Operation(
        .delete, "/device/1/topics", "unsubscribeDevice", "End a subscription", access: .device,
        parameters: [
          .requiredQuery("token", "The token.", .text(1...512)), .requiredQuery("topic", "The topic.", .text(1...512)),
        ],
        answers: [.done("It is not subscribed.")], failures: [400, 404]
      ) { routes, device, request, _ in try await routes.deviceForms.unsubscribe(device, request) },
      Operation(
        pastRouter: APIOperation(
          .get, DeviceGateway.socketPath, "openDeviceSocket", "A device's connection over a WebSocket",
          about: """
            With the header fields of a WebSocket handshake (RFC 6455); the identity goes into the first message. What \
            is said there is in DEVICE-SOCKET.md. Devices with GCM's own client code connect to the MCS port instead.
            """,
          access: .open, answers: [APIAnswer(101, "The connection is a WebSocket from here on.")], failures: [400, 403])
      ),
    ],
    schemas: [
      (
        "DeviceIdentity",
        .object([
          .required("id", decimal), .required("securityToken", decimal), .required("socket", .text, "A path."),
          .required("checkInSeconds", .integer, "Until the next check-in."),
          .optional("host", .text, "For MCS over TLS."),
          .optional("port", .integer),
        ])
      )
    ])

  private static let decimal = APISchema.text(pattern: "^[1-9][0-9]{0,18}$")
}
