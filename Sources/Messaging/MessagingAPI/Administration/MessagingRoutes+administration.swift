import GCMProtocol
package import HTTPKit
import HTTPTypes
import JSONEnvelope
import MessagingEngine

/// Messages of app servers for the operator: a part of the surface of pushes.
extension MessagingRoutes {
  package static let administration = RoutedSurface<MessagingRoutes>(
    "push administration", "", faultOperations + [messageStream],
    schemas: [("Faults", .object([.required("faults", .list(of: .named("Fault")))])), ("Fault", fault)])

  private static let senderName: APIParameter = .path("sender", "The sender's id.")

  private static let faultOperations: [Operation<MessagingRoutes>] = [
    Operation(
      .put, "/admin/1/senders/{sender}/faults", "setFaults", "Script what a sender's next messages meet",
      about: "Only for senders in test mode.", access: .admin, parameters: [senderName],
      body: .json(.named("Faults")), answers: [.json(200, "The script.", .named("Faults"))], failures: [400, 404]
    ) { routes, _, request, context in try await routes.faults.set(request, context) },
    Operation(
      .get, "/admin/1/senders/{sender}/faults", "getFaults", "What is left of a script", access: .admin,
      parameters: [senderName], answers: [.json(200, "The script.", .named("Faults"))], failures: [400]
    ) { routes, _, request, context in try routes.faults.rest(request, context) },
    Operation(
      .delete, "/admin/1/senders/{sender}/faults", "endFaults", "End a script", access: .admin,
      parameters: [senderName], answers: [.done("It is gone.")]
    ) { routes, _, _, context in try routes.faults.end(context) },
  ]

  private static let messageStream = Operation<MessagingRoutes>(
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
    answers: [APIAnswer(200, "Until either side ends it.", [("text/event-stream", .text)])], failures: [400]
  ) { routes, request, _ in try routes.stream.follow(request) }

  private static let fault = APISchema.object([
    .optional("error", .oneOf(DownstreamError.allCases.map(\.rawValue)), "Each target is answered with it."),
    .optional("status", .integer(400...599), "The request is answered with it; not together with `error`."),
    .optional("delayMilliseconds", .integer(0...EdgeLimits.scriptedDelayMillisecondsMaximum)),
    .optional("retryAfterSeconds", .integer(0...86_400)),
    .optional("count", .integer(1...EdgeLimits.scriptedFaultsMaximum), "Repeats it; in requests only."),
  ]).with("not", ["required": ["error", "status"]])
}
