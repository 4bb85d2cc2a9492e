package import HTTPKit
import HTTPTypes
import JSONEnvelope

/// The Instance ID service, and topics of FCM v1. Spec: GCM B8, E5.
extension MessagingRoutes {
  package static let topics = RoutedSurface<MessagingRoutes>(
    "topics", "What a registration token stands for, and the topics that it has.",
    [
      Operation(
        .get, "/iid/info/{token}", "getTokenInfo", "About a token", access: .sender,
        parameters: [.registrationToken, .query("details", "With topics.", .oneOf("true", "false"))],
        answers: [.json(200, "The registration.", .named("TokenInfo"))] + failures([400, 401, 403, 404])
      ) { try await $0.instanceID.info($1, $2) },
      Operation(
        .post, "/iid/v1/{token}/rel/topics/{topic}", "subscribeToken", "Subscribe a token to a topic", access: .sender,
        parameters: [.registrationToken, topic], answers: [nothing] + failures([400, 401, 403, 404, 429])
      ) { try await $0.instanceID.setTopic($1, $2, on: true) },
      Operation(
        .delete, "/iid/v1/{token}/rel/topics/{topic}", "unsubscribeToken", "End a token's subscription",
        access: .sender, parameters: [.registrationToken, topic], answers: [nothing] + failures([400, 401, 403, 404])
      ) { try await $0.instanceID.setTopic($1, $2, on: false) },
      batch("batchAdd", "subscribeTokens", "Subscribe many tokens") {
        try await $0.instanceID.batch($1, $2, on: true)
      },
      batch("batchRemove", "unsubscribeTokens", "End many subscriptions") {
        try await $0.instanceID.batch($1, $2, on: false)
      },
      Operation(
        .post, "/iid/v1:batchImport", "importAPNsTokens", "Registrations for APNs tokens", access: .sender,
        body: .json(
          .object([
            .required("application", .text(1...256), "The bundle's id."), .optional("sandbox", .bool),
            .required("apns_tokens", .list(of: .text(pattern: "^[0-9a-fA-F]{64}$"), 1...100)),
          ])),
        answers: [
          .json(
            200, "One result for each.",
            .object([
              .required(
                "results",
                .list(
                  of: .object([
                    .required("apns_token", .anything), .required("status"), .optional("registration_token"),
                  ])))
            ]))
        ] + failures([400, 401])
      ) { try await $0.instanceID.batchImport($1, $2) },
      Operation(
        .post, "/v1/projects/{project}/registrations/{token}/topicSubscriptions", "subscribeV1",
        "Subscribe a token to a topic (v1)", access: .sender,
        parameters: [.project, .registrationToken, .requiredQuery("topic_name", "The topic.", topicName)],
        answers: [
          .json(200, "The subscription's name.", .object([.required("name")])), v1Failure(409, "It is so already."),
        ]
          + v1Failures
      ) { try await $0.topicSubscriptions.subscribe($1, $2) },
      Operation(
        .delete, "/v1/projects/{project}/registrations/{token}/topicSubscriptions/{topic}", "unsubscribeV1",
        "End a token's subscription (v1)", access: .sender,
        parameters: [
          .project, .registrationToken, topic,
          .query("allow_missing", "No 404 if there is none.", .oneOf("true", "false")),
        ],
        answers: [nothing] + v1Failures
      ) { try await $0.topicSubscriptions.unsubscribe($1, $2) },
    ],
    schemas: [
      (
        "TokenInfo",
        .object([
          .required("application"), .required("authorizedEntity", .text, "The sender's id."), .required("platform"),
          .optional("applicationVersion"), .optional("appSigner"), .optional("scope"),
          .optional(
            "rel", .object([.required("topics", .map(of: .object([.required("addDate", .text, "A day.")])))])),
        ])
      )
    ])

  private static let topicName = APISchema.text(pattern: "^[a-zA-Z0-9._~-]{1,128}$")
  private static let topic: APIParameter = .path("topic", "The topic's name.", topicName)

  private static let nothing = APIAnswer.json(200, "It is done.", APISchema(["type": "object"]))

  private static func batch(
    _ name: String, _ id: String, _ summary: String, _ handler: @escaping Operation<MessagingRoutes>.Handler
  ) -> Operation<MessagingRoutes> {
    Operation(
      .post, "/iid/v1:\(name)", id, summary, access: .sender,
      body: .json(
        .object([
          .required("to", .text(pattern: "^/topics/[a-zA-Z0-9._~-]{1,128}$")),
          .required("registration_tokens", .list(of: .text(1...512), 1...1_000)),
        ])),
      answers: [
        .json(
          200, "One result for each: empty, or with the error.",
          .object([.required("results", .list(of: .object([.optional("error")])))]))
      ] + failures([400, 401]), handler)
  }

  private static func failures(_ statuses: [Int]) -> [APIAnswer] {
    statuses.map { status in
      .json(
        status, "It cannot be done: `error` says why.",
        status == 400 ? .either(.named("NamedError"), .named("Failure")) : .named("NamedError"))
    }
  }

  private static let v1Failures = [
    v1Failure(400, "The topic or the token is not one."), v1Failure(401, "The key is wrong."),
    v1Failure(403, "The token, or the project, is another sender's."), v1Failure(404, "The token has ended."),
    v1Failure(429, "The registration has as many topics as it may."),
  ]
}

extension APIParameter {
  static let registrationToken: APIParameter = .path(
    "token", "A registration token.", .text(pattern: "^[A-Za-z0-9_:-]{1,512}$"))
}
