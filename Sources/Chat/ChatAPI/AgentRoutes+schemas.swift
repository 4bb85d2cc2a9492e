import ChatDomain
import ChatEngine
import HTTPKit
import JSONEnvelope

/// What agents are answered.
extension AgentRoutes {
  static let chatSummary = APISchema.object([
    .required("chatId"), .required("serviceId"),
    .required("service", .text, "The name of the service whose agents it is for."),
    .required("subject"), .required("customer", .text, "The customer's nickname."), .required("startedAt", .time),
    .required("endedAt", APISchema.time.orNull), .required("customerOnline", .bool),
    .required(
      "phase", APISchema.either(.oneOf(phases), APISchema(["type": "null"])),
      "Where the customer is: there, gone as their app has said, or lost without a word. Null when it is over."),
    .required("phaseSince", APISchema.time.orNull, "Null also where it is not known."),
    .required("position", .integer, "Of the last event."),
    .required(
      "lastLine", .named("TranscriptLine").orNull,
      "The last line that is not about typing; its text is cut behind \(AgentChatSummary.lineBytesMaximum) bytes."),
    .required(
      "unread", .integer(0...AgentChatSummary.unreadMaximum),
      "What the customer has said and you have not read; beyond \(AgentChatSummary.unreadMaximum) nobody counts."),
    .required("waiting", .bool, "No agent is in it."),
    .required(
      "waitingSince", APISchema.time.orNull,
      "Since when the customer waits for a word: their oldest line without an answer, or since nobody is in it."),
    .required(
      "offer", APISchema.object([.required("agentId"), .required("until", .time)]).orNull,
      "Whose it is to take, while it waits; nobody else who serves its service does so then."),
    .required("ended", .bool),
    .required(
      "agents",
      .list(
        of: .object([.required("agentId"), .required("nickname"), .required("role", .oneOf(ChatRoutes.partyRoles))]))),
    .required(
      "pushes",
      .object([
        .required("owed", .integer, "Not taken over by the device's queue yet."),
        .required("last", lastPush.orNull, "The last one that was."),
      ])),
    .required(
      "wrapUp",
      APISchema.object([
        .required("agentId"), .required("disposition"), .required("note"), .required("tags", .list(of: .text)),
        .required("time", .time),
      ]).orNull, "What an agent has noted when they were done."),
  ])

  static let phases = CustomerPhase.allCases.map(\.rawValue)

  private static let lastPush = APISchema.object([
    .required("position", .integer, "The last event that it stands for."),
    .required(
      "outcome", APISchema.either(.oneOf(ChatPushOutcome.allCases.map(\.rawValue)), APISchema(["type": "null"])),
      "Null: it waits, cannot go out, or nobody has heard."),
    .required("time", .time, "When it was taken over, or when that became of it."),
  ])

  static let colleague = APISchema.object([
    .required("agentId"), .required("role", .oneOf(ChatRoutes.partyRoles)), .required("ready", .bool),
    .required(
      "presence", .oneOf(AgentPresence.allCases.map(\.rawValue)),
      "Online while a stream or socket of theirs is open, and \(AgentPresence.graceSeconds) seconds longer."),
    .required("chats", .integer, "Live ones that they are in."),
    .required("capacity", .integer, "With so many chats they are offered no more."),
    .optional("services", .list(of: .text), "That the token names; all if absent."),
  ])

  static let transcript = APISchema.object([
    .required("chatId"), .required("startedAt", .time), .required("position", .integer), .required("ended", .bool),
    .required("lines", .list(of: .named("TranscriptLine"))),
  ])

  static let line = APISchema.object([
    .required("position", APISchema.integer.orNull),
    .required("type", .oneOf(ChatRoutes.transcriptTypes.filter { $0 != TranscriptEventType.file.rawValue })),
    .required("nickname"), .required("text"), .required("role", .oneOf(ChatRoutes.partyRoles)),
    .required("time", .time),
    .required("visibility", .oneOf("all", "agent"), "Who sees it."),
    .optional(
      "file", .named("ChatFile"),
      "Of a file: its type is `Notice.PushUrl` and its text its URL, or its name in `lastLine`."),
  ])
}
