import ChatDomain
import ChatEngine
import EngineKit
package import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// Spec: GMS 12.3.
extension AgentRoutes {
  package static let surface = RoutedSurface<AgentRoutes>(
    "agents", "What agents do: find chats, join them, talk, leave. An agent's id is the name of the token.",
    [
      Operation(
        .get, "/agent/1/chats", "listChats", "Chats, the oldest first, or as `sort` says",
        about: """
          An agent sees the chats that wait at the services of their token, and their own; a supervisor also those of \
          others. What somebody does not see is answered with 404 everywhere here.
          """, access: .agent,
        parameters: APIParameter.listed(
          [
            .query("state", "Which ones.", APISchema.oneOf("waiting", "own", "all").byDefault("all")), .ofService,
            .query("phase", "Those that live, with the customer there.", APISchema.oneOf(phases)),
            .query(
              "sort", "`waitingSince`: the longest wait first, without those in which nobody waits.",
              APISchema.oneOf(ChatOrder.allCases.map(\.rawValue)).byDefault("startedAt")),
          ], upTo: EngineLimits().agentListMaximum),
        answers: [.countedPage("Those chats.", of: .named("Chat"))], failures: [400]
      ) { try await $0.list($1, $2, $3) },
      Operation(
        .get, "/agent/1/chats/{chat}", "getChat", "One chat, with its attached data", access: .agent,
        parameters: [chatID],
        answers: [
          .json(
            200, "The chat.",
            .object(.named("Chat"), and: [.required("data", .map(of: .text), "Attached data.")]))
        ], failures: [404]
      ) { try await $0.summary($1, $2, $3) },
      Operation(
        .get, "/agent/1/chats/{chat}/transcript", "getTranscript", "What was said",
        about: """
          Also what only agents see: such a line has no position, and stands behind the event that it followed. With \
          `limit` or `before` it is a page of so many events; the header `Link` says where it goes on (`rel="next"`), \
          onwards or backwards.
          """, access: .agent,
        parameters: [
          chatID, .query("after", "Events behind this position.", .integer(0...1_000_000_000)),
          .query("before", "Events in front of this position, the last ones of them.", .integer(1...1_000_000_000)),
          .query(
            "limit", "At most so many events: without it all, or \(ListQuery.limitDefault) with `before`.",
            .integer(1...EngineLimits().agentListMaximum)),
        ],
        answers: [.json(200, "The transcript.", .named("Transcript"))], failures: [400, 404]
      ) { try await $0.transcript($1, $2, $3) },
      Operation(
        .get, "/agent/1/agents", "listAgents", "Agents, in the order of their names",
        about: "A supervisor sees all of them, an agent those who have a service in common with them.", access: .agent,
        parameters: APIParameter.listed(upTo: EngineLimits().agentListMaximum),
        answers: [.page("Those agents.", of: .named("Colleague"))], failures: [400]
      ) { routes, token, request, _ in try await routes.colleagues(token, request) },
    ] + [customer, search] + acts.map(\.operation) + [events, socket],
    schemas: [
      ("Chat", chatSummary), ("Colleague", colleague), ("Customer", customerSchema), ("SearchHit", hit),
      ("Transcript", transcript), ("TranscriptLine", line),
      (
        "Agent",
        .object([
          .required("agentId"), .required("role", .oneOf(ChatRoutes.partyRoles)), .required("ready", .bool),
          .optional("services", .list(of: .text), "That the token names; all if absent."),
        ])
      ),
      (
        "ChatPosition",
        .object([
          .required("position", APISchema.integer.orNull, "Of the event; null for one that only agents see.")
        ])
      ),
    ])

  private static let events = Operation<AgentRoutes>(
    .get, "/agent/1/events", "followAgentEvents", "Follow what happens",
    about: """
      Server-sent events, each with a name, a number and JSON. Silence is filled with comments. One \
      hears of what one sees in lists, and when it is taken.

      \(AgentEventName.allCases.map { "- `\($0.rawValue)`: \($0.about)" }.joined(separator: "\n"))
      """,
    access: .agent,
    parameters: [
      .header("Last-Event-ID", "The number of the last event seen: goes on behind it.", .text(pattern: "^[0-9]{1,18}$"))
    ],
    answers: [APIAnswer(200, "Until either side ends it.", [("text/event-stream", .text)])], failures: [400]
  ) { try $0.events($1, $2, $3) }

  private static let socketLimits = AgentSocketLimits()

  private static let socket = Operation<AgentRoutes>(
    pastRouter: APIOperation(
      .get, "/agent/1/socket", "openAgentSocket", "Do and follow everything over a WebSocket",
      about: """
        With the header fields of a WebSocket handshake (RFC 6455). A page, which cannot set `Authorization`, logs in by \
        its first message, within \(socketLimits.loginTimeout.components.seconds) seconds: \
        `{"id":"1","do":"login","token":"car_…"}`, which is answered as `me` is. Each message is one JSON object.

        A request has an `id` of the client's, says what to `do`, names the `chat` if it is done in one, and has the \
        members of the body of the operation that does the same:

        \(acts.map { "- `\($0.word)`: `\($0.operation.description.id)`" }.joined(separator: "\n"))
        - `request`: `makeRequestOfChat`

        `{"id","ok"}` has that operation's answer, `{"id","status","error"}` its refusal, with `retryAfter` where \
        waiting helps; `id` is null where none could be read. Requests of one chat are done in their order. One that \
        comes again with the same `id` and members is not done again: it gets the same answer, as long as that is \
        among the last \(socketLimits.answersKeptMaximum) of its connection.

        `{"event","number","data"}` is what the stream of events has. `after` goes on behind a number.

        The server closes with 1001 when it stops, with 1008 when the token is not good any more.
        """,
      access: .agent,
      parameters: [
        .query("after", "The number of the last event seen: goes on behind it.", .text(pattern: "^[0-9]{1,18}$"))
      ],
      answers: [APIAnswer(101, "The connection is a WebSocket from here on.")], failures: [400]))
}
