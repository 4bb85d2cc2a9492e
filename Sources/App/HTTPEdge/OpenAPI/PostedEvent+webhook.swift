import CallbackDomain
import Engine
import JSONEnvelope
import PushDomain
import SupportDomain

/// The requests that this server makes. Spec: OpenAPI 3.1, `webhooks`; providers 4.
extension PostedEvent {
  /// All of them, by name.
  static var webhooks: [(String, JSONValue)] { all.map { ($0.name, ["post": $0.operation]) } }

  private var operation: JSONValue {
    let headers: [APIParameter] = [
      .requiredHeader("webhook-id", "The same for every attempt: whoever has seen it has seen the event."),
      .requiredHeader("webhook-timestamp", "When this attempt began: seconds since 1970.", .text(pattern: "^[0-9]+$")),
      .header("webhook-signature", "As Standard Webhooks has it, where a secret is configured."),
      .requiredHeader("carillon-event", "The event's tag.", .oneOf(tag)),
    ]
    let body = isForDevice ? Self.forDevice(content) : content
    let answers: [(String, JSONValue)] = [
      (
        isForDevice ? "200" : "2XX",
        ["description": "It has come. Any other answer is tried again, or makes a dead letter."]
      ),
      ("410", ["description": "The receiver is gone, and is posted nothing more."]),
    ]
    return [
      "summary": .string(summary), "parameters": .array(headers.map(\.json)), "requestBody": APIBody.json(body).json,
      "responses": .object(answers),
    ]
  }

  /// Whether it goes where pushes to devices go: by `httpcb` as it is, by `customhttp` with the device's name.
  private var isForDevice: Bool {
    switch self {
    case .chat, .callback, .test: true
    case .supportComment, .supportRequest, .operators: false
    }
  }

  private static func forDevice(_ content: APISchema) -> APISchema {
    .either(content, .object([.required("deviceId"), .required("message", content)]))
  }

  private var summary: String {
    switch self {
    case .chat: "A chat has something for a customer who is away"
    case .callback: "A callback leads its app to a dialog"
    case .test: "An operator tries a device"
    case .supportComment: "A comment on a support request, for devices of its requester"
    case .supportRequest(.created): "There is a new support request"
    case .supportRequest(.commented): "A support request has a new comment"
    case .supportRequest(.updated): "A support request has changed"
    case .operators(.endpointDisabled): "An endpoint is switched off"
    case .operators(.deviceEnded): "A device gets nothing more"
    case .operators(.messageExhausted): "A push has become a dead letter"
    }
  }

  private var content: APISchema {
    switch self {
    case .chat:
      .object([
        .required("message", .text, "What is shown."), .required("serviceId"),
        .optional("lastTranscript", .list(of: .map(of: .text)), "What was said: each text by its type."),
      ])
    case .callback(let tag):
      .object([
        .required("_id", .text, "The callback's."),
        .required("_action", .oneOf(CallbackDialog.allCases.filter { $0.tag == tag }.map(\.action))),
      ])
    case .test: .anything
    case .supportComment: Self.supportNotification
    case .supportRequest:
      envelope(
        .object([.required("request", .named("SupportRequest")), .optional("comment", .named("SupportComment"))]))
    case .operators(let name): envelope(.object(Self.members(of: name)))
    }
  }

  /// Spec: Standard Webhooks, payload structure.
  private func envelope(_ data: APISchema) -> APISchema {
    .object([.required("type", .oneOf(name)), .required("timestamp", .time), .required("data", data)])
  }

  /// Spec: support requests 5.
  private static let supportNotification = APISchema.object([
    .required(
      "devices",
      .list(of: .object([.required("identifier"), .required("type", .oneOf("ios", "android"))]))),
    .required("notification", .object([.required("body"), .required("title"), .required("ticket_id")])),
  ])

  private static func members(of event: OperatorEventName) -> [APIMember] {
    switch event {
    case .endpointDisabled:
      [.required("lane"), .required("endpoint", APISchema.text.orNull, "Masked."), .required("reason")]
    case .deviceEnded:
      [
        .required("device", .either(.text, .integer), "Its id; a number for one of support."),
        .optional("user", .integer, "The user of support whose it is."), .required("type"), .required("reason"),
      ]
    case .messageExhausted:
      [
        .required("id"), .required("device"), .required("number", .integer), .required("type"), .required("tag"),
        .required("service"), .required("outcome", .oneOf(FinalPushOutcome.names)), .required("reason"),
        .required("attempts", .integer), .required("acceptedAt", .time), .required("endedAt", .time),
      ]
    }
  }
}
