import CallbackDomain
import EdgeSecurity
package import HTTPKit
import HTTPTypes
import JSONEnvelope
import PushDomain

/// Spec: GMS 9.1, 9.5.
extension CallbackRoutes {
  package static let surface = RoutedSurface<CallbackRoutes>(
    "callbacks",
    """
    A customer asks to be called, or to chat, as soon as an agent is free or at a time of choice. Answers are dialogs: \
    they say what the app is to show, and where each of its buttons leads.
    """,
    [
      create,
      Operation(
        .get, "/genesys/1/service/callback/{name}", "findCallbacks", "Find callbacks of a service",
        about: conditions, access: .customerOrAdmin, budget: .callbackQueries,
        parameters: [serviceName, .ownerKey] + query, answers: [records],
        failures: [400, 404, 429]
      ) { try await $0.find($1, $2) },
      Operation(
        .get, "/genesys/1/service/callback", "findAllCallbacks", "Find callbacks of all services",
        about: conditions, access: .customerOrAdmin, budget: .callbackQueries, parameters: [.ownerKey] + query,
        answers: [records],
        failures: [400, 429]
      ) { try await $0.findEverywhere($1, $2) },
      Operation(
        .get, "/genesys/1/service/callback/{name}/availability", "getAvailability", "When there is room",
        access: .customer,
        parameters: [
          serviceName, .query("start", "From this time on; else from now.", .time),
          .query("end", "Until this time.", .time),
          .query("number-of-days", "So many days.", .integer(1...EdgeLimits.availabilityDaysMaximum)),
          .query("max-time-slots", "At most so many.", .integer(1...EdgeLimits.availabilitySlotsMaximum)),
        ],
        answers: [.json(200, "Room by the time at which it begins, ascending.", .map(of: .integer))],
        failures: [400, 404]
      ) { try await $0.availability($1, $2) },
      one(.get, "getCallback", "One callback", answer: record) { try await $0.show($1, $2) },
      one(
        .put, "updateCallback", "Move or change a callback",
        about: "Fields are merged, an empty value removes one. Only while nobody has been asked to connect.",
        body: .parameters([
          .optional("_new_desired_time", .time, "The new time; `_desired_time` does the same."),
          .optional("_customer_number", .text(0...64)),
        ]), answer: record, failures: [400, 409, 415]
      ) { try await $0.update($1, $2) },
      one(
        .delete, "cancelCallback", "Cancel a callback",
        answer: .json(200, "It is cancelled.", APISchema(["type": "object"])), failures: [400]
      ) { try await $0.cancel($1, $2) },
    ] + actions,
    schemas: [("CallbackRecord", recordSchema), ("QueuePosition", queuePosition)] + dialogSchemas)

  private static let serviceName: APIParameter = .path("name", "The service's name, as the configuration has it.")

  private static func one(
    _ method: HTTPRequest.Method, _ id: String, _ summary: String, about: String? = nil, body: APIBody? = nil,
    answer: APIAnswer, failures: [Int] = [], _ handler: @escaping Operation<CallbackRoutes>.Handler
  ) -> Operation<CallbackRoutes> {
    Operation(
      method, "/genesys/1/service/callback/{name}/{id}", id, summary, about: about, access: .customer,
      parameters: [serviceName, .path("id", "The callback's id: `_id`."), .ownerKey], body: body, answers: [answer],
      failures: failures + [404], handler)
  }

  private static let create = Operation<CallbackRoutes>(
    .post, "/genesys/1/service/callback/{name}", "createCallback", "Ask for a callback",
    about: """
      Options that are left out are the service's. Fields that are not named here are kept with the callback. A time \
      for which there is no room is refused with the times around it (`availability`).
      """,
    access: .customer, budget: .callbacks,
    parameters: [
      serviceName,
      .header(
        "gms_user", "Whose the callback is, and the chat that may follow: only they find, see, change or cancel it.",
        .text(pattern: "^[!-~]{1,256}$")),
      .header("Accept-Language", "For texts, as browsers send it.", .text(pattern: "^[a-z]{2}(-[A-Z]{2})?$")),
    ],
    body: .parameters([
      .required("_customer_number", .text(1...64), "Unless the service asks for something else."),
      .optional("_desired_time", .time, "Else as soon as possible."),
      .optional("_call_direction", .oneOf("USERORIGINATED", "USERTERMINATED"), "Who dials."),
      .optional("_media_type", .oneOf("voice", "chat")),
      .optional("_wait_for_agent", flag, "First wait until an agent is free."),
      .optional("_wait_for_user_confirm", flag, "Then ask the customer by push before connecting."),
      .optional("_provide_code", flag, "The customer dials with a code."),
      .optional("_device_os", .oneOf(PushType.ofSubscriptions.map(\.rawValue))),
      .optional("_device_notification_id", .text(0...2_048), "A token, or what the type of push has in its place."),
      .optional("subject", .text(0...256)),
    ]),
    answers: [
      .json(
        200, "What to show now.", .named("CallbackDialog"),
        links: [
          APILink(to: "connectByPost", "service", from: "/_id"), APILink(to: "cancelByPost", "service", from: "/_id"),
        ])
    ],
    failures: [400, 404, 415]
  ) { try await $0.create($1, $2) }

  private static let flag = APISchema.oneOf("true", "false")

  private static let conditions = """
    Every other parameter is a condition on a field: `_customer_number=…`, `_callback_state=!COMPLETED` (`!` negates). One \
    of them names a key, such as the number, with its value (with `OR` each does): 400 otherwise. Found are the callbacks \
    of the `gms_user` that is shown, and those without one. Lists, and queries by anything else, are for operators' tokens.
    """

  private static let query: [APIParameter] = [
    .query("operand", "Whether all conditions have to hold, or one.", APISchema.oneOf("AND", "OR").byDefault("AND")),
    .query("_id", "The callback's id."), .query("_customer_number", "The customer's number."),
    .query("_callback_state", "The state.", .text(pattern: "^!?[A-Z]{1,16}$")),
    .query("_limit", "At most so many.", APISchema.integer(1...EdgeLimits.callbacksListedMaximum)),
    .query("_after", "Where the list goes on: from the `Link` of the answer before."),
  ]

  private static let record = APIAnswer.json(200, "The callback.", .named("CallbackRecord"))
  private static let records = APIAnswer.page(
    "Those callbacks, in the order of their times.", of: .named("CallbackRecord"))

  // MARK: Schemas

  static let states = CallbackStatus.allCases.map(\.name)

  private static let recordSchema = APISchema.object([
    .required("_id"), .required("_desired_time", .time), .required("desiredTime", .time, "For old clients."),
    .required("_service_name"), .required("_callback_state", .oneOf(states)),
    .optional("_callback_reason", .text, "How it ended."), .required("_expiration_time", .time), .required("_url"),
    .required("url", .text, "For old clients."), .optional("_customer_number"),
  ])

  private static let queuePosition = APISchema.object([
    .required("_position", .text(pattern: "^[0-9]+$")), .required("_eta", .text(pattern: "^[0-9]+$"), "Seconds."),
    .required("_total_waiting", .text(pattern: "^[0-9]+$")), .required("_agent_ready_threshold_passed", .bool),
  ])
}
