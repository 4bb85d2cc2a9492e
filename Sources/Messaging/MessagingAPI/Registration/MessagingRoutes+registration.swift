import EdgeSecurity
package import HTTPKit
import HTTPTypes
import JSONEnvelope

/// What devices and browsers with GCM's or FCM's client code ask. Spec: GCM D2-D4.
extension MessagingRoutes {
  package static let registration = RoutedSurface<MessagingRoutes>(
    "registration", "Devices and browsers with the client code of GCM or FCM get an identity and tokens.",
    [
      Operation(
        .post, "/checkin", "checkIn", "Check in", about: "Protobuf both ways: `AndroidCheckinRequest` and its answer.",
        access: .open, budget: .checkIns,
        body: APIBody(content: [("application/x-protobuf", .bytes)], isRequired: true),
        answers: [APIAnswer(200, "The device's identity, and settings.", [("application/x-protobuf", .bytes)])],
        failures: [400]
      ) { try await $0.checkIns.checkIn($1, $2) },
      Operation(
        .post, "/c2dm/register3", "registerApp", "Register an app, or change its registration",
        about: "Errors are a 200 too: `Error=…`. Only the time to come back is a 503.", access: .device,
        budget: .devices,
        body: .form([
          .required("app", .text(1...256), "The app's package name."),
          .optional("sender", .text(1...256), "Sender ids with commas between; a token when a topic is meant."),
          .optional("device", .text, "The device's id once more."), .optional("delete", .oneOf("true", "1")),
          .optional("X-subtype", .text(0...256)), .optional("appid", .text(0...256)),
          .optional("app_ver", .text(0...256)),
          .optional("cert", .text(0...256)), .optional("X-scope", .text(0...256)),
          .optional("X-gcm.topic", .text(0...256), "Subscribes the token in `sender`, or with `delete` ends that."),
        ]),
        answers: [
          APIAnswer(
            200, "`token=…`, `deleted=…` or `Error=…`.", [("text/plain", .text(pattern: "^(token|deleted|Error)="))]),
          APIAnswer(
            503, "`Error=SERVICE_NOT_AVAILABLE`", [("text/plain", .text), (MediaType.json, .named("Failure"))],
            headers: [.required("Retry-After", .integer)]),
        ]
      ) { try await $0.registrations.answer($1, $2) },
      Operation(
        .post, "/v1/projects/{project}/installations", "createInstallation", "An installation of Firebase",
        access: .open, budget: .devices, parameters: [.project],
        body: .json(.object([.optional("fid", .text(0...256), "The app's own choice.")]), isRequired: false),
        answers: [.json(200, "An id and tokens.", .named("Installation"))], failures: [400]
      ) { try await $0.installations.create($1, $2) },
      Operation(
        .delete, "/v1/projects/{project}/installations/{fid}", "deleteInstallation", "End an installation",
        access: .open, parameters: [.project, fid], answers: [.json(200, "It is done.", APISchema(["type": "object"]))]
      ) { _, _, _ in InstallationRoutes.ended },
      Operation(
        .post, "/v1/projects/{project}/installations/{fid}/authTokens:generate", "generateInstallationToken",
        "An installation's token again", access: .open, parameters: [.project, fid],
        answers: [.json(200, "The token.", .named("InstallationToken"))]
      ) { _, _, _ in InstallationRoutes.authToken },
      Operation(
        .post, "/v1/projects/{project}/registrations", "registerWeb", "Give a registration the page's keys",
        access: .open, budget: .devices, parameters: [.project], body: .json(webRegistration), answers: [webAnswer],
        failures: [400, 401, 404]
      ) { try await $0.installations.register($1, $2) },
      Operation(
        .patch, "/v1/projects/{project}/registrations/{token}", "updateWebRegistration",
        "Give a registration new keys", access: .open, parameters: [.project, .registrationToken],
        body: .json(webRegistration),
        answers: [webAnswer], failures: [400, 401, 404]
      ) { try await $0.installations.register($1, $2) },
      Operation(
        .post, "/fcm/connect/subscribe", "connectWeb", "Give a registration the page's keys (older clients)",
        access: .open, budget: .devices,
        body: .form([
          .required("endpoint", .text(1...2_048)), .required("encryption_key", .text(1...128)),
          .required("encryption_auth", .text(1...64)), .optional("authorized_entity", .text(1...256)),
        ]),
        answers: [.json(200, "The token.", .object([.required("token"), .required("pushSet")]))],
        failures: [400, 401, 404]
      ) { routes, request, _ in try await routes.installations.connect(request) },
    ],
    schemas: [
      (
        "Installation",
        .object([
          .required("name"), .required("fid"), .required("refreshToken"),
          .required("authToken", .named("InstallationToken")),
        ])
      ),
      (
        "InstallationToken",
        .object([.required("token"), .required("expiresIn", .text(pattern: "^[0-9]+s$"))])
      ),
    ])

  private static let fid: APIParameter = .path("fid", "The installation's id.")

  private static let webRegistration = APISchema.object([
    .required(
      "web",
      .object([
        .required("endpoint", .text(1...2_048), "Ends with the registration token."),
        .required("p256dh", .text(1...128), "The page's public key (P-256, uncompressed) in Base64."),
        .required("auth", .text(1...64), "The page's secret of 16 bytes in Base64."),
      ]))
  ])

  private static let webAnswer = APIAnswer.json(
    200, "The registration.",
    .object([.required("name"), .required("token"), .required("web", APISchema(["type": "object"]))]))
}
