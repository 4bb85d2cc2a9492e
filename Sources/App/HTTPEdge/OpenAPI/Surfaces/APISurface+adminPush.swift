import Engine
import GCMProtocol
import HTTPTypes
import JSONEnvelope
import PushDomain

/// Devices, pushes and couriers for the operator.
extension APISurface {
  static let adminPush = APISurface(
    "push administration", "Devices, pushes and the couriers that carry them. Needs a token of the role `admin`.",
    devices + deadLetters + lanes + faults + [messageStream],
    schemas: [
      ("PushOrder", order), ("PushEnd", end), ("DeadLetter", deadLetter), ("Lane", lane),
      ("Faults", .object([.required("faults", .list(of: .named("Fault")))])), ("Fault", fault),
    ])

  private static let devices = [
    APIOperation(
      .get, "/admin/1/devices", "listAllDevices", "Devices, in the order of their ids", access: .admin,
      parameters: APIParameter.listed(
        [
          .query("owner", "Of this customer."), .query("type", "Of this type."),
          .query("state", "In this state.", .oneOf("live", "ended")),
        ], upTo: EngineLimits().listMaximum),
      answers: [.page("Those devices.", of: .named("Device"))], failures: [400]),
    APIOperation(
      .post, "/admin/1/devices", "registerAnyDevice", "Register a device", access: .admin,
      body: .parameters(deviceMembers + [.optional("owner", .text(0...256), "Whose it is: a `gms_user`.")]),
      answers: registered("getAnyDevice", "endAnyDevice", "pushToDevice"), failures: [400, 415]),
    APIOperation(
      .get, "/admin/1/devices/{id}", "getAnyDevice", "One device", access: .admin, parameters: [.deviceID],
      answers: [.json(200, "The device.", .named("Device"))], failures: [404]),
    APIOperation(
      .post, "/admin/1/devices/{id}/end", "endAnyDevice", "End a device", access: .admin, parameters: [.deviceID],
      body: .json(.object([.optional("reason", .text(0...256))]), isRequired: false),
      answers: [.done("It has ended.")], failures: [400, 404]),
    APIOperation(
      .post, "/admin/1/devices/{id}/pushes", "pushToDevice", "Push to a device",
      about: "Waits up to 30 seconds for the outcome.", access: .admin, parameters: [.deviceID],
      body: .json(.named("PushOrder"), isRequired: false),
      answers: [
        .json(200, "What has become of it.", .named("PushEnd")), .json(202, "It is not over yet.", .named("PushEnd")),
      ], failures: [400, 404]),
  ]

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

  private static let deadLetters =
    [
      APIOperation(
        .get, "/admin/1/dead-letters", "listDeadLetters", "Pushes that have reached nobody",
        about: "By device and by age. Where there may be more, the field `Link` leads to the rest.", access: .admin,
        parameters: letterFilter.map { APIParameter(place: .query, member: $0) }
          + APIParameter.listed(upTo: EngineLimits().listMaximum),
        answers: [.page("Those pushes.", of: .named("DeadLetter"))], failures: [400]),
      APIOperation(
        .post, "/admin/1/dead-letters/replay", "replayDeadLetters", "Count many, or try them again",
        about: "Without `dryRun` false they are counted only. One replay at a time.", access: .admin,
        body: .json(
          .object(
            letterFilter + [
              .optional("dryRun", APISchema.bool.byDefault(.bool(true))),
              .optional("perSecond", APISchema.integer(EngineLimits.replaysPerSecond).byDefault(10)),
            ]), isRequired: false),
        answers: [.json(200, "So many there are.", count), .json(202, "They go out, at this pace.", count)],
        failures: [400, 409]),
      APIOperation(
        .get, "/admin/1/dead-letters/replay", "getReplay", "How far the last replay has come", access: .admin,
        answers: [
          .json(
            200, "So far.",
            .object([
              .required("running", .bool), .required("count", .integer), .required("retried", .integer),
              .required("skipped", .integer, "Gone meanwhile, or for a device that has ended."),
              .required("perSecond", .integer), .required("startedAt", .time),
            ]))
        ], failures: [404]),
      APIOperation(
        .delete, "/admin/1/dead-letters/replay", "stopReplay", "Stop it: what has not gone out stays", access: .admin,
        answers: [.done("It goes no further.")]),
    ]
    + letterPaths.flatMap { way in
      [
        APIOperation(
          .post, "/admin/1/dead-letters/{device}/\(way.path)/retry", "retryDeadLetter\(way.suffix)", "Try one again",
          access: .admin, parameters: way.parameters, answers: [.done("It is on its way.")], failures: [400, 404]),
        APIOperation(
          .delete, "/admin/1/dead-letters/{device}/\(way.path)", "dropDeadLetter\(way.suffix)", "Drop one",
          access: .admin, parameters: way.parameters, answers: [.done("It is gone.")], failures: [404]),
      ]
    }

  private static let lanes = [
    APIOperation(
      .get, "/admin/1/lanes", "listLanes", "What each courier does", access: .admin,
      parameters: APIParameter.listed(upTo: EngineLimits().listMaximum),
      answers: [.page("The lanes.", of: .named("Lane"))], failures: [400]),
    APIOperation(
      .post, "/admin/1/lanes/reset", "resetLanes", "Try again at once what was found to be broken", access: .admin,
      answers: [.done("They try.")]),
  ]

  // MARK: Messages

  private static let senderName: APIParameter = .path("sender", "The sender's id.")

  private static let faults = [
    APIOperation(
      .put, "/admin/1/senders/{sender}/faults", "setFaults", "Script what a sender's next messages meet",
      about: "Only for senders in test mode.", access: .admin, parameters: [senderName],
      body: .json(.named("Faults")), answers: [.json(200, "The script.", .named("Faults"))], failures: [400, 404]),
    APIOperation(
      .get, "/admin/1/senders/{sender}/faults", "getFaults", "What is left of a script", access: .admin,
      parameters: [senderName], answers: [.json(200, "The script.", .named("Faults"))], failures: [400]),
    APIOperation(
      .delete, "/admin/1/senders/{sender}/faults", "endFaults", "End a script", access: .admin,
      parameters: [senderName], answers: [.done("It is gone.")]),
  ]

  private static let messageStream = APIOperation(
    .get, "/admin/1/messages/stream", "followMessages", "Follow what happens to messages",
    about: """
      Server-sent events, each named for the step \
      (\(MessageStep.Kind.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", "))), with JSON that does not hold \
      what the message says. A sender's key hears of its own messages only.
      """,
    access: .senderOrAdmin,
    parameters: [
      .query("sender", "Of this sender."), .query("message", "This message."), .query("app", "For this app."),
    ],
    answers: [APIAnswer(200, "Until either side ends it.", [("text/event-stream", .text)])], failures: [400])

  // MARK: Schemas

  private static let order = APISchema.object([
    .optional("title", .text(0...256)), .optional("subtitle", .text(0...256)), .optional("body", .text(0...1_000)),
    .optional("sound", .text(0...64)), .optional("image", .text(0...256)), .optional("threadId", .text(0...64)),
    .optional("category", .text(0...64)), .optional("interruptionLevel", .text(0...32)),
    .optional("pushType", .text(0...32)), .optional("badge", .integer(0...Int(Int32.max))),
    .optional("contentAvailable", .bool), .optional("mutableContent", .bool), .optional("collapseKey", .text(0...64)),
    .optional("timeToLive", .integer(0...2_419_200), "Seconds."), .optional("priority", .oneOf("high", "normal")),
    .optional("data", APISchema(["type": "object"]), "For the app."),
  ])

  private static let end = APISchema.object([
    .required("id"), .required("outcome", .oneOf(FinalPushOutcome.names + ["waiting"])),
    .optional("attempts", .integer), .optional("reason"),
  ])

  private static let deadLetter = APISchema.object([
    .required("device"), .required("producer"), .required("number", .integer), .required("id"), .required("type"),
    .required("tag"), .required("service"), .required("outcome", .oneOf(FinalPushOutcome.names)), .required("reason"),
    .required("attempts", .integer, "Those that counted."),
    .required(
      "history",
      .list(
        of: .object([
          .required("at", .time), .required("reason"),
          .required("maybeDelivered", .bool, "No answer came: the next attempt may be a repetition."),
        ])), "The last attempts, oldest first."),
    .required("lastAnswer", .text.orNull, "The beginning of the receiver's last answer."),
    .required("alert", .text, "The text for display."),
    .required("body", .text, "What was to be said; not all of it unless `isWhole`."), .required("isWhole", .bool),
    .required("bytes", .integer), .required("acceptedAt", .time), .required("endedAt", .time),
    .required("cursor", .text, "For `after`."),
  ])

  private static let lane = APISchema.object([
    .required("lane"), .required("lanes", .integer), .required("waiting", .integer), .required("running", .integer),
    .required("open", .integer, "Lanes that wait after failures."),
    .required("off", .integer, "Lanes that are given up."),
    .required("oldestSeconds", .number),
    .required("queued", .object([.required("high", .integer), .required("normal", .integer)]), "Messages that wait."),
    .required("nextAttemptAt", APISchema.time.orNull, "When the first device tries again that waits for it."),
  ])

  private static let fault = APISchema.object([
    .optional("error", .oneOf(DownstreamError.allCases.map(\.rawValue)), "Each target is answered with it."),
    .optional("status", .integer(400...599), "The request is answered with it; not together with `error`."),
    .optional("delayMilliseconds", .integer(0...EdgeLimits.scriptedDelayMillisecondsMaximum)),
    .optional("retryAfterSeconds", .integer(0...86_400)),
    .optional("count", .integer(1...EdgeLimits.scriptedFaultsMaximum), "Repeats it; in requests only."),
  ]).with("not", ["required": ["error", "status"]])
}
