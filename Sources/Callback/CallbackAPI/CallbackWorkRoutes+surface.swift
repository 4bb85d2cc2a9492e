import CallbackEngine
import EngineKit
package import HTTPKit
import HTTPTypes
import JSONEnvelope

/// Spec: GMS 12.3; 9.5 for operators.
extension CallbackWorkRoutes {
  package static let surface = RoutedSurface<CallbackWorkRoutes>(
    "callback work", "What agents do with callbacks, and operators with queues of them.",
    [
      Operation(
        .get, "/agent/1/callbacks", "listCallbackWork", "Callbacks: waiting ones in the order in which they are served",
        about: "As with chats: those that nobody has, of the services of one's token, and one's own.",
        access: .agent,
        parameters: APIParameter.listed(
          [
            .query("state", "Which ones.", APISchema.oneOf("waiting", "own", "all").byDefault("all")), .ofService,
          ], upTo: EngineLimits().agentListMaximum),
        answers: [.page("Those callbacks.", of: .named("CallbackWork"))], failures: [400]
      ) { routes, token, request, _ in try await routes.list(token, request) },
      Operation(
        .get, "/agent/1/callbacks/{id}", "getCallbackWork", "One callback, with its fields", access: .agent,
        parameters: [id], answers: [work], failures: [404]
      ) { routes, token, _, context in try await routes.show(token, context) },
      report("available", "serveCallback", "Serve this one") { _ in .available },
      report("accept", "acceptCallback", "Take what was offered") { _ in .accepted },
      report("release", "releaseCallback", "Leave it to the next") { _ in .released },
      report("connected", "reportConnected", "The conversation begins") { _ in .connected },
      report("ended", "reportEnded", "The conversation is over") { _ in .ended },
      report(
        "failed", "reportFailed", "There was no conversation",
        [
          .optional(
            "reason",
            .oneOf(
              "FAIL_CALL_TO_CUSTOMER", "FAIL_AGENT_CONNECT", "FAIL_NO_CUSTOMER_NUMBER", "FAIL_ERROR", "NOT_AVAILABLE"))
        ]
      ) { .failed(try $0.failure) },
      Operation(
        .get, "/genesys/1/admin/callback/queues", "listQueues", "Callbacks by service", access: .admin,
        parameters: [
          .query("target", "Of this service."), .query("start_time", "Else from 15 minutes ago.", .time),
          .query("end_time", "Else until a day ahead.", .time),
          .query("states", "Names of states with commas between."),
          .query(
            "max", "At most so many, of all services together.", .integer(1...EdgeLimits.callbacksListedMaximum)),
          .query("after", "Where the list goes on: from the `Link` of the answer before."),
        ],
        answers: [
          .page("Callbacks by service, in the order of their times.", .map(of: .list(of: .named("CallbackRecord"))))
        ],
        failures: [400, 404]
      ) { routes, _, request, context in try await routes.queues(request, context) },
      Operation(
        .post, "/genesys/1/admin/callback/cancel", "cancelCallbacks", "Cancel several", access: .admin,
        body: .json(
          .object([
            .required("ids", .list(of: .text(1...256), 0...EdgeLimits.callbacksCancelledMaximum)),
            .optional("reason", .text(0...64)),
          ])),
        answers: [
          .json(
            200, "Which ones, and why not the others.",
            .object([
              .required("cancelled", .list(of: .text)),
              .required(
                "failed", .list(of: .object([.required("id"), .required("message"), .required("exception")]))),
            ]))
        ], failures: [400]
      ) { routes, token, request, _ in try await routes.cancel(token, request) },
    ],
    schemas: [("CallbackWork", schema)])

  private static let id: APIParameter = .path("id", "The callback's id.")

  private static let work = APIAnswer.json(
    200, "The callback.",
    .object(.named("CallbackWork"), and: [.required("data", .map(of: .text), "The fields of the request.")]))

  private static func report(
    _ name: String, _ operation: String, _ summary: String, _ members: [APIMember] = [],
    _ read: @escaping @Sendable (JSONBody) throws -> CallbackReport
  ) -> Operation<CallbackWorkRoutes> {
    Operation(
      .post, "/agent/1/callbacks/{id}/\(name)", operation, summary, access: .agent, parameters: [id],
      body: .json(.object(members), isRequired: false), answers: [work], failures: [400, 404, 409]
    ) { try await $0.report($1, $2, $3, read) }
  }

  private static let schema = APISchema.object([
    .required("id"), .required("service"), .required("state", .oneOf(CallbackRoutes.states)), .optional("reason"),
    .optional("note"), .required("media", .oneOf("chat", "voice")),
    .required("direction", .oneOf("USERORIGINATED", "USERTERMINATED")), .optional("customerNumber"),
    .optional("subject"), .optional("language"), .required("priority", .integer), .required("createdAt", .time),
    .optional("desiredTime", .time), .optional("queuedAt", .time), .required("expiresAt", .time),
    .optional("agentId", .text, "Who is held for it."), .optional("accepted", .bool),
    .optional("actBy", .time, "When it is taken from them, if they have not accepted, or not connected, by then."),
    .optional(
      "confirming",
      .object([.required("attempt", .integer), .required("until", .time)]), "The customer is asked."),
    .optional("snoozedUntil", .time), .optional("chatId"),
  ])
}
