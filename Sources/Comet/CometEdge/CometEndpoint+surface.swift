package import HTTPKit
import HTTPTypes
import JSONEnvelope

extension RoutedSurface {
  /// Answered by `CometEndpoint`, before the router is asked: a surface of whatever routes a server has.
  package static var comet: RoutedSurface {
    let surface = CometEndpoint.surface
    return RoutedSurface(
      surface.name, surface.about, surface.operations.map { Operation(pastRouter: $0) }, schemas: surface.schemas)
  }
}

/// Spec: GMS 4; Bayeux 1.0.
extension CometEndpoint {
  fileprivate static let surface = APISurface(
    "comet", "Events of chats and support requests as they happen: Bayeux 1.0 by polls or over a WebSocket.",
    [
      APIOperation(
        .post, "/genesys/cometd", "exchangeBayeux", "Exchange Bayeux messages",
        about: """
          One message or several: `/meta/handshake`, `/meta/connect`, `/meta/subscribe` to `/_genesys`, \
          `/meta/disconnect`. Of each session the first connect is answered at once, the later ones are held until \
          there is an event, or for 25 seconds. Any path below this one is the same resource. A handshake with \
          `Authorization: Bearer` and an end user's access token may subscribe to `/support/requests/{id}` and \
          `/support/requests/*`, and publishes there which comments it has shown. Channels that the configuration opens \
          to applications are subscribed to and published on as well.
          """,
        access: .customer,
        parameters: [
          .header("gms_user", "Whose events the session gets.", .text(pattern: "^[!-~]{1,256}$"))
        ],
        body: .json(
          .either(.list(of: .named("BayeuxRequest"), 1...64), .named("BayeuxRequest"))),
        answers: [
          .json(
            200, "Always an array; events come before the answer to the connect.", .list(of: .named("BayeuxMessage")))
        ],
        failures: [400]),
      APIOperation(
        .get, "/genesys/cometd", "openCometWebSocket", "Speak Bayeux over a WebSocket, or by scripts",
        about: """
          With the header fields of a WebSocket handshake (RFC 6455): each text message is what a POST's body is. Without \
          them, and with `message`: callback-polling (JSONP), for pages of this server and of `allowed_origins`.
          """,
        access: .customer,
        parameters: [
          .header("gms_user", "Whose events the session gets.", .text(pattern: "^[!-~]{1,256}$")),
          .query("message", "What a POST's body is, but for a token of a user; may come more than once."),
          .query(
            "jsonp", "The function that the answer calls; `jsonpcallback` if it is left out.",
            .text(pattern: "^[A-Za-z0-9_$.]{1,64}$")),
        ],
        answers: [
          APIAnswer(101, "The connection is a WebSocket from here on."),
          APIAnswer(200, "A script that calls the function with what a POST answers.", [("text/javascript", .text)]),
        ], failures: [400, 403]),
    ],
    schemas: [
      (
        "BayeuxRequest",
        .object([
          .required(
            "channel",
            .either(
              .oneOf("/meta/handshake", "/meta/connect", "/meta/subscribe", "/meta/unsubscribe", "/meta/disconnect"),
              .text(pattern: "^/support/requests/[1-9][0-9]{0,17}$"), .text(pattern: "^(/[^/*]{1,255})+$"))
          ),
          .optional(
            "data", .anything,
            "`{\"type\":\"refreshed\",\"comment_id\",\"identifier\"}` for a support request; any value for an application."
          ),
          .optional("id", .text(0...64), "Comes back in the answer."),
          .optional("clientId", .text(0...64), "From the handshake's answer; all but the handshake need it."),
          .optional("version", .text(0...16)), .optional("minimumVersion", .text(0...16)),
          .optional("supportedConnectionTypes", .list(of: .oneOf("long-polling", "websocket", "callback-polling"))),
          .optional("connectionType", .oneOf("long-polling", "websocket", "callback-polling")),
          .optional("subscription", .either(.text, .list(of: .text))),
          .optional("advice", .object([.optional("timeout", .integer(0...60_000))])),
          .optional(
            "ext",
            .object([
              .optional("gms_user", .text, "In place of the header, in a handshake."),
              .optional("gms_token", .text, "A token that proves the user, where `identity` is `jwt`."),
              .optional("serviceId", .text, "Binds the session to this one chat."),
              .optional(
                "transcriptPosition", .lenientInteger,
                "The last event that the app has; in disconnects, handshakes and connects."
              ),
            ])),
        ])
      ),
      (
        "BayeuxMessage",
        .object([
          .optional(
            "channel", .text,
            "`/_genesys`, a request's or an application's channel for events; that of the question otherwise."),
          .optional("id", .anything, "As the request had it."),
          .optional("clientId"),
          .optional("successful", .bool), .optional("error", .text(pattern: "^[0-9]{3}:[^:]*:")),
          .optional("version"), .optional("minimumVersion"), .optional("supportedConnectionTypes", .list(of: .text)),
          .optional("subscription", .either(.text, .list(of: .text))),
          .optional(
            "advice",
            .object([
              .optional("reconnect", .oneOf("retry", "handshake", "none")), .optional("interval", .integer),
              .optional("timeout", .integer),
              .optional("multiple-clients", .bool, "Other sessions of the same browser have its held polls."),
            ])),
          .optional(
            "data", .either(.named("BayeuxEvent"), .named("SupportEvent"), .anything),
            "Of events; on an application channel what was published."),
        ])
      ),
      (
        "BayeuxEvent",
        .object([
          .required("id"),
          .required("tag", .text, "`service.chat.refresh.` and the instance's id for chats."),
          .required("message", .anything, "A `ChatReply`, or what was published to the subscription."),
        ])
      ),
      (
        "SupportEvent",
        .object([
          .required("type", .oneOf("request.comment")), .required("request_id"), .required("comment_id"),
          .required("public", .bool),
        ])
      ),
    ])
}
