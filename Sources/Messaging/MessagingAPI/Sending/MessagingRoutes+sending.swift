import EdgeSecurity
import GCMProtocol
package import HTTPKit
import HTTPTypes
import JSONEnvelope

/// What app servers send. Spec: GCM B1-B5, B7, E1-E4.
extension MessagingRoutes {
  package static let sending = RoutedSurface<MessagingRoutes>(
    "sending", "App servers send messages to devices, in the words of GCM and FCM.",
    [
      legacy("/gcm/send", "sendGCM"), legacy("/fcm/send", "sendFCM"), v1,
      group(.post, "/gcm/notification", "changeGroupGCM") { try await $0.groups.change($1, $2) },
      group(.get, "/gcm/notification", "getGroupKeyGCM") { try await $0.groups.key($1, $2) },
      group(.post, "/fcm/notification", "changeGroupFCM") { try await $0.groups.change($1, $2) },
      group(.get, "/fcm/notification", "getGroupKeyFCM") { try await $0.groups.key($1, $2) },
      accessToken,
    ],
    schemas: [
      ("LegacyMessage", legacyMessage), ("LegacyForm", .object(legacyForm)), ("LegacyAnswer", legacyAnswer),
      ("V1Request", v1Request), ("V1Error", v1Error),
      ("GroupChange", groupChange), ("NamedError", .object([.required("error")])),
    ])

  // MARK: Legacy

  private static func legacy(_ path: String, _ id: String) -> Operation<MessagingRoutes> {
    Operation(
      pastRouter: APIOperation(
        .post, path, id, "Send a message (legacy protocol)",
        about: """
          As JSON, or as a form (anything that is not said to be JSON). Most refusals of a single target are a 200 \
          with a code. The older and the newer path are the same.
          """,
        access: .sender,
        body: APIBody(
          content: [(MediaType.json, .named("LegacyMessage")), (MediaType.form, .named("LegacyForm"))], isRequired: true
        ),
        answers: [
          APIAnswer(
            200, "What became of each target; as text for a form: `id=…` or `Error=…`.",
            [(MediaType.json, .named("LegacyAnswer")), ("text/plain", .text)]),
          APIAnswer(400, "The JSON is not of the right form: one line that says why.", [("text/plain", .text)]),
          APIAnswer(401, "A page without a code: the key is wrong.", [page], headers: [.required("WWW-Authenticate")]),
          APIAnswer(
            503, "Try again after `Retry-After` seconds.", [page, (MediaType.json, .named("Failure"))],
            headers: [.optional("Retry-After", .integer)]),
        ]))
  }

  private static let page: (mediaType: String, schema: APISchema) = ("text/html", .text)

  private static let legacyMessage = APISchema.object([
    .optional("to", .text(1...4_096), "A token, `/topics/NAME`, or a notification key."),
    .optional("registration_ids", .list(of: .text(1...512), 1...1_000), "Tokens, in place of `to`."),
    .optional("condition", .text(1...512), "`'a' in topics && !('b' in topics)`, in place of `to`."),
    .optional("collapse_key", .text(0...256)), .optional("priority", .oneOf("high", "normal")),
    .optional("content_available", .bool), .optional("mutable_content", .bool), .optional("delay_while_idle", .bool),
    .optional("time_to_live", .integer(0...2_419_200), "Seconds."),
    .optional("restricted_package_name", .text(0...256)),
    .optional("dry_run", .bool), .optional("delivery_receipt_requested", .bool),
    .optional("data", .map(of: .text), "Up to 4,096 bytes."),
    .optional("notification", .object([.optional("title"), .optional("body")]), "What the device shows by itself."),
  ])

  private static let legacyForm: [APIMember] = [
    .required("registration_id", .text(1...512), "A token."), .optional("collapse_key", .text(0...256)),
    .optional("data.key", .text, "Any name behind `data.`."), .optional("time_to_live", .integer(0...2_419_200)),
    .optional("restricted_package_name", .text(0...256)),
    .optional("delay_while_idle", .oneOf("0", "1", "true", "false")),
    .optional("dry_run", .oneOf("0", "1", "true", "false")),
  ]

  /// Of tokens, of a topic, or of a group.
  private static let legacyAnswer = APISchema.object([
    .optional("multicast_id", .integer), .optional("success", .integer), .optional("failure", .integer),
    .optional("canonical_ids", .integer),
    .optional(
      "results",
      .list(
        of: .object([
          .optional("message_id"), .optional("registration_id", .text, "Use this token from now on."), errorCode,
        ]))),
    .optional("message_id", .integer, "Of a message to a topic."), errorCode,
    .optional("failed_registration_ids", .list(of: .text), "Members of a group that were not reached."),
  ])

  private static let errorCode = APIMember.optional("error", .oneOf(DownstreamError.allCases.map(\.rawValue)))

  // MARK: HTTP v1

  private static let v1 = Operation<MessagingRoutes>(
    pastRouter: APIOperation(
      .post, "/v1/projects/{project}/messages:send", "sendV1", "Send a message (HTTP v1)", access: .sender,
      parameters: [.project], body: .json(.named("V1Request")),
      answers: [
        .json(200, "The message's name.", .object([.required("name")])),
        v1Failure(400, "The request is not usable; `details` name the field."), v1Failure(401, "The key is wrong."),
        v1Failure(403, "The token, or the project, is another sender's."), v1Failure(404, "The token has ended."),
        v1Failure(429, "Too many messages."), v1Failure(500, "Of scripted faults only."),
        .json(
          503, "Try again after `Retry-After` seconds.", .either(.named("V1Error"), .named("Failure")),
          headers: [.required("Retry-After", .integer)]),
      ]))

  static func v1Failure(_ status: Int, _ about: String) -> APIAnswer {
    .json(
      status, about, status == 400 ? .either(.named("V1Error"), .named("Failure")) : .named("V1Error"))
  }

  private static let v1Request = APISchema.object([
    .optional("validate_only", .bool),
    .required(
      "message",
      .object([
        .optional(
          "token", .text(1...512),
          "Exactly one of `token`, `topic`, `condition`. A member that no object of the request has is refused."),
        .optional("topic", .text(1...512)), .optional("condition", .text(1...512)), .optional("data", .map(of: .text)),
        .optional("notification", .object([.optional("title"), .optional("body"), .optional("image")])),
        .optional(
          "android",
          .object([
            .optional("collapse_key", .text(0...256)), .optional("priority", .oneOf("NORMAL", "HIGH")),
            .optional("ttl", .text(pattern: "^[0-9]{1,6}s$")), .optional("restricted_package_name", .text(0...256)),
            .optional("data", .map(of: .text)), .optional("notification", androidNotification),
            .optional("direct_boot_ok", .bool), .optional("fcm_options", label),
          ]), "For devices that keep a connection only."),
        .optional(
          "apns",
          .object([
            .optional("headers", .map(of: .text)),
            .optional("payload", APISchema(["type": "object"]), "`aps` and the app's own members, as Apple gets them."),
            .optional("fcm_options", .object([.optional("analytics_label", labelText), .optional("image")])),
          ]), "For imported APNs tokens only."),
        .optional(
          "webpush",
          .object([
            .optional("headers", .map(of: .text)), .optional("data", .map(of: .text)),
            .optional("notification", APISchema(["type": "object"])),
            .optional("fcm_options", .object([.optional("analytics_label", labelText), .optional("link")])),
          ]), "For browsers' pages only."),
        .optional("fcm_options", label),
      ])),
  ])

  private static let labelText = APISchema.text(pattern: "^[a-zA-Z0-9_.~%-]{1,50}$")
  private static let label = APISchema.object([.optional("analytics_label", labelText)])

  private static let androidNotification: APISchema = {
    let texts: [String] = [
      "title", "body", "image", "icon", "color", "sound", "tag", "click_action", "body_loc_key", "title_loc_key",
      "ticker", "channel_id",
    ]
    let flags: [String] = [
      "sticky", "local_only", "default_sound", "default_vibrate_timings", "default_light_settings",
      "bypass_proxy_notification",
    ]
    var members: [APIMember] = texts.map { APIMember.optional($0) } + flags.map { APIMember.optional($0, .bool) }
    members += ["body_loc_args", "title_loc_args"].map { APIMember.optional($0, .list(of: .text)) }
    members += [
      .optional("event_time", .text(pattern: "^2[0-9]{3}-0[1-9]-0[1-9]T0[0-9]:[0-5][0-9]:[0-5][0-9]Z$")),
      .optional(
        "notification_priority",
        .oneOf("PRIORITY_MIN", "PRIORITY_LOW", "PRIORITY_DEFAULT", "PRIORITY_HIGH", "PRIORITY_MAX")),
      .optional("visibility", .oneOf("PRIVATE", "PUBLIC", "SECRET")),
      .optional("proxy", .oneOf("ALLOW", "DENY", "IF_PRIORITY_LOWERED")),
      .optional("notification_count", .integer(0...2_147_483_647)),
      .optional("vibrate_timings", .list(of: .text(pattern: "^[0-9]{1,6}s$"))),
    ]
    return APISchema.object(members)
  }()

  private static let v1Error = APISchema.object([
    .required(
      "error",
      .object([
        .required("code", .integer), .required("message"), .required("status", .text, "`INVALID_ARGUMENT`, …"),
        .optional("details", .list(of: .object([.required("@type")]))),
      ]))
  ])

  // MARK: Groups

  private static func group(
    _ method: HTTPRequest.Method, _ path: String, _ id: String,
    _ handler: @escaping Operation<MessagingRoutes>.Handler
  ) -> Operation<MessagingRoutes> {
    let isGet = method == .get
    return Operation(
      method, path, id, isGet ? "The key of a device group" : "Make or change a device group", access: .sender,
      parameters: [.header("project_id", "The sender's id, if anything.")]
        + (isGet ? [.requiredQuery("notification_key_name", "The group's name.", .text(1...512))] : []),
      body: isGet ? nil : .json(.named("GroupChange")),
      answers: [
        .json(200, "The group's key.", .object([.required("notification_key")])),
        .json(400, "It cannot be done.", .either(.named("NamedError"), .named("Failure"))),
        .json(401, "The key is wrong.", .named("NamedError")),
      ], handler)
  }

  private static let groupChange = APISchema.object([
    .required("operation", .oneOf("create", "add", "remove")),
    .optional("notification_key_name", .text(1...512), "The group's name; `create` needs it."),
    .optional("notification_key", .text(1...512), "The group's key; `add` and `remove` need it."),
    .required("registration_ids", .list(of: .text(1...512), 1...20)),
  ])

  // MARK: Access tokens

  private static let accessToken = Operation<MessagingRoutes>(
    .post, "/token", "makeAccessToken", "An access token for a service account", access: .open, budget: .signIns,
    body: .form([
      .required("grant_type", .oneOf("urn:ietf:params:oauth:grant-type:jwt-bearer")),
      .required("assertion", .text(1...8_192), "A grant that the account's key has signed (RS256)."),
    ]),
    answers: [
      .json(
        200, "Good for an hour.",
        .object([
          .required("access_token"), .required("expires_in", .integer), .required("token_type", .oneOf("Bearer")),
        ])),
      .json(
        400, "The grant is not good.",
        .either(.object([.required("error"), .required("error_description")]), .named("Failure"))),
    ], failures: [415]
  ) { routes, request, _ in try await routes.accessTokens.make(request) }
}

extension APIParameter {
  static let project: APIParameter = .path("project", "The project, as the sender's key names it.", .text(1...128))
}
