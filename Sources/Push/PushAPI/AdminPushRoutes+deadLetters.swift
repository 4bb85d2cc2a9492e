import EngineKit
import EventSourcing
import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
import PushDomain
import PushEngine

/// Pushes that have reached nobody.
extension AdminPushRoutes {
  static let deadLetterOperations: [Operation<AdminPushRoutes>] =
    [
      Operation(
        .get, "/admin/1/dead-letters", "listDeadLetters", "Pushes that have reached nobody",
        about: "By device and by age. Where there may be more, the field `Link` leads to the rest.", access: .admin,
        parameters: letterFilter.map { APIParameter(place: .query, member: $0) }
          + APIParameter.listed(upTo: EngineLimits().listMaximum),
        answers: [.page("Those pushes.", of: .named("DeadLetter"))], failures: [400]
      ) { routes, _, request, _ in try await routes.deadLetters(request) },
      Operation(
        .post, "/admin/1/dead-letters/replay", "replayDeadLetters", "Count many, or try them again",
        about: "Without `dryRun` false they are counted only. One replay at a time.", access: .admin,
        body: .json(
          .object(
            letterFilter + [
              .optional("dryRun", APISchema.bool.byDefault(.bool(true))),
              .optional("perSecond", APISchema.integer(EngineLimits.replaysPerSecond).byDefault(10)),
            ]), isRequired: false),
        answers: [.json(200, "So many there are.", count), .json(202, "They go out, at this pace.", count)],
        failures: [400, 409]
      ) { routes, _, request, _ in try await routes.replay(request) },
      Operation(
        .get, "/admin/1/dead-letters/replay", "getReplay", "How far the last replay has come", access: .admin,
        answers: [
          .json(
            200, "So far.",
            .object([
              .required("running", .bool), .required("count", .integer), .required("retried", .integer),
              .required("skipped", .integer, "Gone meanwhile, or for a device that has ended."),
              .required("perSecond", .integer), .required("startedAt", .time),
            ]))
        ], failures: [404]
      ) { routes, _, _, _ in try routes.replayUnderWay() },
      Operation(
        .delete, "/admin/1/dead-letters/replay", "stopReplay", "Stop it: what has not gone out stays", access: .admin,
        answers: [.done("It goes no further.")]
      ) { routes, _, _, _ in routes.stopReplay() },
    ]
    + letterPaths.flatMap { way in
      [
        Operation(
          .post, "/admin/1/dead-letters/{device}/\(way.path)/retry", "retryDeadLetter\(way.suffix)", "Try one again",
          access: .admin, parameters: way.parameters, answers: [.done("It is on its way.")], failures: [400, 404]
        ) { routes, _, _, context in try await routes.retry(context) },
        Operation(
          .delete, "/admin/1/dead-letters/{device}/\(way.path)", "dropDeadLetter\(way.suffix)", "Drop one",
          access: .admin, parameters: way.parameters, answers: [.done("It is gone.")], failures: [404]
        ) { routes, _, _, context in try await routes.drop(context) },
      ]
    }

  private static let letterFilter: [APIMember] = [
    .optional("device", .text, "Of this device."), .optional("producer", .text, "Ordered by it."),
    .optional("type", .text, "Of this type."), .optional("tag", .text), .optional("service", .text, "Of this service."),
    .optional("outcome", .oneOf(FinalPushOutcome.names)),
    .optional("from", .time, "That ended at this moment or later."),
    .optional("until", .time, "That ended before."),
  ]

  /// The ways to name one.
  private static let letterPaths: [(path: String, suffix: String, parameters: [APIParameter])] = {
    let device = APIParameter.path("device", "The device's id.")
    let number = APISchema.integer(0...1_000_000_000)
    return [
      ("{producer}", "", [device, .path("producer", "The push's id.")]),
      (
        "{producer}/{number}", "OfProducer",
        [
          device, .path("producer", "Who ordered the push; a slash in that name is `%2F`."),
          .path("number", "The producer's number for it.", number),
        ]
      ),
    ]
  }()

  private static let count = APISchema.object([
    .required("dryRun", .bool), .required("count", .integer), .required("more", .bool, "More than one order takes."),
  ])

  func deadLetters(_ request: Request) async throws -> Response {
    let query = try ListQuery(request, DeadLetterFilter.names, limitMaximum: listMaximum)
    let letters = await couriers.deadLetters(
      try DeadLetterFilter { query[$0] }, after: query.after ?? "", limit: query.limit)
    // A list that may go on says so.
    let next = letters.count == query.limit ? letters.last?.cursor : nil
    return .json(adding: query.link(next: next)) {
      $0.objects(letters) { PushRendering.write($0, into: &$1) }
    }
  }

  func replay(_ request: Request) async throws -> Response {
    let body = try JSONBody(try await request.bytes(limits: limits))
    let filter = try DeadLetterFilter(body)
    let pace = try body.optionalInteger("perSecond", in: EngineLimits.replaysPerSecond) ?? 10
    if try body.optionalBool("dryRun") ?? true {
      let (count, hasMore) = await couriers.countDeadLetters(filter)
      return PushRendering.answer(count: count, hasMore: hasMore, isDryRun: true)
    }
    guard let (replay, hasMore) = await couriers.replayDeadLetters(filter, perSecond: pace) else {
      throw EdgeFailure(.conflict, "Another replay is under way", exception: "ReplayUnderWayException")
    }
    return PushRendering.answer(count: replay.count, hasMore: hasMore, isDryRun: false)
  }

  func replayUnderWay() throws -> Response {
    guard let replay = couriers.deadLetterReplay else { throw EdgeFailure.notFound }
    return .object { object in
      object.member("running", replay.isRunning)
      object.member("count", replay.count)
      object.member("retried", replay.retried)
      object.member("skipped", replay.skipped)
      object.member("perSecond", replay.perSecond)
      object.member("startedAt", replay.startedAt.iso8601)
    }
  }

  func stopReplay() -> Response {
    couriers.stopDeadLetterReplay()
    return Response(status: .noContent)
  }

  func retry(_ context: EdgeRequestContext) async throws -> Response {
    let (id, device) = try await letter(context)
    try await couriers.retryDeadLetter(id, of: device)
    return Response(status: .noContent)
  }

  func drop(_ context: EdgeRequestContext) async throws -> Response {
    let (id, device) = try await letter(context)
    try await couriers.dropDeadLetter(id, of: device)
    return Response(status: .noContent)
  }

  /// The dead letter that a path names.
  private func letter(_ context: EdgeRequestContext) async throws -> (id: PushID, device: String) {
    func part(_ name: String) throws -> String {
      guard let text = PathText.decode(try context.parameters.require(name)) else { throw EdgeFailure.notFound }
      return text
    }
    let device = try part("device")
    let producer = try part("producer")
    guard context.parameters.get("number") != nil else {
      return (try await couriers.deadLetter(producer, of: device), device)
    }
    guard let number = Int(try part("number")) else { throw EdgeFailure.notFound }
    return (PushID(producer: producer, number: number), device)
  }

  // MARK: Schema

  static let attempt = APISchema.object([
    .required("at", .time), .required("reason"),
    .required("maybeDelivered", .bool, "No answer came: the next attempt may be a repetition."),
  ])

  static let deadLetter = APISchema.object([
    .required("device"), .required("producer"), .required("number", .integer), .required("id"), .required("type"),
    .required("tag"), .required("service"), .required("outcome", .oneOf(FinalPushOutcome.names)), .required("reason"),
    .required("attempts", .integer, "Those that counted."),
    .required("history", .list(of: attempt), "The last attempts, oldest first."),
    .required("lastAnswer", .text.orNull, "The beginning of the receiver's last answer."),
    .required("alert", .text, "The text for display."),
    .required("body", .text, "What was to be said; not all of it unless `isWhole`."), .required("isWhole", .bool),
    .required("bytes", .integer), .required("acceptedAt", .time), .required("endedAt", .time),
    .required("cursor", .text, "For `after`."),
  ])
}
