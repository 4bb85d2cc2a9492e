import EdgeSecurity
import Engine
import HTTPTypes
import JSONEnvelope
import SupportDomain

/// Spec: support requests 2, 3, 7, 8.
extension APISurface {
  static let support = APISurface(
    "support requests",
    """
    What apps say that are made with Zendesk's Support SDK, and back ends that push for them. Each path may end in \
    `.json` as well. What the SDK calls below `/api/mobile` is the resource of `/api/v2` by another name.
    """,
    identity + devices + desk(.endUsers, "/api/v2", "") + desk(.endUsers, "/api/mobile", "Mobile")
      + reading("/api/v2", "") + reading("/api/mobile", "Mobile"),
    schemas: SupportSchema.shared)

  // MARK: Identity

  private static let identity = [
    signIn(
      "anonymous", "signInAnonymously", "Sign in as whoever holds this device",
      [.required("sdk_guid", .text(1...EdgeLimits.supportGUIDBytesMaximum)), .optional("name"), .optional("email")]),
    signIn(
      "jwt", "signInByToken", "Sign in as whoever the app's back end says",
      [.required("token", .text(1...EdgeLimits.supportUserTokenBytesMaximum), "What the back end knows its user by.")]),
    .support(
      .get, "/api/private/mobile_sdk/settings/{appId}", "getMobileSettings", "What is switched on for an app",
      access: .open,
      parameters: [
        .path("appId", "The id that the app was configured with."), .clientIdentifier,
        .header("Accept-Language", "The first one is told again."),
      ],
      answers: [.tagged("That.", APISchema(["type": "object"])), .unchanged], failures: [403, 404]),
    .support(
      .get, "/api/v2/users/me", "getSupportUser", "Who the bearer is", access: .supportAnyone,
      answers: [.tagged("An end user or an agent.", .object([.required("user", .named("SupportUser"))])), .unchanged],
      failures: [404]),
  ]

  private static func signIn(
    _ kind: String, _ id: String, _ summary: String, _ members: [APIMember]
  ) -> APIOperation {
    .support(
      .post, "/access/sdk/\(kind)", id, summary,
      about: "401 is never said here: an app would forget its user.", access: .open, budget: .signIns,
      parameters: [.requiredHeader("Client-Identifier", "The client id of the SDK's app.")],
      body: .json(.object([.required("user", .object(members))])),
      answers: [
        .json(
          200, "The secret that each further call bears.",
          .object([.required("authentication", .object([.required("access_token")]))]))
      ], failures: [403, 422])
  }

  // MARK: Devices

  private static let devices = [
    APIOperation.support(
      .post, "/api/mobile/push_notification_devices", "registerSupportDevice", "Register a device",
      access: .supportUser, budget: .devices,
      body: .json(.object([.required("push_notification_device", SupportSchema.registration)])),
      answers: [
        .json(200, "It was known.", .object([.required("push_notification_device", .named("SupportDevice"))])),
        .json(201, "It is new.", .object([.required("push_notification_device", .named("SupportDevice"))])),
      ], failures: [422]),
    .support(
      .delete, "/api/mobile/push_notification_devices/{identifier}", "unregisterSupportDevice", "Unregister a device",
      access: .supportUser, parameters: [.path("identifier", "As it was registered.", .text(1...4_096))],
      answers: [APIAnswer(200, "Nothing more is sent to it.")], failures: [404, 422]),
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
      ], failures: [422, 429]),
  ]

  // MARK: What has not been read

  private static func reading(_ prefix: String, _ suffix: String) -> [APIOperation] {
    [
      .support(
        .get, "\(prefix)/requests/updates", "listSupportUpdates\(suffix)", "Requests with unread comments",
        about: "Carillon's own. Counted anew each time.", access: .supportUser,
        parameters: [.query("device", "The identifier of one's device; without it, the user's own reading counts.")],
        answers: [
          .tagged(
            "Those requests.",
            .object([
              .required(
                "updates",
                .list(of: .object([.required("request_id", .integer), .required("unread", .integer)]))),
              .required("count", .integer),
            ])), .unchanged,
        ], failures: [404, 422]),
      .support(
        .post, "\(prefix)/requests/{id}/read", "readSupportRequest\(suffix)", "Comments have been read",
        about: "Carillon's own.", access: .supportUser, parameters: [.supportRequest],
        body: .json(
          .object([
            .optional("comment_id", .integer, "The last one that was read; else all are."),
            .optional("device", .text, "The identifier of the device that has shown them."),
          ]), isRequired: false), answers: [.done("That far they are read.")], failures: [404, 422]),
    ]
  }
}
