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
      parameters: [
        .query("owner", "Of this customer."), .query("type", "Of this type."),
        .query("state", "In this state.", .oneOf("live", "ended")), .query("after", "Behind this id."), limit,
      ],
      answers: [.json(200, "Those devices.", .list(of: .named("Device")))], failures: [400]),
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

  private static let letterPath: [APIParameter] = [
    .path("device", "The device's id."), .path("producer", "Who ordered the push."),
    .path("number", "The producer's number for it.", .integer(0...1_000_000_000)),
  ]

  private static let deadLetters = [
    APIOperation(
      .get, "/admin/1/dead-letters", "listDeadLetters", "Pushes that have reached nobody", access: .admin,
      parameters: [.query("after", "Behind this device."), limit],
      answers: [.json(200, "Those pushes.", .list(of: .named("DeadLetter")))], failures: [400]),
    APIOperation(
      .post, "/admin/1/dead-letters/{device}/{producer}/{number}/retry", "retryDeadLetter", "Try one again",
      access: .admin, parameters: letterPath, answers: [.done("It is on its way.")], failures: [404]),
    APIOperation(
      .delete, "/admin/1/dead-letters/{device}/{producer}/{number}", "dropDeadLetter", "Drop one", access: .admin,
      parameters: letterPath, answers: [.done("It is gone.")], failures: [404]),
  ]

  private static let lanes = [
    APIOperation(
      .get, "/admin/1/lanes", "listLanes", "What each courier does", access: .admin,
      answers: [.json(200, "All lanes.", .list(of: .named("Lane")))]),
    APIOperation(
      .post, "/admin/1/lanes/reset", "resetLanes", "Try again at once what was found to be broken", access: .admin,
      answers: [.done("They try.")]),
  ]

  private static let limit: APIParameter = .query(
    "limit", "At most so many.", APISchema.integer(1...500).byDefault(100))

  // MARK: Messages

  private static let senderName: APIParameter = .path("sender", "The sender's id.")

  private static let faults = [
    APIOperation(
      .put, "/admin/1/senders/{sender}/faults", "setFaults", "Script what a sender's next messages meet",
      about: "Only for senders in test mode.", access: .admin, parameters: [senderName],
      body: .json(.named("Faults")), answers: [.json(200, "The script.", .named("Faults"))], failures: [400, 404]),
    APIOperation(
      .get, "/admin/1/senders/{sender}/faults", "getFaults", "What is left of a script", access: .admin,
      parameters: [senderName], answers: [.json(200, "The script.", .named("Faults"))]),
    APIOperation(
      .delete, "/admin/1/senders/{sender}/faults", "endFaults", "End a script", access: .admin,
      parameters: [senderName], answers: [.done("It is gone.")]),
  ]

  private static let messageStream = APIOperation(
    .get, "/admin/1/messages/stream", "followMessages", "Follow what happens to messages",
    about: """
      Server-sent events, each named for the step (`accepted`, `stored`, `sent`, `acknowledged`, …), with JSON that \
      does not hold what the message says. A sender's key hears of its own messages only.
      """,
    access: .senderOrAdmin,
    parameters: [
      .query("sender", "Of this sender."), .query("message", "This message."), .query("app", "For this app."),
    ],
    answers: [APIAnswer(200, "Until either side ends it.", [("text/event-stream", .text)])])

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
    .required("tag"), .required("outcome", .oneOf(FinalPushOutcome.names)), .required("reason"),
    .required("attempts", .integer), .required("bytes", .integer), .required("acceptedAt", .time),
    .required("endedAt", .time),
  ])

  private static let lane = APISchema.object([
    .required("lane"), .required("lanes", .integer), .required("waiting", .integer), .required("running", .integer),
    .required("open", .integer, "Lanes that wait after failures."),
    .required("off", .integer, "Lanes that are given up."),
    .required("oldestSeconds", .number),
  ])

  private static let fault = APISchema.object([
    .optional("error", .oneOf(DownstreamError.allCases.map(\.rawValue)), "Each target is answered with it."),
    .optional("status", .integer(400...599), "The request is answered with it; not together with `error`."),
    .optional("delayMilliseconds", .integer(0...EdgeLimits.scriptedDelayMillisecondsMaximum)),
    .optional("retryAfterSeconds", .integer(0...86_400)),
    .optional("count", .integer(1...EdgeLimits.scriptedFaultsMaximum), "Repeats it; in requests only."),
  ]).with("not", ["required": ["error", "status"]])
}
