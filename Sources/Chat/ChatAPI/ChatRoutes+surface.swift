import ChatDomain
import ChatEngine
import EngineKit
package import HTTPKit
import HTTPTypes
import JSONEnvelope
import PushDomain

/// Spec: GMS 3.3 to 3.5, 5.
extension ChatRoutes {
  package static let surface = RoutedSurface<ChatRoutes>(
    "chat",
    """
    The customer's side of a chat. With `notify_by=comet` events come over the Comet endpoint, otherwise by `refresh`. \
    Positions are numbers as texts; each means "the last event that I have". A chat with a `gms_user` takes it with every \
    request: without it, or with another, there is no such chat (404).
    """,
    [
      start,
      operation("/send", "sendMessage", "Say something", body: [.required("message", .text(1...4_000)), verbose]) {
        routes, id, parameters, userKey in
        guard let text = parameters.first(of: "message") else { throw EdgeFailure.missingParameter("message") }
        return try await routes.chats.send(id, text: text, by: .customer(userKey: userKey))
      },
      refresh(.post, "refreshChat"), refresh(.get, "pollChat"),
      operation("/startTyping", "startTyping", "Show that the customer types", body: [preview, verbose]) {
        routes, id, parameters, userKey in
        try await routes.chats.typing(
          id, started: true, preview: parameters["message"] ?? "", by: .customer(userKey: userKey))
      },
      operation("/stopTyping", "stopTyping", "Show that the customer has stopped typing", body: [preview, verbose]) {
        routes, id, parameters, userKey in
        try await routes.chats.typing(
          id, started: false, preview: parameters["message"] ?? "", by: .customer(userKey: userKey))
      },
      operation(
        "/disconnect", "endChat", "End the chat", about: "One that is over already stays so: 200 again.",
        body: [verbose]
      ) { routes, id, _, userKey in
        try await routes.chats.disconnect(id, by: .customer(userKey: userKey))
      },
      operation(
        "/customNotice", "sendCustomNotice", "Send a notice", body: [.required("message", .text(1...4_000)), verbose]
      ) { routes, id, parameters, userKey in
        guard let text = parameters.first(of: "message") else { throw EdgeFailure.missingParameter("message") }
        return try await routes.chats.notice(id, text: text, by: .customer(userKey: userKey))
      },
      sendURL, updateData,
    ],
    schemas: [("ChatReply", chatReply), ("TranscriptEvent", transcriptEvent), ("ChatFile", chatFile)])

  private static let verbose = APIMember.optional(
    "_verbose", .oneOf("true", "false"), "`true` adds the members that only old clients read.")
  private static let preview = APIMember.optional("message", .text, "What is typed so far; only agents see it.")

  private static let reply = APIAnswer.json(200, "The chat, with what is new.", .named("ChatReply"))

  private static func operation(
    _ suffix: String, _ id: String, _ summary: String, about: String? = nil, body: [APIMember],
    namesDevice: Bool = false, _ perform: @escaping Performance
  ) -> Operation<ChatRoutes> {
    Operation(
      .post, "/genesys/1/service/{service}/ixn/chat\(suffix)", id, summary, about: about, access: .customer,
      parameters: [.serviceID, .ownerKey], body: .parameters(body), answers: [reply], failures: [400, 404, 415]
    ) { try await $0.answer($1, $2, namesDevice: namesDevice, perform) }
  }

  private static let sendURL = operation(
    "/pushUrl", "sendURL", "Send a URL",
    body: [
      .optional("pushUrl", .webAddress), .optional("message", .text, "In place of `pushUrl`."), verbose,
    ]
  ) { routes, id, parameters, userKey in
    guard let url = parameters.first(of: "pushUrl", "message") else { throw EdgeFailure.missingParameter("pushUrl") }
    return try await routes.chats.pushURL(id, url: url, by: .customer(userKey: userKey))
  }

  private static let updateData = operation(
    "/updateData", "updateChatData", "Change attached data",
    about: """
      All fields that do not begin with `_` are merged; an empty value removes the field. The fields of a push \
      registration, as at the start, change where the chat's pushes go; an empty device or subscription ends them.
      """,
    body: pushRegistration + [verbose], namesDevice: true
  ) { try await $0.updateData($1, $2, $3) }

  private static let pushRegistration: [APIMember] = [
    .optional(
      "push_notification_type", .oneOf(PushType.described.map(\.rawValue))),
    .optional(
      "push_notification_deviceid", .text(0...2_048), "A token, or where `httpcb` posts to; not without the type."),
    .optional("push_notification_provider", .text(0...128), "The name of the credentials."),
    .optional("push_notification_language", .text(0...35), "For the texts of pushes: `de`, `ru-RU`."),
    .optional("push_notification_debug", .oneOf("true", "false"), "`true` takes the credentials for development."),
    .optional("subscriptionID", .text, "In place of a device: a notification subscription to push to while it lasts."),
  ]

  private static let identity: [APIMember] = [
    .optional("notify_by", .oneOf("comet"), "`comet`: events come over the Comet endpoint."),
    .optional("userDisplayName", .text(0...64), "The name in the transcript; else first and last name."),
    .optional("firstName", .text(0...64)), .optional("lastName", .text(0...64)), .optional("email", .text(0...64)),
    .optional("subject", .text(0...256), "Shown to agents."),
    .optional("message", .text, "The first thing to say."),
    .optional(
      "_file_events", .oneOf("true", "false"),
      "`true`: the app knows `Notice.File`; else it is shown files as `Notice.PushUrl`, with their URLs."),
  ]

  private static let start = Operation<ChatRoutes>(
    .post, "/genesys/1/service/{service}/ixn/chat", "startChat", "Start the chat of an instance",
    about: "All fields that are not named here and do not begin with `_` are attached data.",
    access: .customer,
    parameters: [
      .serviceID,
      .header(
        "gms_user", "Whose the chat is from now on; ties it to Comet sessions that show the same key.",
        .text(pattern: "^[!-~]{1,256}$")),
    ],
    body: .parameters(identity + pushRegistration + [verbose]),
    answers: [
      .json(
        200, "The chat has begun.", .named("ChatReply"))
    ],
    failures: [400, 404, 409, 415]
  ) { routes, request, context in
    try await routes.answer(request, context, namesDevice: true) { try await $0.start($1, $2, $3) }
  }

  private static func refresh(_ method: HTTPRequest.Method, _ id: String) -> Operation<ChatRoutes> {
    let position = APIMember.optional(
      "transcriptPosition", .lenientInteger, "Events after this one; else those that were not given out yet.")
    let message = APIMember.optional("message", .text, "Said first.")
    return Operation(
      method, "/genesys/1/service/{service}/ixn/chat/refresh", id, "Get what is new",
      about: method == .get ? nil : "`DISCONNECTED` says that the chat is over.", access: .customer,
      parameters: [.serviceID, .ownerKey]
        + (method == .get ? [position, message, verbose].map { APIParameter(place: .query, member: $0) } : []),
      body: method == .get ? nil : .parameters([position, message, verbose]), answers: [reply],
      failures: [400, 404, 413, 415, 507]
    ) { routes, request, context in
      try await routes.answer(request, context) { routes, id, parameters, userKey in
        try await routes.chats.refresh(
          id, after: parameters.position("transcriptPosition"), message: parameters.first(of: "message"),
          by: .customer(userKey: userKey))
      }
    }
  }

  // MARK: Schemas

  private static let chatReply = APISchema.object([
    .required("chatSessionId", .text, "The same throughout the chat."),
    .required("chatIxnState", .oneOf("CONNECTED", "TRANSCRIPT", "DISCONNECTED"), "`DISCONNECTED`: the chat is over."),
    .required("transcriptPosition", .text(pattern: "^[0-9]+$"), "The number of the last event up to here."),
    .required("chatServiceMessage"),
    .required("startedAt", .time),
    .required("transcriptToShow", .list(of: .named("TranscriptEvent")), "What is new, oldest first."),
    .optional("userId", .text, "This and the rest with `_verbose=true` only."), .optional("secureKey"),
    .optional("checkChatServiceLoadBalancerPath"), .optional("chatServerLoadBalancerAlias"),
    .optional("chatServerHost"), .optional("chatWebApiPort", .text(pattern: "^[0-9]+$")),
    .optional("isTLSrequired", .oneOf("true", "false")), .optional("clientTimeZoneOffset"),
    .optional("_chatIxnAPI_SEND_URL"), .optional("_chatIxnAPI_REFRESH_URL"),
    .optional("_chatIxnAPI_REFRESH_FROM_START_URL"), .optional("_chatIxnAPI_START_TYPING_URL"),
    .optional("_chatIxnAPI_STOP_TYPING_URL"), .optional("_chatIxnAPI_DISCONNECT_URL"),
    .optional("_chatIxnAPI_COMET_URL", .text, "Of a chat over Comet without a user, and the next one, too."),
    .optional("_chatIxnAPI_COMET_HANDSHAKE_EXT", .text, "The `ext` of the handshake by which it is followed, as JSON."),
    .optional("pushNotificationProblem", .text, "Why nothing can be pushed to the device that was named."),
  ])

  /// Spec: GMS 5.1.
  private static let transcriptEvent = APISchema([
    "type": "array",
    "description": """
    Type, nickname, text, seconds since the start, and the side that it is from; of `Notice.File`, whose text is its \
    URL, also its members.
    """,
    "prefixItems": [
      APISchema.oneOf(transcriptTypes).json, APISchema.text.json, APISchema.text.json,
      APISchema.text(pattern: "^[0-9]+$").json, APISchema.oneOf(partyRoles).json, APISchema.named("ChatFile").json,
    ],
    "minItems": 5, "maxItems": 6,
  ])

  private static let chatFile = APISchema.object([
    .required("id"), .required("name", .text(1...ChatLimits.fileNameBytesMaximum), "Fit to be shown."),
    .required("type", .text, "Its content type; it fits its first bytes, where those say anything."),
    .required("size", .integer, "Bytes."),
    .required("url", .text, "Where whoever reads this gets it, with the same credentials."),
  ])

  static let transcriptTypes = [
    "Message.Text", "Notice.TypingStarted", "Notice.TypingStopped", "Notice.Joined", "Notice.Left", "Notice.PushUrl",
    "Notice.Custom", "Notice.File",
  ]
  static let partyRoles = ["CLIENT", "AGENT", "SUPERVISOR", "EXTERNAL"]
}
