import EngineKit
import EventSourcing
import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
import PushDomain
import PushEngine

/// What waits, and why.
extension AdminPushRoutes {
  static let queueOperations: [Operation<AdminPushRoutes>] = [
    Operation(
      .get, "/admin/1/queues", "listPushQueues", "Devices that pushes wait for, and why",
      about: """
        Of each device the push that goes next; `getPushQueue` tells of all. What waits for a receiver's own connection is not in \
        the list: its mailbox is a queue whose name is `gcm-` and the device's number, or `ccs-` and a sender's.
        """,
      access: .admin, parameters: APIParameter.listed(upTo: EngineLimits().listMaximum),
      answers: [.page("The queues, by device.", of: .named("PushQueue"))], failures: [400]
    ) { routes, _, request, _ in try await routes.queues(request) },
    Operation(
      .get, "/admin/1/queues/{id}", "getPushQueue", "What waits for one device or receiver, and why", access: .admin,
      parameters: [
        .path("id", "The device's id, or the name of a mailbox."),
        .query(
          "limit", "So many pushes at most, the next ones; `waiting` counts all.",
          APISchema.integer(1...EngineLimits().listMaximum).byDefault(.integer(Int64(ListQuery.limitDefault)))),
      ],
      answers: [.json(200, "The queue.", .named("PushQueue"))], failures: [400, 404]
    ) { routes, _, request, context in try await routes.queue(request, context) },
  ]

  func queues(_ request: Request) async throws -> Response {
    let query = try ListQuery(request, limitMaximum: listMaximum)
    let queues = await couriers.queues(after: query.after ?? "", limit: query.limit)
    // A list that may go on says so.
    let next = queues.count == query.limit ? queues.last?.id : nil
    return .json(adding: query.link(next: next)) { $0.objects(queues) { PushRendering.write($0, into: &$1) } }
  }

  func queue(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let query = try ListQuery(request, limitMaximum: listMaximum)
    guard query.after == nil else { throw EdgeFailure.badParameter("after", "is not known: there is limit") }
    guard let id = PathText.decode(try context.parameters.require("id")) else { throw EdgeFailure.notFound }
    let queue = try await couriers.queue(id, pushes: query.limit)
    return .object { PushRendering.write(queue, into: &$0) }
  }

  // MARK: Schema

  static let waitingPush = APISchema.object([
    .required("producer"), .required("number", .integer), .required("id"), .required("type"), .required("tag"),
    .required("service"), .required("priority", .oneOf("high", "normal")),
    .required("stage", .oneOf(WaitingPush.Stage.allCases.map(\.rawValue)), "What it waits for."),
    .required("acceptedAt", .time), .required("expiresAt", APISchema.time.orNull),
    .required("failures", .integer, "Attempts that have ended and count."),
    .required("nextAttemptAt", APISchema.time.orNull),
    .required(
      "history", .list(of: attempt), "The last attempts, oldest first."),
    .required("lastAnswer", APISchema.text.orNull, "The beginning of the receiver's last answer."),
    .required("alert", .text, "The text for display."),
    .required("body", .text, "What is to be said; not all of it unless `isWhole`."), .required("isWhole", .bool),
    .required("bytes", .integer),
  ])

  static let queueView = APISchema.object([
    .required("id"), .required("waiting", .integer, "Pushes, that under way included."),
    .required("why", APISchema.text.orNull, "Why the next one waits; null if nothing does."),
    .required("lane", APISchema.text.orNull, "That the next one takes."),
    .required("laneState", APISchema(["enum": ["closed", "open", "off", nil]])),
    .required("nextProbeAt", APISchema.time.orNull, "When the lane tries a push again, at the earliest."),
    .required("pushes", .list(of: waitingPush), "Those that go next."),
    .required("mail", .integer, "Messages that wait for the receiver's own connection."),
    .required("mailSince", APISchema.time.orNull), .required("deadLetters", .integer),
    .required("endedBecause", APISchema.text.orNull, "Why nothing goes there any more."),
  ])
}
