import EdgeSecurity
package import HTTPKit
import HTTPTypes
import JSONEnvelope
import PushDomain

/// The registry of devices for apps.
extension DeviceRoutes {
  package static let surface = RoutedSurface<DeviceRoutes>(
    "devices", "The devices of a customer, for pushes; `gms_user` says whose they are.",
    [
      Operation(
        .post, "/devices/1", "registerDevice", "Register a device", access: .customer, budget: .devices,
        parameters: [.userKey], body: .parameters(deviceMembers), answers: registered("getDevice", "endDevice"),
        failures: [400, 415]
      ) { routes, request, _ in try await routes.register(request) },
      Operation(
        .get, "/devices/1", "listDevices", "One's own devices", access: .customer, parameters: [.userKey],
        answers: [.json(200, "All of them.", .list(of: .named("Device")))], failures: [400]
      ) { routes, request, _ in try await routes.list(request) },
      Operation(
        .get, "/devices/1/{id}", "getDevice", "One of one's own devices", access: .customer,
        parameters: [.deviceID, .userKey],
        answers: [.json(200, "The device.", .named("Device"))], failures: [400, 404]
      ) { try await $0.device($1, $2) },
      Operation(
        .delete, "/devices/1/{id}", "endDevice", "End a device", about: "Nothing more is sent to it.",
        access: .customer,
        parameters: [.deviceID, .userKey], answers: [.done("It has ended.")], failures: [400, 404]
      ) { try await $0.end($1, $2) },
    ],
    schemas: [
      (
        "Device",
        .object([
          .required("id"),
          .required("type", .text, "As above, `comet`, or whatever an app has said at a chat's start."),
          .required("token", .text, "The beginning of a hash: tokens are shown to nobody."),
          .required("debug", .bool), .required("state", .oneOf("live", "ended")),
          .required("firstRegisteredAt", .time), .required("registeredAt", .time), .optional("provider"),
          .optional("locale"), .optional("platform"), .optional("app"), .optional("owner"), .optional("endReason"),
          .optional("endedAt", .time),
        ])
      )
    ])

  static let deviceMembers: [APIMember] = [
    .required("type", .oneOf(PushType.described.map(\.rawValue))),
    .required("identifier", .text(1...2_048), "A token, or where `httpcb` posts to."),
    .optional("provider", .text(0...128), "The name of the credentials."),
    .optional("debug", .bool, "Takes the credentials for development."),
    .optional("locale", .text(0...35), "For the texts of pushes."), .optional("platform", .text(0...32)),
    .optional("app", .text(0...256)),
  ]

  /// 201 the first time, 200 later; both with the device.
  static func registered(_ followers: String...) -> [APIAnswer] {
    let links = followers.map { APILink(to: $0, "id", from: "/id") }
    return [
      .json(200, "It was registered already, and is live.", .named("Device"), links: links),
      .json(201, "It is new.", .named("Device"), links: links),
    ]
  }
}

extension APIParameter {
  static let deviceID: APIParameter = .path("id", "The device's id.")
}
